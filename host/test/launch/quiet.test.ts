import { setTimeout as wait } from 'node:timers/promises';
import t from 'tap';
import { whenQuiet } from '../../runtime/quiet.js';

/** More than the two windows of a second in which the thread must be idle. */
const BUSY_MS = 3500;

t.test('work waits while the thread is busy, is done when it is idle, and not at all when it was canceled', async (t) => {
  const done: string[] = [];
  const giveUp = whenQuiet(() => done.push('given up'));
  whenQuiet(() => done.push('wanted'));
  giveUp();
  const end = performance.now() + BUSY_MS;
  // Timers run in between, as they do beside requests.
  while (performance.now() < end) {
    for (const until = performance.now() + 50; performance.now() < until; );
    await new Promise(setImmediate);
  }
  t.same(done, [], 'the thread was busy');
  // Waiting for quiet does not keep a process running, so a timer does.
  while (done.length === 0) await wait(100);
  t.same(done, ['wanted']);
});
