import { setTimeout as delay } from 'node:timers/promises';
import { WARM_UP } from '../messages.js';
import type { SearchPool } from '../pool.js';

/** Milliseconds after which a warm-up that made way for other searches looks whether it may go on. */
const PAUSE = 20;

/**
 * Has the search threads answer made-up searches until their code is compiled, at moments when nobody else searches. One request a
 * thread is under way; a slot stays free.
 */
export async function warmUp(pool: SearchPool): Promise<void> {
  let underWay = 0;
  /** Whether a thread had a search left. */
  const step = async (): Promise<boolean> => {
    while (pool.running > underWay && !pool.isClosed) await delay(PAUSE);
    if (pool.isClosed) return false;
    underWay++;
    try {
      const { status, body, release } = await pool.search(WARM_UP, '', {});
      release();
      return status === 200 && body.length > 0;
    } finally {
      underWay--;
    }
  };
  const lane = async () => {
    // a thread that is through may answer while another is not
    for (let refused = 0; refused < pool.threads; ) if (!(await step())) refused++;
  };
  // the first one takes a thread long, which makes its documents: let the others be free
  await step();
  await Promise.all(Array.from({ length: Math.min(pool.threads, pool.slots - 1) }, lane));
}
