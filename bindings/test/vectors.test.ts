import t from 'tap';
import { hasMember } from '../engine/bitmaps.js';
import { GraphHeader, NONE } from '../engine/exports.js';
import type { IndexReader } from '../engine/segments.js';
import {
  addDocumentsInState,
  addDocumentsWithOrdinal,
  type DocumentVectors,
  largestGraphs,
  nearest,
  storedVectors,
  vectorsOfDocument,
} from '../engine/vectors.js';
import type { LocalIndex } from '../local-index.js';
import { type SeededRandom, seededRandom } from './random.js';
import {
  allowedBitmap,
  naiveBinarySimilarity,
  naiveSimilarity,
  openSegments,
  randomValues,
  type VectorDocument,
  vectorIndex,
  vectorSegment,
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
      if (hasMember(reader.instance, bitmap, slot)) ids.push(reader.internalId(slot));
    }
  }
  return ids.sort((a, b) => a - b);
}

/** Vectors around a few centres, in the order of their centres or mingled: what embeddings of texts are like. */
function clusteredDocuments(random: SeededRandom, count: number, dimensions: number, mingled: boolean): VectorDocument[] {
  const centres = Array.from({ length: 40 }, () => randomValues(random, dimensions));
  return Array.from({ length: count }, (_, internalId) => {
    const centre = centres[mingled ? random.int(40) : Math.floor((internalId * 40) / count)] as Float32Array;
    const noise = randomValues(random, dimensions);
    return {
      internalId,
      vectors: [
        entry(
          FIRST,
          dimensions,
          centre.map((value, i) => value + 0.7 * (noise[i] as number)),
        ),
      ],
    };
  });
}

/** A query, and how near each document is to it. */
interface Judged {
  query: Float32Array;
  similarities: number[];
}

/** Queries near documents, as those of users are. */
function judgedQueries(random: SeededRandom, documents: readonly VectorDocument[]): Judged[] {
  return Array.from({ length: 20 }, () => {
    const { values, dimensions } = random.pick(documents).vectors[0] as DocumentVectors;
    const noise = randomValues(random, dimensions);
    const query = values.map((value, i) => value + 0.3 * (noise[i] as number));
    return { query, similarities: documents.map((document) => similarityOf(document, FIRST, query) ?? 0) };
  });
}

/** Share of the 10 nearest documents that a search finds, over some queries. */
function recallOf(index: LocalIndex, judged: Judged[], allows: (id: number) => boolean): number {
  return index.read((reader) => {
    const allowed = allowedBitmap(reader, allows);
    let hits = 0;
    let wanted = 0;
    for (const { query, similarities } of judged) {
      const expected = similarities
        .filter((_, id) => allows(id))
        .sort((a, b) => b - a)
        .slice(0, 10);
      const { found } = nearest(reader, FIRST, query, 10, allowed);
      if (found.length !== expected.length) t.equal(found.length, expected.length);
      wanted += expected.length;
      hits += found.filter(({ similarity }) => similarity >= (expected.at(-1) as number) - CLOSE).length;
    }
    return hits / wanted;
  });
}

/** What tests of graphs build. */
const WITH_GRAPHS = { scanBytes: 0, withoutCodes: true };

/** Which documents a filter lets through: any, rather those near the query, or rather those far from it. */
const LEANINGS = { random: 0, 'towards the query': 1, 'away from the query': -1 } as const;

t.test('filters of any width keep the recall, also those that lean towards the query or away from it', (t) => {
  const random = seededRandom(SEED + 9);
  const documents = clusteredDocuments(random, 14_000, 24, true);
  const judged = judgedQueries(random, documents);
  for (const [by, form] of [
    ['graphs', WITH_GRAPHS],
    ['scans', {}],
  ] as const) {
    const index = vectorIndex(documents, { segments: 1, memories: 1, ...form });
    for (const [name, leaning] of Object.entries(LEANINGS)) {
      for (const share of [0.5, 0.1, 0.01, 0.001]) {
        const recalls = judged.map((query) => {
          const ranks = query.similarities.map((similarity, id) => ({
            id,
            rank: leaning * similarity + (leaning === 0 ? 1 : 0.02) * (random.int(1000) / 1000),
          }));
          ranks.sort((a, b) => b.rank - a.rank);
          const allowed = new Set(ranks.slice(0, Math.ceil(share * ranks.length)).map(({ id }) => id));
          return recallOf(index, [query], (id) => allowed.has(id));
        });
        const recall = recalls.reduce((sum, each) => sum + each, 0) / recalls.length;
        t.ok(recall >= 0.97, `by ${by}, ${100 * share} % ${name}: ${recall}`);
      }
    }
  }
  t.end();
});

t.test('recall with and without filters, over any split, by graphs and by scans', (t) => {
  const random = seededRandom(SEED + 3);
  const count = 18_000;
  for (const mingled of [true, false]) {
    const documents = clusteredDocuments(random, count, 24, mingled);
    const deleted = new Set(documents.filter(() => random.int(10) === 0).map(({ internalId }) => internalId));
    const judged = judgedQueries(random, documents);
    const filters: Record<string, (id: number) => boolean> = {
      none: () => true,
      half: (id) => id % 2 === 0,
      tenth: (id) => id % 10 === 3,
      hundredth: (id) => id % 100 === 3,
      thousandth: (id) => id % 1000 === 3,
      first: (id) => id < count / 2,
      last: (id) => id >= (9 * count) / 10,
    };
    for (const [segments, form] of [
      [1, WITH_GRAPHS],
      [2, WITH_GRAPHS],
      [2, {}],
    ] as const) {
      const index = vectorIndex(documents, { segments, memories: segments, deleted, ...form });
      for (const [name, filter] of Object.entries(filters)) {
        const recall = recallOf(index, judged, (id) => !deleted.has(id) && filter(id));
        const by = form === WITH_GRAPHS ? 'graphs' : 'scans';
        t.ok(recall >= 0.97, `${segments} segments by ${by}, ${mingled ? 'mingled' : 'in order'}, filter ${name}: ${recall}`);
      }
    }
  }
  t.end();
});

/** One segment of what is left of others, as merges make it. */
function mergedSegment(files: readonly Uint8Array[], deleted: ReadonlySet<number>): Uint8Array {
  return openSegments(files.map((file) => ({ file }))).read((reader) => {
    const stored = reader.segments
      .flatMap((segment) =>
        Array.from({ length: segment.ref.docCount }, (_, local) => ({
          internalId: reader.internalId(segment.base + local),
          vectors: storedVectors(segment, local),
        })),
      )
      .filter(({ internalId }) => !deleted.has(internalId))
      .sort((a, b) => a.internalId - b.internalId);
    return vectorSegment(stored, { ...WITH_GRAPHS, graphs: largestGraphs(reader.segments) });
  });
}

/** How many vectors no other one has a link to on the lowest level of its graph; FORMAT.md has the bytes. */
function unlinked(index: LocalIndex): number {
  return index.read((reader) =>
    reader.segments.reduce((sum, { instance, view }) => {
      const graph = instance.exports.graphOf(instance.exports.vectorsOf(view, FIRST));
      const [count, , , neighbours] = instance.u32(graph + GraphHeader.bytes, 4) as unknown as [number, number, number, number];
      const linked = new Set(instance.u32(graph + neighbours, 32 * count));
      linked.delete(NONE);
      return sum + count - linked.size;
    }, 0),
  );
}

t.test('all members of large groups of vectors that are equally far from one another are found, over any split', (t) => {
  const random = seededRandom(SEED + 8);
  const [count, centres, dimensions] = [8000, 32, 192];
  // sums of six uniform numbers are nearly normal
  const noisy = () => Array.from({ length: 6 }, () => random.int(2001) / 1000 - 1).reduce((sum, value) => sum + value, 0);
  const middles = Array.from({ length: centres }, () => Float32Array.from({ length: dimensions }, noisy));
  const around = () => random.pick(middles).map((value) => value + 0.9 * noisy());
  const documents = Array.from({ length: count }, (_, internalId) => ({
    internalId,
    vectors: [entry(FIRST, dimensions, around())],
  }));
  const judged = Array.from({ length: 40 }, () => {
    const query = around();
    return { query, similarities: documents.map((document) => similarityOf(document, FIRST, query) ?? 0) };
  });
  for (const segments of [1, 3]) {
    const index = vectorIndex(documents, { segments, memories: 1, ...WITH_GRAPHS });
    const recall = recallOf(index, judged, () => true);
    t.ok(recall >= 0.98, `${segments} segments: ${recall}`);
    t.equal(unlinked(index), 0, `${segments} segments: every vector has links to it`);
  }
  const parts = [(id: number) => id % 3 !== 0, (id: number) => id % 3 === 0].map((isIn) =>
    vectorSegment(
      documents.filter(({ internalId }) => isIn(internalId)),
      WITH_GRAPHS,
    ),
  );
  for (const gone of [0, 4]) {
    const deleted = new Set(documents.flatMap(({ internalId }) => (gone > 0 && random.int(gone) === 0 ? [internalId] : [])));
    const index = openSegments([{ file: mergedSegment(parts, deleted) }]);
    const recall = recallOf(index, judged, (id) => !deleted.has(id));
    t.ok(recall >= 0.98, `merged, ${deleted.size} deleted: ${recall}`);
    t.equal(unlinked(index), 0, 'every vector has links to it');
  }
  t.end();
});

t.test('a segment made of others starts from the largest graph among them, and keeps its recall', (t) => {
  const random = seededRandom(SEED + 6);
  const count = 15_000;
  const documents = clusteredDocuments(random, count, 24, true);
  // internal ids of the large segment and the small ones mingle
  const parts = [(id: number) => id % 3 !== 0, (id: number) => id % 6 === 3, (id: number) => id % 6 === 0].map((isIn) =>
    vectorSegment(
      documents.filter(({ internalId }) => isIn(internalId)),
      WITH_GRAPHS,
    ),
  );
  const judged = judgedQueries(random, documents);
  for (const [name, gone] of Object.entries({ none: 0, 'a third': 3, 'almost half': 2.2, most: 1.2 })) {
    const deleted = new Set(
      documents.filter(() => gone > 0 && random.int(1000) < 1000 / gone).map(({ internalId }) => internalId),
    );
    const merged = mergedSegment(parts, deleted);
    const recall = recallOf(openSegments([{ file: merged }]), judged, (id) => !deleted.has(id));
    t.ok(recall >= 0.97, `${name} of the documents deleted: ${recall}`);
  }
  t.end();
});

t.test('documents with several vectors are found once, by the nearest that counts', (t) => {
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
        (reader) => nearest(reader, FIRST, query, 10, reader.liveBitmap(), ordinal === undefined ? {} : { ordinal }).found,
      );
      t.equal(new Set(found.map(({ slot }) => slot)).size, 10);
      hits += found.filter(({ slot }) => (similarities[slot] as number) >= least - CLOSE).length;
    }
    t.ok(hits >= 97, `${hits} of 100`);
  }
  t.end();
});

t.test('the same documents give the same file', (t) => {
  const documents = clusteredDocuments(seededRandom(SEED + 4), 9000, 8, true);
  t.equal(Buffer.compare(vectorSegment(documents, WITH_GRAPHS), vectorSegment(documents, WITH_GRAPHS)), 0);
  t.end();
});

t.test('vectors without a direction are near everything in segments of any size', (t) => {
  const documents = clusteredDocuments(seededRandom(SEED + 5), 9000, 32, true);
  for (const id of [17, 4000]) documents[id] = { internalId: id, vectors: [entry(FIRST, 32, new Float32Array(32))] };
  vectorIndex(documents, { segments: 1, memories: 1, ...WITH_GRAPHS }).read((reader) => {
    const query = ((documents[5] as VectorDocument).vectors[0] as DocumentVectors).values;
    const { found } = nearest(reader, FIRST, query, 3, reader.liveBitmap());
    t.same(new Set(found.map(({ slot }) => slot)), new Set([5, 17, 4000]));
    t.equal(nearest(reader, FIRST, new Float32Array(32), 7, reader.liveBitmap()).found[6]?.similarity, 1);
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
