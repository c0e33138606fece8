import t from 'tap';
import { caseRandom } from '../../../test/fuzz/seeds.js';
import { type Outcome, simulateScheduler } from '../support/simulation/scheduler.js';

/**
 * The scheduler in orders decided by seeds, with failing writes and jobs, cancelations at any point and kills: each acknowledged task
 * ends once; indexes are the result of their tasks, one after another; no index is in two batches; nothing is left behind.
 * `SEEDS`: number of seeds; `SEED`: the first one.
 */
const SEEDS = Number(process.env.SEEDS ?? 150);
const FIRST = Number(process.env.SEED ?? Date.now() % 2 ** 31);
/** Failures that are printed. */
const SHOWN = 5;

t.test('the guarantees of the scheduler hold in any order of events', async (t) => {
  t.comment(`seeds from ${FIRST}`);
  const wrong: string[] = [];
  const sums: Outcome['counts'] = { tasks: 0, kills: 0, steps: 0, succeeded: 0, failed: 0, canceled: 0, deleted: 0 };
  for (let number = 0; number < SEEDS; number++) {
    const { faults, counts } = await simulateScheduler(caseRandom(0, FIRST + number));
    if (faults.length > 0) wrong.push(`SEEDS=1 SEED=${FIRST + number}: ${faults[0]}`);
    for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += counts[name];
  }
  t.comment(
    `${SEEDS} seeds: ${Object.entries(sums)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ')}`,
  );
  t.same(wrong.slice(0, SHOWN), [], `${wrong.length} of ${SEEDS} seeds fail`);
  t.ok(SEEDS < 100 || Object.values(sums).every((count) => count > 0), 'all of it happens');
});
