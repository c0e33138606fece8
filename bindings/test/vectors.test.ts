import t from 'tap';
import { nearest } from '../engine/nearest-vectors.js';
import type { DocumentVectors } from '../engine/vectors.js';
import { seededRandom } from './random.js';
import {
  CLOSE,
  clusteredDocuments,
  entry,
  FIRST,
  type Form,
  randomDocuments,
  SECOND,
  similarityOf,
  WITH_GRAPHS,
} from './random-vectors.js';
import { allowedBitmap, randomValues, target, type VectorDocument, vectorIndex } from './vector-case.js';

const SEED = Number(process.env.SEED ?? 1717);
const CASES = 60;
t.comment(`seed ${SEED}`);

t.test('the nearest documents agree with a full scan, for any split into segments', (t) => {
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
        const { found, complete } = nearest(reader, target(embedder, query), k, allowedBitmap(reader, allows), ordinal);
        const expected = documents
          .filter(({ internalId }) => allows(internalId) && !deleted.has(internalId))
          .flatMap((document) => {
            const similarity = similarityOf(document, embedder, query, ordinal.ordinal);
            return similarity === null ? [] : [{ id: document.internalId, similarity }];
          })
          .sort((a, b) => b.similarity - a.similarity || a.id - b.id);
        const answered = found.map(({ slot, similarity }) => ({ id: reader.internalId(slot), similarity }));
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

t.test('documents with several vectors are found once, by their nearest one', (t) => {
  const random = seededRandom(SEED + 7);
  const single = clusteredDocuments(random, 20_000, 16, true);
  const documents = Array.from({ length: 10_000 }, (_, internalId) => {
    const values = [2 * internalId, 2 * internalId + 1].flatMap((place) => [...(single[place]?.vectors[0]?.values ?? [])]);
    return { internalId, vectors: [entry(FIRST, 16, Float32Array.from(values))] };
  });
  const indexes = [WITH_GRAPHS, {}].map((form) => vectorIndex(documents, { segments: 1, memories: 1, ...form }));
  for (const [ordinal, index] of [undefined, 1].flatMap((each) => indexes.map((index) => [each, index] as const))) {
    let hits = 0;
    for (let i = 0; i < 10; i++) {
      const query = (random.pick(single).vectors[0] as DocumentVectors).values;
      const similarities = documents.map((document) => similarityOf(document, FIRST, query, ordinal) as number);
      const least = [...similarities].sort((a, b) => b - a)[9] as number;
      const found = index.read(
        (reader) =>
          nearest(reader, target(FIRST, query), 10, reader.liveBitmap(), ordinal === undefined ? {} : { ordinal }).found,
      );
      t.equal(new Set(found.map(({ slot }) => slot)).size, 10);
      hits += found.filter(({ slot }) => (similarities[slot] as number) >= least - CLOSE).length;
    }
    t.ok(hits >= 97, `${hits} of 100`);
  }
  t.end();
});

t.test('equals in several segments are found by ascending internal id, whichever segment is searched first', (t) => {
  const random = seededRandom(SEED + 9);
  const [copies, apart] = [5, 3000];
  const different = clusteredDocuments(random, apart, 32, true).map(({ vectors }) => vectors);
  const documents = Array.from({ length: copies * apart }, (_, internalId) => ({
    internalId,
    vectors: different[internalId % apart] as DocumentVectors[],
  }));
  for (const form of [{}, WITH_GRAPHS]) {
    vectorIndex(documents, { segments: 2, memories: 1, ...form }).read((reader) => {
      for (let place = 0; place < 10; place++) {
        const [{ values: query }] = different[place] as [DocumentVectors];
        const { found } = nearest(reader, target(FIRST, query), copies - 1, reader.liveBitmap());
        const ids = found.map(({ slot }) => reader.internalId(slot));
        t.same(
          ids,
          Array.from({ length: copies - 1 }, (_, copy) => copy * apart + place),
        );
      }
    });
  }
  t.end();
});

t.test('zero vectors are similar to everything in segments of any size', (t) => {
  const documents = clusteredDocuments(seededRandom(SEED + 5), 9000, 32, true);
  for (const id of [17, 4000]) documents[id] = { internalId: id, vectors: [entry(FIRST, 32, new Float32Array(32))] };
  vectorIndex(documents, { segments: 1, memories: 1, ...WITH_GRAPHS }).read((reader) => {
    const query = ((documents[5] as VectorDocument).vectors[0] as DocumentVectors).values;
    const { found } = nearest(reader, target(FIRST, query), 3, reader.liveBitmap());
    t.same(new Set(found.map(({ slot }) => slot)), new Set([5, 17, 4000]));
    t.equal(nearest(reader, target(FIRST, new Float32Array(32)), 7, reader.liveBitmap()).found[6]?.similarity, 1);
  });
  t.end();
});

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
      const { found } = nearest(reader, target(FIRST, Float32Array.from(query)), 10, reader.liveBitmap());
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
    const { found } = nearest(reader, target(FIRST, Float32Array.from([-1, 0, -1])), 1, reader.liveBitmap());
    t.match(found, [{ slot: 0, similarity: 1 - 3 / 64 }]);
  });
  t.end();
});

t.test('a search cut by the deadline is marked as incomplete', (t) => {
  const documents = randomDocuments(
    seededRandom(5),
    50,
    { dimensions: 4, binaryQuantized: false, most: 1, fragments: false },
    { dimensions: 4, binaryQuantized: true, most: 1, fragments: false },
  );
  vectorIndex(documents, { segments: 2, memories: 1 }).read((reader) => {
    const query = new Float32Array(4).fill(1);
    for (const embedder of [FIRST, SECOND]) {
      const { found, complete } = nearest(reader, target(embedder, query), 5, reader.liveBitmap(), {
        deadline: Number.NEGATIVE_INFINITY,
      });
      t.same([found.length, complete], [0, false]);
    }
  });
  t.end();
});
