import t from 'tap';
import { caseRandom } from '../../../test/fuzz/seeds.js';
import { simulate } from '../support/simulation/search-threads.js';

/**
 * The ring and the memories of search threads in orders decided by seeds: each request gets its own answer once, or is
 * abandoned; no thread sleeps while there is work; memory that is being read is not reused. `SEEDS`: number of seeds; `SEED`: the first one.
 */
const SEEDS = Number(process.env.SEEDS ?? 500);
const FIRST = Number(process.env.SEED ?? Date.now() % 2 ** 31);
/** Failures that are printed. */
const SHOWN = 5;

t.test('the guarantees of ring and epochs hold in any order of events', async (t) => {
  t.comment(`seeds from ${FIRST}`);
  const wrong: string[] = [];
  const sums = { answered: 0, given: 0, killed: 0, points: 0 };
  for (let number = 0; number < SEEDS; number++) {
    const { faults, ...counts } = simulate(caseRandom(0, FIRST + number));
    if (faults.length > 0) wrong.push(`SEEDS=1 SEED=${FIRST + number}: ${faults[0]}`);
    for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += counts[name];
  }
  t.comment(
    `${SEEDS} seeds, ${sums.answered} answers, ${sums.given} requests given up, ${sums.killed} threads ended, ${sums.points} points`,
  );
  t.same(wrong.slice(0, SHOWN), [], `${wrong.length} of ${SEEDS} seeds fail`);
  t.ok(sums.answered > 0 && sums.given > 0 && sums.killed > 0, 'all of it happens');
});
