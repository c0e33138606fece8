import t from 'tap';
import { longRunLimit } from '../bindings/engine/builder-config.js';
import { LocalIndex } from '../bindings/local-index.js';
import { partitionLimits } from '../bindings/ranking/plan.js';
import { type SeededRandom, seededRandom } from '../bindings/test/random.js';
import { EngineBench, type KeyedDocument } from './differential/engine-index.js';
import { completeSettings } from './oracle/settings.js';

/**
 * Large buckets whose proximity is read in stages, in the order of bounds from the words beside frequent ones that segments store, are ranked as by the
 * positions of all documents.
 */

const DOCUMENTS = 2500;
const NO_LIMIT = 0x7fffffff;
const QUERIES = 120;
/** In most documents, so segments store what follows and precedes them. */
const FREQUENT = ['reddish', 'green', 'blue'];
/** Each in one document of 16 or so: segments do not. Some begin with frequent words, or differ from them by a letter. */
const OTHERS = [
  ...Array.from({ length: 16 }, (_, i) => `w${String.fromCharCode(97 + i)}`),
  'greens',
  'greenery',
  'blues',
  'radish',
  'reddest',
];
/** Queries also have words with a typo, and beginnings of words. */
const TYPED = ['redish', 'greem', 'radissh', 'gre', 'bl', 'r', 'w'];
/** Attributes of different ranks, and of the same rank: then stages are in the order of word position. */
const SEARCHED = [['title', 'text'], ['*']];
const GROUPS = 900;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** @param share one word in this many is not frequent */
const randomWord = (random: SeededRandom, share: number) => random.pick(random.int(share) > 0 ? FREQUENT : OTHERS);
const randomText = (random: SeededRandom, most: number) =>
  Array.from({ length: 1 + random.int(most) }, () => randomWord(random, 10)).join(' ');

function randomDocument(random: SeededRandom, id: number): KeyedDocument {
  const texts = { title: randomText(random, 3), text: randomText(random, 24) };
  return { internalId: id, json: JSON.stringify({ id, group: random.int(GROUPS), ...texts }) };
}

for (const searchableAttributes of SEARCHED) for (const segments of [1, 3]) test(searchableAttributes, segments);

function test(searchableAttributes: string[], segments: number): void {
  t.test(`stages of ${segments} segments rank as positions do, attributes ${searchableAttributes}`, async (t) => {
    const given = { postings: longRunLimit.postings, large: partitionLimits.largeBucket };
    const random = seededRandom(segments);
    const documents = Array.from({ length: DOCUMENTS }, (_, id) => randomDocument(random, id));
    const settings = completeSettings({ searchableAttributes, filterableAttributes: ['group'] });
    const bench = new EngineBench();
    const build = (postings: number) => {
      longRunLimit.postings = postings;
      return new LocalIndex(bench.module, bench.files(settings, documents, { segments, memories: 1 }));
    };
    const ways = [
      { index: build(1), large: given.large },
      { index: build(NO_LIMIT), large: NO_LIMIT },
    ];
    longRunLimit.postings = given.postings;
    for (let i = 0; i < QUERIES; i++) {
      const words = Array.from({ length: 1 + random.int(4) }, () => randomWord(random, 3));
      words.push(random.int(3) > 0 ? randomWord(random, 3) : random.pick(TYPED));
      if (random.int(4) === 0) words[0] = random.pick(TYPED);
      const q = words.join(' ');
      const limit = random.pick([3, 20, DOCUMENTS]);
      const distinct = random.int(4) === 0 ? 'group' : undefined;
      const showRankingScore = random.int(4) === 0;
      const body = encoder.encode(JSON.stringify({ q, limit, distinct, showRankingScore, attributesToRetrieve: ['id'] }));
      const [staged, read] = ways.map(({ index, large }) => {
        partitionLimits.largeBucket = large;
        return JSON.parse(decoder.decode(index.search(body))).hits;
      });
      t.same(staged, read, q);
    }
    partitionLimits.largeBucket = given.large;
  });
}
