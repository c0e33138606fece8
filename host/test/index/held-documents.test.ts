import t from 'tap';
import { seededRandom } from '../../../bindings/test/random.js';
import { TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';

const COUNT = 3000;
/** So many that the documents of a segment are not read together with it. */
const TEXT_LETTERS = 1200;
/** Memory of a segment as a share of its file, if its documents are in memory. */
const HELD_SHARE = 0.98;

/** Texts that hardly compress. */
function documentsOf(seed: number): { id: number; text: string }[] {
  const random = seededRandom(seed);
  const letter = () => String.fromCharCode(97 + random.int(26));
  return Array.from({ length: COUNT }, (_, id) => ({ id, text: Array.from({ length: TEXT_LETTERS }, letter).join('') }));
}

function isHeld(test: TestDatabase): boolean {
  const { memoryBytes, fileBytes } = test.indexStore.metricsOf('a');
  return memoryBytes > fileBytes * HELD_SHARE;
}

t.test('documents are the same before and after they are in memory', async (t) => {
  const test = await TestDatabase.open(t);
  await test.create('a', 'id');
  const documents = documentsOf(1);
  await test.apply('a', await test.add(documents));
  t.same(await test.documents('a'), documents, 'when the segment is new');
  await until('the documents are in memory', () => isHeld(test));
  t.same(await test.documents('a'), documents, 'when they are in memory');
  await test.reopen();
  t.same(await test.documents('a'), documents, 'after a restart');
  await until('the documents are in memory again', () => isHeld(test));
  t.same(await test.documents('a'), documents, 'when they are in memory again');
});

t.test('the memory of segments removed while their documents are read is released', async (t) => {
  const test = await TestDatabase.open(t);
  await test.create('a', 'id');
  for (const seed of [2, 3]) await test.apply('a', await test.add(documentsOf(seed)));
  const last = documentsOf(4);
  await test.apply('a', await test.add(last));
  await until('the last segment is in memory', () => test.segmentFiles.length === 1 && isHeld(test));
  t.same(await test.documents('a'), last);
  await test.commit(test.indexStore.deleteIndex('a'));
  await until('all memory is free', () => test.indexStore.memoryUsed === 0);
  t.equal(test.indexStore.memoryUsed, 0);
});
