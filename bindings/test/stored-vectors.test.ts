import t from 'tap';
import { FILTER_EMBEDDED, FILTER_ORDINAL, FILTER_REGENERATED, FILTER_USER_PROVIDED } from '../engine/exports.js';
import { type DocumentVectors, storedVectors, vectorsOfDocument } from '../engine/vectors.js';
import { seededRandom } from './random.js';
import {
  clusteredDocuments,
  entry,
  FIRST,
  type Form,
  membersOf,
  randomDocuments,
  vectorsFrom,
  WITH_GRAPHS,
} from './random-vectors.js';
import { type VectorDocument, vectorIndex, vectorSegment } from './vector-case.js';
import { documentsByVectors } from './vector-sets.js';

const SEED = Number(process.env.SEED ?? 1717);
const CASES = 60;
t.comment(`seed ${SEED}`);

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
          const stored = vectorsOfDocument(reader, slot).map(({ origin, ...vectors }) => vectors);
          const expected = given(byId.get(reader.internalId(slot)) as VectorDocument);
          // an embedder that was not asked about the document has an empty state there
          const told = stored.filter(({ embedder }) => expected.some((each) => each.embedder === embedder));
          if (JSON.stringify(told) !== JSON.stringify(expected)) t.same(told, expected, `case ${i}, slot ${slot}`);
          for (const { values, userProvided, regenerate } of stored.filter((each) => !told.includes(each))) {
            t.same([values.length, userProvided, regenerate], [0, false, false]);
          }
        }
      }
      const holds = (name: string, bitmap: number, condition: (vectors: DocumentVectors) => boolean) => {
        const expected = documents.filter((document) => {
          const vectors = vectorsFrom(document, FIRST);
          return vectors !== undefined && condition(vectors);
        });
        const members = membersOf(reader, bitmap);
        const ids = expected.map(({ internalId }) => internalId);
        if (String(members) !== String(ids)) t.same(members, ids, `case ${i}: ${name}`);
      };
      holds('embedded', documentsByVectors(reader, FILTER_EMBEDDED, FIRST), ({ values }) => values.length > 0);
      holds('userProvided', documentsByVectors(reader, FILTER_USER_PROVIDED, FIRST), (each) => each.userProvided);
      holds('regenerate', documentsByVectors(reader, FILTER_REGENERATED, FIRST), (each) => each.regenerate);
      holds('ordinal', documentsByVectors(reader, FILTER_ORDINAL, FIRST, 1), ({ values, ordinals, dimensions }) =>
        ordinals ? ordinals.includes(1) : values.length >= 2 * dimensions,
      );
    });
  }
  t.pass(`${CASES} cases`);
  t.end();
});

t.test('the same documents give the same file', (t) => {
  const documents = clusteredDocuments(seededRandom(SEED + 4), 9000, 8, true);
  t.equal(Buffer.compare(vectorSegment(documents, WITH_GRAPHS), vectorSegment(documents, WITH_GRAPHS)), 0);
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

t.test('rebuilt segments have the same vectors', (t) => {
  const form: Form = { dimensions: 20, binaryQuantized: false, most: 2, fragments: true };
  const documents = randomDocuments(seededRandom(SEED + 2), 300, form, { ...form, binaryQuantized: true });
  const read = (of: readonly VectorDocument[]) =>
    vectorIndex(of, { segments: 3, memories: 2 }).read((reader) =>
      reader.segments
        .flatMap((segment) =>
          Array.from({ length: segment.ref.docCount }, (_, local) => ({
            internalId: reader.internalId(segment.base + local),
            vectors: storedVectors(segment, local).map(({ origin, ...vectors }) => vectors),
          })),
        )
        .sort((a, b) => a.internalId - b.internalId),
    );
  const once = read(documents);
  t.same(JSON.stringify(read(once)), JSON.stringify(once));
  t.end();
});
