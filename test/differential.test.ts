import t from 'tap';
import { longRunLimit } from '../bindings/engine/builder-config.js';
import { partitionLimits } from '../bindings/ranking/plan.js';
import { type DifferentialOptions, differential } from './differential/run.js';

/** Searches over every way to spread documents, fewer where the engine checks itself; long/differential.ts has more. */
const CASES = process.env.PEREGRINE_ENGINE ? 25 : 100;
/** Bytes; hardly more than the tables of the cache take. */
const SCARCE_CACHE_BYTES = 72_500;
/** Bytes; enough for a small overflow area, and hardly more. */
const PASSING_CACHE_BYTES = 94_000;
const WAYS: DifferentialOptions[] = [
  { segments: 'one', deletions: 'none' },
  { segments: 'many', deletions: 'none' },
  { segments: 'one', deletions: 'tombstones' },
  { segments: 'many', deletions: 'tombstones' },
  { segments: 'many', deletions: 'merged' },
  { segments: 'one', deletions: 'tombstones', asks: 'phrases' },
  { segments: 'many', deletions: 'none', asks: 'phrases' },
  // The cache is soon full, is cleared, and filled again.
  { segments: 'one', deletions: 'none', cacheBytes: SCARCE_CACHE_BYTES },
  { segments: 'one', deletions: 'tombstones', asks: 'phrases', cacheBytes: SCARCE_CACHE_BYTES },
  { segments: 'one', deletions: 'none', cacheBytes: PASSING_CACHE_BYTES },
  { segments: 'many', deletions: 'none', asks: 'phrases', cacheBytes: PASSING_CACHE_BYTES },
];

/** Large buckets are ranked from sets of documents: with the second limit all buckets are large, and segments have such sets themselves. */
const LARGE_BUCKETS = [partitionLimits.largeBucket, 1];
const POSTINGS_PER_DOCUMENT = partitionLimits.postingsPerDocument;

for (const [way, options] of WAYS.entries()) {
  for (const largeBucket of LARGE_BUCKETS) test(way, options, largeBucket);
}

function test(way: number, options: DifferentialOptions, largeBucket: number): void {
  t.test(`ranks as the oracle does: ${JSON.stringify(options)}, large from ${largeBucket}`, async (t) => {
    partitionLimits.largeBucket = largeBucket;
    longRunLimit.postings = largeBucket;
    partitionLimits.postingsPerDocument = largeBucket === 1 ? 0xffffffff : POSTINGS_PER_DOCUMENT;
    const seed = way * 1000 + largeBucket;
    const { cases, differences } = differential(CASES, seed, options);
    t.comment(`${cases} searches from seed ${seed}`);
    for (const { report } of differences) t.comment(report);
    t.equal(differences.length, 0, 'no answer differs');
  });
}
