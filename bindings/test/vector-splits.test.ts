import t from 'tap';
import { nearest } from '../engine/nearest-vectors.js';
import type { LocalIndex } from '../local-index.js';
import { type SeededRandom, seededRandom } from './random.js';
import { CLOSE, clusteredDocuments, FIRST, similarityOf, vectorsFrom, WITH_GRAPHS } from './random-vectors.js';
import { allowedBitmap, openSegments, randomValues, target, type VectorDocument, vectorSegment } from './vector-case.js';

const SEED = Number(process.env.SEED ?? 4117);
t.comment(`seed ${SEED}`);

const DIMENSIONS = 128;
const DOCUMENTS = 4000;
/** So few vectors of 128 dimensions are compared by their values, and no bound is needed. */
const MIN_SEGMENT = 600;
const QUERIES = 30;

/** A search, and how near each document is to its vector. */
interface Case {
  query: Float32Array;
  wanted: number;
  allows: (internalId: number) => boolean;
  similarities: number[];
}

function searchCase(random: SeededRandom, documents: readonly VectorDocument[]): Case {
  const near = vectorsFrom(random.pick(documents), FIRST)?.values as Float32Array;
  const noise = randomValues(random, DIMENSIONS);
  const query = near.map((value, i) => value + 0.4 * (noise[i] as number));
  const share = random.pick([1, 1, 2, 10]);
  return {
    query,
    wanted: 1 + random.int(25),
    allows: (internalId) => internalId % share === 0,
    similarities: documents.map((document) => similarityOf(document, FIRST, query) as number),
  };
}

/** Segments of random sizes, in one to three memories; documents of a cluster are together, or dealt out to all. */
function randomSplit(random: SeededRandom, documents: readonly VectorDocument[], form: object): LocalIndex {
  const count = 2 + random.int(4);
  const spare = documents.length - count * MIN_SEGMENT;
  const cuts = Array.from({ length: count - 1 }, () => random.int(spare + 1)).sort((a, b) => a - b);
  const ends = [...cuts, spare].map((cut, i) => cut + (i + 1) * MIN_SEGMENT);
  const memories = 1 + random.int(3);
  return openSegments(
    ends.map((end, i) => ({ file: vectorSegment(documents.slice(ends[i - 1] ?? 0, end), form), memory: i % memories })),
  );
}

/** Hits that are as near as they should be, and hits that there should be. */
function judge(index: LocalIndex, { query, wanted, allows, similarities }: Case): [hits: number, expected: number] {
  const best = similarities.filter((_, id) => allows(id)).sort((a, b) => b - a);
  const expected = best.slice(0, wanted);
  return index.read((reader) => {
    const { found } = nearest(reader, target(FIRST, query), wanted, allowedBitmap(reader, allows));
    const order = found.every(({ similarity }, i) => i === 0 || similarity <= (found[i - 1]?.similarity as number));
    if (!order || found.length !== expected.length) t.fail(`${found.length} of ${expected.length} documents, in order: ${order}`);
    return [found.filter(({ similarity }) => similarity >= (expected.at(-1) as number) - CLOSE).length, expected.length];
  });
}

for (const [name, form, least] of [
  ['scans', {}, 0.995],
  ['graphs', WITH_GRAPHS, 0.98],
] as const) {
  t.test(`what is found does not depend on how vectors are split into segments, by ${name}`, (t) => {
    const random = seededRandom(SEED);
    for (const mingled of [true, false]) {
      const documents = clusteredDocuments(random, DOCUMENTS, DIMENSIONS, mingled);
      const cases = Array.from({ length: QUERIES }, () => searchCase(random, documents));
      for (let split = 0; split < 3; split++) {
        const index = randomSplit(random, documents, form);
        const judged = cases.map((each) => judge(index, each));
        const [hits, expected] = [0, 1].map((i) => judged.reduce((sum, pair) => sum + (pair[i] as number), 0)) as [
          number,
          number,
        ];
        const worst = Math.min(...judged.map(([own, all]) => own / all));
        t.ok(
          hits / expected >= least,
          `${mingled ? 'mingled' : 'in order'}, split ${split}: ${hits} of ${expected}, worst ${worst}`,
        );
      }
    }
    t.end();
  });
}
