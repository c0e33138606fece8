import t from 'tap';
import { seededRandom } from '../../../bindings/test/random.js';
import { DEFAULT_SETTINGS } from '../../index/settings/settings.js';
import { compare, randomDocument, SETTINGS, WORDS } from '../support/equal-indexes.js';
import { TestDatabase } from '../support/test-database.js';

type Document = Record<string, unknown>;

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
/** Least bytes per thread; so few that small batches are divided. */
const SMALL_PARTS = { indexPartBytes: 2000 };
t.test('a batch built by four threads equals one built by a single thread', async (t) => {
  t.comment(`seed ${seed}`);
  const random = seededRandom(seed);
  const one = await TestDatabase.open(t, SMALL_PARTS);
  const four = await TestDatabase.open(t, { ...SMALL_PARTS, indexThreads: 4 });
  for (const database of [one, four]) {
    await database.create('a', 'id');
    await database.commit(await database.indexStore.settings.change('a', SETTINGS, database.now()));
  }
  let divided = 0;
  for (let batch = 0; batch < 6; batch++) {
    const operations = Array.from({ length: 1 + random.int(3) }, () => ({
      // ids repeat within a payload and between payloads
      documents: Array.from({ length: 100 + random.int(200) }, () => randomDocument(random, 600)),
      options: { method: random.pick(['replace', 'update'] as const), skipCreation: random.int(5) === 0 },
    }));
    const doomed = Array.from({ length: random.int(40) }, () => String(random.int(600)));
    const before = four.indexStore.indexes.get('a')!.segments.length;
    const results = [];
    for (const database of [one, four]) {
      const adds = [];
      for (const { documents, options } of operations) adds.push(await database.add(documents, options));
      results.push(await database.apply('a', ...adds, { type: 'deleteByIds', ids: doomed }));
    }
    t.same(results[1], results[0], `counts of batch ${batch}`);
    if (four.indexStore.indexes.get('a')!.segments.length - before > 1) divided++;
    await compare(t, one, four, `after batch ${batch}`);
  }
  t.ok(divided >= 4, 'batches were divided');
  for (const database of [one, four]) {
    await database.commit(await database.indexStore.merges.compact('a'));
    t.same(database.faults, []);
  }
  await compare(t, one, four, 'in one segment');
});

t.test('a failing document in one part fails only its task', async (t) => {
  const embedders = { own: { source: 'userProvided' as const, dimensions: 2 } };
  const four = await TestDatabase.open(t, { ...SMALL_PARTS, indexThreads: 4 });
  await four.create('a', 'id');
  const many = (from: number, member: (id: number) => Document): Document[] =>
    Array.from({ length: 400 }, (_, index) => ({ id: from + index, text: WORDS.join(' '), ...member(index) }));

  await t.test('the field limit holds when the last part exceeds it', async (t) => {
    const wide = (id: number) => (id < 330 ? {} : Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`m${id}_${n}`, 1])));
    const results = await four.apply('a', await four.add(many(0, () => ({}))), await four.add(many(1000, wide)));
    t.same(results, [400, 'max_fields_limit_exceeded']);
    t.equal((await four.documents('a')).length, 400);
    t.same(four.segmentFiles.length, four.indexStore.indexes.get('a')!.segments.length, 'no file is left of what was given up');
  });

  await t.test('vectors are stored with their documents in every part', async (t) => {
    await four.create('v', 'id');
    await four.commit(await four.indexStore.settings.change('v', { ...DEFAULT_SETTINGS, embedders } as never, four.now()));
    const documents = many(0, (id) => ({ _vectors: { own: [Math.cos(id), Math.sin(id)] } }));
    t.same(await four.apply('v', await four.add(documents)), [400]);
    t.ok(four.indexStore.indexes.get('v')!.segments.length > 1, 'the batch was divided');
    t.equal(four.indexStore.indexes.get('v')!.stats.embeddings, 400);
    const { hits } = await four.search('v', {
      vector: [Math.cos(7), Math.sin(7)],
      hybrid: { embedder: 'own', semanticRatio: 1 },
      limit: 1,
    });
    t.equal(hits[0]!.id, 7);
  });
});
