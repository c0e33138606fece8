import t from 'tap';
import { type DifferentialOptions, differential } from './differential/run.js';

/** Searches over every way to spread documents; long/differential.ts has more. */
const CASES = 100;
const WAYS: DifferentialOptions[] = [
  { segments: 'one', deletions: 'none' },
  { segments: 'many', deletions: 'none' },
  { segments: 'one', deletions: 'tombstones' },
  { segments: 'many', deletions: 'tombstones' },
  { segments: 'many', deletions: 'merged' },
];

for (const [way, options] of WAYS.entries()) {
  t.test(`ranks as the oracle does: ${JSON.stringify(options)}`, async (t) => {
    const seed = way * 1000;
    const { cases, differences } = differential(CASES, seed, options);
    t.comment(`${cases} searches from seed ${seed}`);
    for (const { report } of differences) t.comment(report);
    t.equal(differences.length, 0, 'no answer differs');
  });
}
