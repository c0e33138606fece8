import path from 'node:path';
import t from 'tap';
import { ApiError } from '../../../bindings/errors.js';
import { type SeededRandom, seededRandom } from '../../../bindings/test/random.js';
import { EmbeddingsReader, EmbeddingsWriter } from '../../index/build/vectors/embeddings-file.js';
import { type PlannedText, TextPlan, TextPlanWriter } from '../../index/build/vectors/text-plan.js';
import { readTexts } from '../../index/build/vectors/texts.js';
import type { TextEmbedder } from '../../index/changes/embedding.js';
import type { DocumentOperation } from '../../index/document-operations.js';
import { DEFAULT_SETTINGS } from '../../index/settings/settings.js';
import { testFolder } from '../support/folders.js';
import { embeddingOf, MODEL_DIMENSIONS } from '../support/model.js';
import { TestDatabase } from '../support/test-database.js';

t.test('a plan is read as it was written', (t) => {
  const random = seededRandom(3);
  const file = path.join(testFolder(t), 'plan');
  const embedders = 2;
  const text = (): PlannedText => ({ ordinal: random.int(256), text: random.int(4) === 0 ? null : random.int(1 << 30) });
  const list = () => (random.int(3) === 0 ? null : Array.from({ length: random.int(4) }, text));
  const written = new Map<number, (PlannedText[] | null)[]>();
  const writer = new TextPlanWriter(file, embedders);
  for (let document = random.int(3); document < 30_000; document += 1 + random.int(3)) {
    const lists = [list(), list()];
    written.set(document, lists);
    writer.begin(document);
    for (const each of lists) {
      writer.list(each?.length ?? null);
      for (const { ordinal, text } of each ?? []) writer.text(ordinal, text);
    }
  }
  writer.close();
  const plan = new TextPlan(file, embedders);
  t.teardown(() => plan.close());
  const documents = [...Array(30_010).keys(), ...Array.from({ length: 1000 }, () => random.int(30_010))];
  const wrong = documents.filter((document) => {
    const read = [plan.texts(document, 0), plan.texts(document, 1)];
    return JSON.stringify(read) !== JSON.stringify(written.get(document) ?? [null, null]);
  });
  t.same(wrong, []);
  t.end();
});

t.test('vectors are read as they were written, in any order', (t) => {
  const random = seededRandom(4);
  const file = path.join(testFolder(t), 'vectors');
  const [count, components] = [3000, 50];
  const dimensionsOf = (text: number) => (text % 3 === 0 ? components : 7);
  const vectorOf = (text: number) => Float32Array.from({ length: dimensionsOf(text) }, (_, i) => text + i / 64);
  const texts = [...Array(count).keys()].filter((text) => text % 11 > 0);
  const writer = new EmbeddingsWriter(file, components);
  while (texts.length > 0) {
    const some = texts.splice(random.int(texts.length), 1 + random.int(300));
    writer.add(some.map((text) => ({ text, vector: vectorOf(text) })));
  }
  writer.close();
  const reader = new EmbeddingsReader(file);
  t.teardown(() => reader.close());
  const asked = [...Array(count + 5).keys(), ...Array.from({ length: 500 }, () => random.int(count))];
  const read = asked.map((text) => [text, reader.get(text, dimensionsOf(text))] as const);
  const wrong = read.filter(([text, vector]) =>
    text % 11 > 0 && text < count ? String(vector) !== String(vectorOf(text)) : vector !== null,
  );
  t.same(wrong, [], 'those that are absent too; what was read stays');
  t.end();
});

/** One with a template, and one with fragments. */
const EMBEDDERS = {
  text: { source: 'rest', dimensions: MODEL_DIMENSIONS, documentTemplate: '{{doc.title}}', url: 'http://localhost', id: 2 },
  parts: {
    source: 'rest',
    dimensions: MODEL_DIMENSIONS,
    url: 'http://localhost',
    id: 1,
    indexingFragments: { a: { value: { text: '{{doc.title}}' } }, b: { value: '{{doc.extra}}' } },
    fragmentIds: { a: 0, b: 1 },
  },
};
const OWN = { own: { source: 'userProvided', dimensions: 3, id: 5 } };
const settings = (embedders: object) => ({ ...DEFAULT_SETTINGS, filterableAttributes: ['group'], embedders }) as never;

interface Item {
  id: number;
  title: string;
  group: number;
  extra?: string;
}

const vectorOfValue = (value: unknown) => embeddingOf(typeof value === 'string' ? value : JSON.stringify(value));
const rounded = (vector: number[]) => [...Float32Array.from(vector)];

/** The vectors of a document that are to be stored. */
function expected({ title, extra }: Item) {
  return {
    text: { embeddings: [rounded(vectorOfValue(title))], regenerate: true },
    parts: {
      embeddings: [{ text: title }, ...(extra === undefined ? [] : [extra])].map((value) => rounded(vectorOfValue(value))),
      regenerate: true,
    },
  };
}

/**
 * Embeds texts as the model of the tests does; `calls`: the texts of each call.
 * @param uncached names of the embedders whose vectors are not cached
 */
function embedding(
  refuses: (value: unknown) => boolean = () => false,
  uncached: string[] = [],
): { embedder: TextEmbedder; calls: unknown[][] } {
  const calls: unknown[][] = [];
  const embed: TextEmbedder['embed'] = async ({ texts, vectors, count, embedders }) => {
    const lines = [];
    for await (const some of readTexts(texts)) lines.push(...some);
    calls.push(lines.map(({ value }) => value));
    if (lines.length !== count) throw new Error(`${lines.length} texts of ${count}`);
    const writer = new EmbeddingsWriter(vectors, MODEL_DIMENSIONS);
    const done = lines.filter(({ value }) => !refuses(value));
    writer.add(done.map(({ text, value }) => ({ text, vector: Float32Array.from(vectorOfValue(value)) })));
    writer.close();
    const name = (id: number) => Object.entries(embedders).find(([, each]) => each.id === id)?.[0] as string;
    const failed = lines.filter(({ value }) => refuses(value));
    return failed.map(({ text, embedder }) => ({
      text,
      embedder: name(embedder),
      error: new ApiError('vector_embedding_error', 'no'),
    }));
  };
  return { embedder: { embed, uncached: () => uncached }, calls };
}

const IDS = 80;
const TITLES = ['red lamp', 'red rug', 'a chair', 'blue lamp é', 'table'];

function randomItem(random: SeededRandom): Item {
  const item = {
    id: random.int(IDS),
    title: random.pick(TITLES) + random.pick(['', '', ` ${random.int(1000)}`]),
    group: random.int(3),
  };
  return random.int(2) === 0 ? item : { ...item, extra: random.pick(TITLES) };
}

/** A batch of random operations, which are applied to `model` too. @param members what each document is sent with */
async function randomBatch(database: TestDatabase, random: SeededRandom, model: Map<number, Item>, members: object) {
  const operations: DocumentOperation[] = [];
  if (random.int(2) === 0) {
    const group = random.int(3);
    operations.push({ type: 'deleteByFilter', filter: `group = ${group}` });
    for (const { id, group: own } of [...model.values()]) if (own === group) model.delete(id);
  }
  for (let rest = 1 + random.int(3); rest > 0; rest--) {
    if (random.int(4) === 0) {
      const ids = Array.from({ length: 5 }, () => random.int(IDS));
      operations.push({ type: 'deleteByIds', ids: ids.map(String) });
      for (const id of ids) model.delete(id);
      continue;
    }
    const method = random.pick(['replace', 'update'] as const);
    const items = Array.from({ length: 1 + random.int(60) }, () => randomItem(random));
    for (const item of items) model.set(item.id, method === 'update' ? { ...model.get(item.id), ...item } : item);
    const sent = items.map((item) => ({ ...item, ...members }));
    operations.push(await database.add(sent, { method }));
  }
  return operations;
}

const WAYS = [
  { name: 'without `_vectors`', embedders: EMBEDDERS, members: {}, stored: {}, uncached: [] },
  { name: 'by a model whose vectors are not cached', embedders: EMBEDDERS, members: {}, stored: {}, uncached: ['text'] },
  {
    name: 'with entries of another embedder',
    embedders: { ...EMBEDDERS, ...OWN },
    members: { _vectors: { own: null } },
    stored: { own: { embeddings: [], regenerate: false } },
    uncached: [],
  },
];

for (const { name, embedders, members, stored, uncached } of WAYS) {
  t.test(`each document gets the vectors of its own texts, in all kinds of batches, ${name}`, async (t) => {
    const random = seededRandom(5);
    const database = await TestDatabase.open(t, { indexPartBytes: 512, indexThreads: 2 });
    await database.create('a', 'id');
    await database.commit(await database.indexStore.settings.change('a', settings(embedders), database.now()));
    const model = new Map<number, Item>();
    for (let batch = 0; batch < 8; batch++) {
      const operations = await randomBatch(database, random, model, members);
      const { embedder, calls } = embedding(undefined, uncached);
      const { results, draft } = await database.indexStore.documents.apply('a', operations, database.now(), { embedder });
      await database.commit(draft);
      t.ok(
        results.every(({ ok }) => ok),
        `batch ${batch}: ${operations.length} operations`,
      );
      if (random.int(3) === 0) await database.commit(await database.indexStore.merges.compact('a'));
      const found = await database.documents('a', [['retrieveVectors', 'true']]);
      const wanted = found.map(({ id }) => ({ ...expected(model.get(id as number) as Item), ...stored }));
      t.same(
        found.map(({ _vectors }) => _vectors),
        wanted,
      );
      t.equal(found.length, model.size);
      const texts = calls.flat().map((value) => JSON.stringify(value));
      // Other texts may belong to both embedders.
      const objects = texts.filter((text) => text.startsWith('{'));
      t.equal(objects.length, new Set(objects).size, 'each text once');
    }
  });
}

t.test('when an operation fails while documents are built, the others still get their own vectors', async (t) => {
  const database = await TestDatabase.open(t, { indexPartBytes: 512, indexThreads: 2 });
  await database.create('a', 'id');
  await database.commit(await database.indexStore.settings.change('a', settings(EMBEDDERS), database.now()));
  const wide = (id: number) => Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`m${id}_${n}`, 1]));
  const first = Array.from({ length: 40 }, (_, id): Item => ({ id: id * 2, title: `first ${id}`, group: 1 }));
  const bad = Array.from({ length: 70 }, (_, id) => ({ id, title: `bad ${id}`, group: 1, ...wide(id) }));
  const last = Array.from({ length: 40 }, (_, id): Item => ({ id: 100 + id, title: `last ${id}`, group: 1, extra: 'lamp' }));
  const operations = [await database.add(first), await database.add(bad), await database.add(last, { method: 'update' })];
  const { embedder } = embedding((value) => value === 'last 0');
  const { results, draft } = await database.indexStore.documents.apply('a', operations, database.now(), { embedder });
  await database.commit(draft);
  t.same(
    results.map((result) => (result.ok ? result.count : (result.error as { code?: string }).code)),
    [40, 'max_fields_limit_exceeded', 'vector_embedding_error'],
  );
  const found = await database.documents('a', [['retrieveVectors', 'true']]);
  t.same(
    found.map(({ _vectors }) => _vectors),
    first.map(expected),
  );
});
