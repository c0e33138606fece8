import { seededRandom } from '../../bindings/test/random.js';
import type { Corpus } from './saved-index.js';

const SEED = 23;
/** Enough vectors that not all values are read: codes, rows and values are used. */
const DOCUMENTS = 2500;
const DIMENSIONS = 32;
const SEARCHES = 30;
const WORDS = ['red', 'green', 'blue', 'round', 'small', 'wooden'];
const SIZES = 10;

/** Documents with vectors of two embedders, one of them binary, and searches by vectors alone and by words and vectors. */
export function vectorSample(): Corpus {
  const random = seededRandom(SEED);
  const vector = () => Array.from({ length: DIMENSIONS }, () => random.int(2001) / 1000 - 1);
  const embedder = { source: 'userProvided', dimensions: DIMENSIONS };
  return {
    settings: {
      filterableAttributes: ['size'],
      embedders: { whole: embedder, bits: { ...embedder, binaryQuantized: true } },
    },
    documents: Array.from({ length: DOCUMENTS }, (_, id) =>
      JSON.stringify({
        id,
        title: `${random.pick(WORDS)} ${random.pick(WORDS)}`,
        size: random.int(SIZES),
        _vectors: { whole: id % 7 === 0 ? [vector(), vector()] : vector(), bits: vector() },
      }),
    ),
    bodies: Array.from({ length: SEARCHES }, (_, i) =>
      JSON.stringify({
        vector: vector(),
        hybrid: { embedder: i % 3 === 2 ? 'bits' : 'whole', semanticRatio: i % 2 === 0 ? 1 : 0.5 },
        ...(i % 2 === 1 && { q: random.pick(WORDS) }),
        ...(i % 5 === 4 && { filter: `size = ${random.int(SIZES)}` }),
        showRankingScore: true,
        retrieveVectors: i === 0,
      }),
    ),
  };
}
