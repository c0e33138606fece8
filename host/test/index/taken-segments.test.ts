import t from 'tap';
import { seededRandom } from '../../../bindings/test/random.js';
import { takenSegments } from '../../index/build/batch/taken-segments.js';
import { compare, randomDocument, SETTINGS } from '../support/equal-indexes.js';
import { TestDatabase } from '../support/test-database.js';

const BATCHES = 14;
const MOST_BATCHES = 100;

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);

t.test('a batch takes the smallest segments, as far as it is larger and there is room', async (t) => {
  const taken = (sizes: number[], bytes: number, mostBytes = 1000) => {
    return [...takenSegments(sizes, bytes, { leastBytes: 10, mostBytes })].sort();
  };
  t.same(taken([500, 30, 20], 100), [1, 2]);
  t.same(taken([50, 30], 100), [1], 'together they would be too many');
  t.same(taken([100], 100), [], 'of equal size');
  t.same(taken([1], 9), [], 'a small batch');
  t.same(taken([30], 100, 129), [], 'no room for one segment');
  t.same(taken([30], 100, 130), [0]);
  t.same(taken([], 100), []);
});

t.test('an index whose batches take segments equals one whose batches only add some', async (t) => {
  t.comment(`seed ${seed}`);
  const random = seededRandom(seed);
  const adding = await TestDatabase.open(t, { indexTakingBytes: Number.POSITIVE_INFINITY });
  const taking = await TestDatabase.open(t, { indexTakingBytes: 0 });
  const together = await TestDatabase.open(t, { indexTakingBytes: 0, indexPartBytes: 2000, indexThreads: 4 });
  const databases = [adding, taking, together];
  const segmentsOf = (database: TestDatabase) => database.indexStore.indexes.get('a')!.segments;
  for (const database of databases) {
    await database.create('a', 'id');
    await database.commit(await database.indexStore.settings.change('a', SETTINGS, database.now()));
  }
  let taken = 0;
  // With some seeds no batch takes a segment for a long time.
  for (let batch = 0; batch < BATCHES || (taken === 0 && batch < MOST_BATCHES); batch++) {
    const documents = Array.from({ length: random.pick([1, 5, 30, 150, 400]) }, () => randomDocument(random, 1200));
    const options = { method: random.pick(['replace', 'update'] as const), skipCreation: random.int(6) === 0 };
    const doomed = Array.from({ length: random.int(40) }, () => String(random.int(1200)));
    // A document that is sent as it is stored stays where it is, unless its segment is taken.
    const same = random.int(3) === 0 ? (await adding.documents('a')).slice(0, 20) : [];
    const before = segmentsOf(taking).map(({ id }) => id);
    const merging = random.int(3);
    const results = [];
    for (const database of databases) {
      const merge = merging > 0 ? await database.indexStore.merges.compact('a') : null;
      const operations = [
        await database.add(documents, options),
        { type: 'deleteByIds' as const, ids: doomed },
        await database.add(same),
      ];
      const { results: ended, draft } = await database.indexStore.documents.apply('a', operations, database.now());
      // A merge of the segments that the batch takes is committed before or after it.
      const drafts = merging === 1 ? [merge, draft] : [draft, merge];
      for (const each of drafts) await database.commit(each);
      results.push(ended);
    }
    t.same(results.slice(1), [results[0], results[0]], `counts of batch ${batch}`);
    const now = new Set(segmentsOf(taking).map(({ id }) => id));
    if (merging === 0 && before.some((id) => !now.has(id))) taken++;
    await compare(t, adding, taking, `after batch ${batch}`);
    await compare(t, adding, together, `after batch ${batch}, by four threads`);
    if (random.int(4) === 0) for (const database of databases) await database.reopen();
  }
  t.ok(taken > 0, 'segments were taken');
  for (const database of databases) t.same(database.faults, []);
  for (const database of databases) {
    const named = segmentsOf(database).map(({ file }) => file);
    t.same(database.segmentFiles, named.sort(), 'no other files are left');
  }
});

t.test('payloads that each have more documents than all before them end in one segment', async (t) => {
  const database = await TestDatabase.open(t, { indexTakingBytes: 0 });
  await database.create('a', 'id');
  let id = 0;
  for (const count of [10, 40, 160, 640]) {
    await database.apply('a', await database.add(Array.from({ length: count }, () => ({ id: id++, text: `number ${id}` }))));
    t.equal(database.indexStore.indexes.get('a')!.segments.length, 1);
  }
  t.same(
    (await database.documents('a')).map((document) => document.id),
    Array.from({ length: id }, (_, index) => index),
  );
});
