import t, { type Test } from 'tap';
import { type SeededRandom, seededRandom } from '../../../bindings/test/random.js';
import { DEFAULT_SETTINGS } from '../../index/settings/settings.js';
import { TestDatabase } from '../support/test-database.js';

type Document = Record<string, unknown>;

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
const WORDS = ['amber', 'birch', 'cedar', 'dune', 'ember', 'fjord', 'grove', 'heath'];
/** Least bytes per thread; so few that small batches are divided. */
const SMALL_PARTS = { indexPartBytes: 2000 };
const SETTINGS = { ...DEFAULT_SETTINGS, filterableAttributes: ['kind', 'price'], sortableAttributes: ['price'] };

/** Most documents have members that no other has, so fields first appear in all parts, and in different orders. */
function randomDocument(random: SeededRandom, ids: number): Document {
  const document: Document = {
    id: random.int(ids),
    text: Array.from({ length: 3 + random.int(12) }, () => random.pick(WORDS)).join(' '),
  };
  const members = Array.from({ length: random.int(4) }, () => `member${random.int(60)}`);
  for (const name of members) document[name] = random.int(2) ? random.pick(WORDS) : { [`inner${random.int(5)}`]: random.int(9) };
  if (random.int(2)) document.kind = random.pick(WORDS);
  if (random.int(2)) document.price = random.int(100);
  return document;
}

const REQUESTS = [
  { q: '', limit: 1000 },
  ...WORDS.map((q) => ({ q, limit: 1000, facets: ['*'], showRankingScore: true })),
  { q: 'amber birhc', limit: 1000, showRankingScoreDetails: true, showMatchesPosition: true },
  { q: 'cedar', sort: ['price:desc'], limit: 1000 },
  { q: 'gro', filter: 'price > 50 AND kind != dune', limit: 1000 },
];

async function answers(database: TestDatabase): Promise<unknown[]> {
  const list: unknown[] = [];
  for (const request of REQUESTS) {
    const { processingTimeMs: _, requestUid: __, ...answer } = await database.search('a', request);
    list.push(answer);
  }
  return list;
}

async function compare(t: Test, one: TestDatabase, four: TestDatabase, what: string): Promise<void> {
  const [a, b] = [one, four].map((database) => database.indexStore.indexes.get('a')!);
  t.same(b!.fields, a!.fields, `${what}: fields and their numbers`);
  t.same(b!.stats, a!.stats, `${what}: statistics`);
  t.same([b!.nextInternalId, b!.freeIds, b!.primaryKey], [a!.nextInternalId, a!.freeIds, a!.primaryKey], `${what}: ids`);
  t.same(await four.documents('a'), await one.documents('a'), `${what}: documents, in their order`);
  t.same(await answers(four), await answers(one), `${what}: searches`);
}

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
