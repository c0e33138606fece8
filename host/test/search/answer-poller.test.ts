import t from 'tap';
import { AnswerPoller } from '../../search/ring/answer-poller.js';
import { HostRing } from '../../search/ring/host-ring.js';
import { POLLING, QUEUED, Ring, RUNNING, SLEEPING } from '../../search/ring/ring.js';
import { WorkerRing } from '../../search/ring/worker-ring.js';
import { until } from '../support/until.js';

/** Workers of which only the cells in shared memory exist. */
class Cells extends Ring {
  get(worker: number, cell: number): number {
    return Atomics.load(this.control, this.workerCell(worker, cell));
  }

  set(worker: number, cell: number, value: number): void {
    Atomics.store(this.control, this.workerCell(worker, cell), value);
  }
}

/** Two workers: the first polls for requests, the second sleeps. */
class Workers extends Cells {
  begin(): this {
    this.set(0, POLLING, 1);
    this.set(1, SLEEPING, 1);
    return this;
  }

  get secondSleeps(): boolean {
    return this.get(1, SLEEPING) === 1;
  }

  claim(slot: number): void {
    this.move(slot, QUEUED, RUNNING);
  }
}

function oneRequest() {
  const host = HostRing.create({ slots: 2, workers: 2, processors: 2, requestBytes: 64, answerBytes: 64 });
  const workers = new Workers(host.buffers).begin();
  const poller = new AnswerPoller(
    host,
    () => 1,
    () => {},
  );
  host.submit(0, 1, () => 0);
  return { workers, poller };
}

t.test('a sleeping worker is woken when a polling one does not claim the request', async (t) => {
  const { workers, poller } = oneRequest();
  t.ok(workers.secondSleeps, 'at first nobody is woken');
  poller.start();
  await until('the poller gives up', () => !poller.isPolling);
  t.notOk(workers.secondSleeps);
});

t.test('no worker is woken for a request that has been claimed', async (t) => {
  const { workers, poller } = oneRequest();
  workers.claim(0);
  poller.start();
  await until('the poller gives up', () => !poller.isPolling);
  t.ok(workers.secondSleeps);
});

t.test('only the sleeping worker with the lowest number is woken', async (t) => {
  const host = HostRing.create({ slots: 2, workers: 3, processors: 4, requestBytes: 64, answerBytes: 64 });
  const cells = new Cells(host.buffers);
  for (const worker of [1, 2]) cells.set(worker, SLEEPING, 1);
  host.submit(0, 1, () => 0);
  t.same(
    [0, 1, 2].map((worker) => cells.get(worker, SLEEPING)),
    [0, 0, 1],
  );
});

t.test('a worker polls only while a core is idle', async (t) => {
  const polls = (processors: number, load: number, before: number): boolean => {
    const host = HostRing.create({ slots: 8, workers: 4, processors, requestBytes: 64, answerBytes: 64 });
    const cells = new Cells(host.buffers);
    host.submit(0, load, () => 0);
    for (let worker = 0; worker < before; worker++) cells.set(worker, POLLING, 1);
    return new WorkerRing(host.buffers, 3).mayPoll();
  };
  t.ok(polls(2, 1, 0), 'one may poll beside the host');
  t.notOk(polls(2, 1, 1));
  t.notOk(polls(2, 2, 0), 'under load none polls');
  t.ok(polls(8, 4, 2));
  t.notOk(polls(8, 4, 3));
  const host = HostRing.create({ slots: 8, workers: 4, processors: 2, requestBytes: 64, answerBytes: 64 });
  new Cells(host.buffers).set(3, POLLING, 1);
  t.ok(new WorkerRing(host.buffers, 0).mayPoll(), 'those after it do not count');
});
