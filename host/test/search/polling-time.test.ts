import t from 'tap';
import { PollingTime } from '../../search/ring/polling-time.js';

/** Milliseconds after requests that took so long. */
function after(...requests: number[]): number {
  const polling = new PollingTime();
  for (const took of requests) polling.learn(took);
  return polling.milliseconds;
}

t.test('a worker polls for longer after longer requests', async (t) => {
  const least = after();
  t.ok(least > 0);
  t.equal(after(0.05, 0.05), least, 'short ones');
  t.equal(after(0.15, 0.14), 0.28, 'twice the time of the shorter one');
  t.equal(after(0.14, 0.15), 0.28);
  t.equal(after(90, 90), after(1, 1), 'there is a limit');
  t.equal(after(0.15, 0.15, 0.05), least, 'until they are short again');
});

t.test('a single long request changes nothing', async (t) => {
  t.equal(after(5), after());
  t.equal(after(0.05, 5), after());
  t.equal(after(0.05, 5, 0.05), after());
});
