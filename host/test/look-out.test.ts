import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { HostRing } from '../search/host-ring.js';
import { LookOut } from '../search/look-out.js';
import { LOOKING, QUEUED, Ring, RUNNING, SLEEPING } from '../search/ring.js';

/** Two workers that are nothing but their cells: the first looks for requests, the second sleeps. */
class Workers extends Ring {
  begin(): this {
    Atomics.store(this.control, this.workerCell(0, LOOKING), 1);
    Atomics.store(this.control, this.workerCell(1, SLEEPING), 1);
    return this;
  }

  get secondSleeps(): boolean {
    return Atomics.load(this.control, this.workerCell(1, SLEEPING)) === 1;
  }

  claim(slot: number): void {
    this.move(slot, QUEUED, RUNNING);
  }
}

function oneRequest() {
  const host = HostRing.create({ slots: 2, workers: 2, processors: 2, requestBytes: 64, answerBytes: 64 });
  const workers = new Workers(host.buffers).begin();
  const lookOut = new LookOut(
    host,
    () => 1,
    () => {},
  );
  host.submit(0, 1, () => 0);
  return { workers, lookOut };
}

t.test('a worker that sleeps is woken in place of one that looks but claims nothing', async (t) => {
  const { workers, lookOut } = oneRequest();
  t.ok(workers.secondSleeps, 'at first nobody is woken');
  lookOut.start();
  await delay(50);
  t.notOk(lookOut.isLooking);
  t.notOk(workers.secondSleeps);
});

t.test('nobody is woken for a request that was claimed', async (t) => {
  const { workers, lookOut } = oneRequest();
  workers.claim(0);
  lookOut.start();
  await delay(50);
  t.notOk(lookOut.isLooking);
  t.ok(workers.secondSleeps);
});
