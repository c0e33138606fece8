import t from 'tap';
import type { IndexReader } from '../engine/segments.js';
import {
  addDocumentsInState,
  addDocumentsWithOrdinal,
  type DocumentVectors,
  nearest,
  storedVectors,
  vectorsOfDocument,
} from '../engine/vectors.js';
import { type SeededRandom, seededRandom } from './random.js';
import {
  allowedBitmap,
  internalIdOf,
  naiveBinarySimilarity,
  naiveSimilarity,
  randomValues,
  type VectorDocument,
  vectorIndex,
} from './vector-case.js';

const SEED = Number(process.env.SEED ?? 1717);
const CASES = 60;
t.comment(`seed ${SEED}`);

const FIRST = 3;
const SECOND = 8;
/** f32 sums of hundreds of components in another order. */
const CLOSE = 2e-6;

function entry(embedder: number, dimensions: number, values: Float32Array, more: Partial<DocumentVectors> = {}): DocumentVectors {
  return { embedder, dimensions, binaryQuantized: false, values, ordinals: null, userProvided: true, regenerate: false, ...more };
}

interface Form {
  dimensions: number;
  binaryQuantized: boolean;
  most: number;
  fragments: boolean;
}

function randomDocuments(random: SeededRandom, count: number, first: Form, second: Form): VectorDocument[] {
  let internalId = 0;
  const dense = random.int(2) === 0;
  return Array.from({ length: count }, () => {
    internalId += 1 + (dense ? 0 : random.int(5));
    const vectors: DocumentVectors[] = [];
    for (const [embedder, { dimensions, binaryQuantized, most, fragments }] of [
      [FIRST, first],
      [SECOND, second],
    ] as const) {
      if (!dense && random.int(6) === 0) continue;
      const several = dense ? most : random.int(most + 1);
      const values = randomValues(random, several * dimensions);
      const ordinals = fragments ? Array.from({ length: several }, (_, i) => 2 * i + random.int(2)) : null;
      const state = { userProvided: random.int(2) === 0, regenerate: random.int(2) === 0 };
      vectors.push(entry(embedder, dimensions, values, { binaryQuantized, ordinals, ...state }));
    }
    return { internalId, vectors };
  });
}

const vectorsFrom = (document: VectorDocument, embedder: number) => document.vectors.find((each) => each.embedder === embedder);

/** Similarity of a document with a query, or null without a vector that counts. */
function similarityOf(document: VectorDocument, embedder: number, query: Float32Array, ordinal?: number): number | null {
  const own = vectorsFrom(document, embedder);
  if (!own) return null;
  const similarity = own.binaryQuantized ? naiveBinarySimilarity : naiveSimilarity;
  let best: number | null = null;
  for (let i = 0; i * own.dimensions < own.values.length; i++) {
    if (ordinal !== undefined && (own.ordinals?.[i] ?? i) !== ordinal) continue;
    const vector = own.values.subarray(i * own.dimensions, (i + 1) * own.dimensions);
    best = Math.max(best ?? 0, similarity(query, vector));
  }
  return best;
}

t.test('the nearest documents are those of a full scan, over any split', (t) => {
  const random = seededRandom(SEED);
  for (let i = 0; i < CASES; i++) {
    const form = (): Form => ({
      dimensions: random.pick([1, 2, 3, 15, 16, 64, 70, 256]),
      binaryQuantized: random.int(3) === 0,
      most: random.pick([1, 1, 3]),
      fragments: random.int(3) === 0,
    });
    const [first, second] = [form(), form()];
    const documents = randomDocuments(random, random.pick([1, 5, 130, 400]), first, second);
    const deleted = new Set(documents.filter(() => random.int(5) === 0).map(({ internalId }) => internalId));
    const segments = random.pick([1, 2, 5]);
    const index = vectorIndex(documents, { segments, memories: random.pick([1, 2]), deleted });
    index.read((reader) => {
      for (const [embedder, { dimensions }] of [
        [FIRST, first],
        [SECOND, second],
      ] as const) {
        const query = randomValues(random, dimensions);
        const modulus = random.pick([1, 1, 2, 17]);
        const ordinal = random.int(3) === 0 ? { ordinal: random.int(3) } : {};
        const k = random.pick([1, 3, 20, 1000]);
        const allows = (internalId: number) => internalId % modulus === 0;
        const { found, complete } = nearest(reader, embedder, query, k, allowedBitmap(reader, allows), ordinal);
        const expected = documents
          .filter(({ internalId }) => allows(internalId) && !deleted.has(internalId))
          .flatMap((document) => {
            const similarity = similarityOf(document, embedder, query, ordinal.ordinal);
            return similarity === null ? [] : [{ id: document.internalId, similarity }];
          })
          .sort((a, b) => b.similarity - a.similarity || a.id - b.id);
        const answered = found.map(({ slot, similarity }) => ({ id: internalIdOf(reader, slot), similarity }));
        const of = new Map(expected.map(({ id, similarity }) => [id, similarity]));
        const wrong =
          !complete ||
          answered.length !== Math.min(k, expected.length) ||
          answered.some(({ id, similarity }, place) => {
            const before = answered[place - 1];
            const ordered = !before || before.similarity > similarity || (before.similarity === similarity && before.id < id);
            const own = of.get(id) ?? Number.NaN;
            const best = expected[place]?.similarity as number;
            return !ordered || !(Math.abs(own - similarity) < CLOSE) || !(Math.abs(best - similarity) < CLOSE);
          });
        if (wrong) t.same(answered, expected.slice(0, k), `case ${i}, embedder ${embedder}`);
      }
    });
  }
  t.pass(`${CASES} cases`);
  t.end();
});

t.test('vectors and states are read as they were given', (t) => {
  const random = seededRandom(SEED + 1);
  for (let i = 0; i < CASES; i++) {
    const first: Form = { dimensions: random.pick([1, 3, 200]), binaryQuantized: false, most: 3, fragments: random.int(2) === 0 };
    const second: Form = { dimensions: random.pick([2, 65]), binaryQuantized: true, most: random.pick([1, 2]), fragments: false };
    const documents = randomDocuments(random, random.pick([1, 5, 200]), first, second);
    const index = vectorIndex(documents, { segments: random.pick([1, 3]), memories: 1 });
    index.read((reader) => {
      const given = (document: VectorDocument) =>
        document.vectors.map((vectors) => ({
          ...vectors,
          values: vectors.binaryQuantized ? vectors.values.map((value) => (value > 0 ? 1 : 0)) : vectors.values,
          ordinals: vectors.ordinals?.every((ordinal, place) => ordinal === place) ? null : vectors.ordinals,
        }));
      const byId = new Map(documents.map((document) => [document.internalId, document]));
      for (const { base, ref } of reader.segments) {
        for (let slot = base; slot < base + ref.docCount; slot++) {
          const stored = vectorsOfDocument(reader, slot);
          const expected = given(byId.get(internalIdOf(reader, slot)) as VectorDocument);
          // an embedder that was not asked about the document has an empty state there
          const told = stored.filter(({ embedder }) => expected.some((each) => each.embedder === embedder));
          if (JSON.stringify(told) !== JSON.stringify(expected)) t.same(told, expected, `case ${i}, slot ${slot}`);
          for (const { values, userProvided, regenerate } of stored.filter((each) => !told.includes(each))) {
            t.same([values.length, userProvided, regenerate], [0, false, false]);
          }
        }
      }
      const holds = (name: string, add: (bitmap: number) => void, condition: (vectors: DocumentVectors) => boolean) => {
        const bitmap = reader.newBitmap();
        add(bitmap);
        const expected = documents.filter((document) => {
          const vectors = vectorsFrom(document, FIRST);
          return vectors !== undefined && condition(vectors);
        });
        const members = membersOf(reader, bitmap);
        const ids = expected.map(({ internalId }) => internalId);
        if (String(members) !== String(ids)) t.same(members, ids, `case ${i}: ${name}`);
      };
      holds(
        'embedded',
        (bitmap) => addDocumentsInState(reader, FIRST, 'embedded', bitmap),
        ({ values }) => values.length > 0,
      );
      holds(
        'userProvided',
        (bitmap) => addDocumentsInState(reader, FIRST, 'userProvided', bitmap),
        (each) => each.userProvided,
      );
      holds(
        'regenerate',
        (bitmap) => addDocumentsInState(reader, FIRST, 'regenerate', bitmap),
        (each) => each.regenerate,
      );
      holds(
        'ordinal',
        (bitmap) => addDocumentsWithOrdinal(reader, FIRST, 1, bitmap),
        ({ values, ordinals, dimensions }) => (ordinals ? ordinals.includes(1) : values.length >= 2 * dimensions),
      );
    });
  }
  t.pass(`${CASES} cases`);
  t.end();
});

function membersOf(reader: IndexReader, bitmap: number): number[] {
  const ids: number[] = [];
  for (const { base, ref } of reader.segments) {
    for (let slot = base; slot < base + ref.docCount; slot++) {
      if (reader.instance.exports.bitmapHas(bitmap, slot)) ids.push(internalIdOf(reader, slot));
    }
  }
  return ids.sort((a, b) => a - b);
}

t.test('similarities of small vectors', (t) => {
  const documents = [
    [2, 3],
    [1, 2],
    [1, 3],
    [0, 0],
  ].map((values, internalId) => ({ internalId, vectors: [entry(FIRST, 2, Float32Array.from(values))] }));
  const index = vectorIndex(documents, { segments: 1, memories: 1 });
  const similarities = (query: number[]) =>
    index.read((reader) => {
      const { found } = nearest(reader, FIRST, Float32Array.from(query), 10, reader.liveBitmap());
      return [...found].sort((a, b) => a.slot - b.slot).map(({ similarity }) => similarity);
    });
  t.same(similarities([1, 1]), [0.990290343761444, 0.974341630935669, 0.9472135901451111, 1].map(Math.fround));
  t.same(similarities([1, 0]), [0.7773500680923462, 0.7236068248748779, 0.6581138968467712, 1].map(Math.fround));
  t.same(similarities([0, 0]), [1, 1, 1, 1], 'zero vectors are near everything');
  t.end();
});

t.test('opposite binary vectors still share the padding', (t) => {
  const form = { binaryQuantized: true };
  const documents = [{ internalId: 0, vectors: [entry(FIRST, 3, Float32Array.from([1, 1, 1]), form)] }];
  vectorIndex(documents, { segments: 1, memories: 1 }).read((reader) => {
    const { found } = nearest(reader, FIRST, Float32Array.from([-1, 0, -1]), 1, reader.liveBitmap());
    t.same(found, [{ slot: 0, similarity: 1 - 3 / 64 }]);
  });
  t.end();
});

t.test('a search whose time is over says that it is not complete', (t) => {
  const documents = randomDocuments(
    seededRandom(5),
    50,
    { dimensions: 4, binaryQuantized: false, most: 1, fragments: false },
    { dimensions: 4, binaryQuantized: true, most: 1, fragments: false },
  );
  vectorIndex(documents, { segments: 2, memories: 1 }).read((reader) => {
    const query = new Float32Array(4).fill(1);
    for (const embedder of [FIRST, SECOND]) {
      const { found, complete } = nearest(reader, embedder, query, 5, reader.liveBitmap(), { expired: () => true });
      t.same([found.length, complete], [0, false]);
    }
  });
  t.end();
});

t.test('a builder refuses vectors of another form', (t) => {
  const twice = (first: DocumentVectors, second: DocumentVectors) => () =>
    vectorIndex(
      [first, second].map((each, internalId) => ({ internalId, vectors: [each] })),
      { segments: 1, memories: 1 },
    );
  const three = entry(FIRST, 3, new Float32Array(3));
  t.throws(twice(three, entry(FIRST, 2, new Float32Array(2))), /another form/);
  t.throws(twice(three, { ...three, binaryQuantized: true }), /another form/);
  t.throws(twice(three, entry(FIRST, 3, new Float32Array(4))), /not vectors/);
  t.end();
});

t.test('segments built anew from what is stored hold the same vectors', (t) => {
  const form: Form = { dimensions: 20, binaryQuantized: false, most: 2, fragments: true };
  const documents = randomDocuments(seededRandom(SEED + 2), 300, form, { ...form, binaryQuantized: true });
  const read = (of: readonly VectorDocument[]) =>
    vectorIndex(of, { segments: 3, memories: 2 }).read((reader) =>
      reader.segments
        .flatMap((segment) =>
          Array.from({ length: segment.ref.docCount }, (_, local) => ({
            internalId: internalIdOf(reader, segment.base + local),
            vectors: storedVectors(segment, local),
          })),
        )
        .sort((a, b) => a.internalId - b.internalId),
    );
  const once = read(documents);
  t.same(JSON.stringify(read(once)), JSON.stringify(once));
  t.end();
});
