#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { type DifferentialOptions, differential } from '../differential/run.js';

/**
 * The engine against the oracle on many random searches:
 *   node dist/test/long/differential.js [--cases 10000] [--seed 100000] [--stop-after 5]
 * Exit status: 0 all agree, 1 some answer differs.
 */
const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '100000' },
    'stop-after': { type: 'string', default: '5' },
  },
});

const WAYS = (['one', 'many'] as const).flatMap((segments) =>
  (['none', 'tombstones', 'merged'] as const).map((deletions): DifferentialOptions => ({ segments, deletions })),
);

let compared = 0;
let different = 0;
for (const [way, options] of WAYS.entries()) {
  const seed = Number(values.seed) + way * 100_000;
  const stopAfter = Number(values['stop-after']);
  const result = differential(Math.ceil(Number(values.cases) / WAYS.length), seed, { ...options, stopAfter });
  compared += result.cases;
  different += result.differences.length;
  for (const { report } of result.differences) console.log(`${report}\n`);
  console.log(`${JSON.stringify(options)}: ${result.cases} searches from seed ${seed}, ${result.differences.length} different`);
}
console.log(`${compared} searches, ${different} different`);
process.exitCode = different === 0 ? 0 : 1;
