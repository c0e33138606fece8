import t from 'tap';
import { AnswerPoller } from '../../search/ring/answer-poller.js';
import { HostRing } from '../../search/ring/host-ring.js';
import { SLEEPING } from '../../search/ring/workers.js';
import { until } from '../support/until.js';

// Of the workers only the cells in shared memory exist.

function cell({ workers }: HostRing, worker: number, cell: number): number {
  return Atomics.load(workers.control, workers.cell(worker, cell));
}

function setCell({ workers }: HostRing, worker: number, cell: number): void {
  Atomics.store(workers.control, workers.cell(worker, cell), 1);
}

/** Two workers, of which the first is awake and the second sleeps; and a request. */
function oneRequest() {
  const host = HostRing.create({ slots: 2, workers: 2, requestBytes: 64, answerBytes: 64 });
  setCell(host, 1, SLEEPING);
  const poller = new AnswerPoller(
    host,
    2,
    () => 1,
    () => {},
  );
  host.submit(0, 1, () => 0);
  return { host, poller, secondSleeps: () => cell(host, 1, SLEEPING) === 1 };
}

t.test('a sleeping worker is woken when one that is awake does not claim the request', async (t) => {
  const { poller, secondSleeps } = oneRequest();
  t.ok(secondSleeps(), 'at first nobody is woken');
  poller.start();
  await until('the poller gives up', () => !poller.isPolling);
  t.notOk(secondSleeps());
});

t.test('no worker is woken for a request that has been claimed', async (t) => {
  const { host, poller, secondSleeps } = oneRequest();
  host.slots.claim(0, () => 1);
  poller.start();
  await until('the poller gives up', () => !poller.isPolling);
  t.ok(secondSleeps());
});

t.test('the sleeping worker with the lowest number is woken when more requests run than workers are awake', async (t) => {
  const host = HostRing.create({ slots: 2, workers: 3, requestBytes: 64, answerBytes: 64 });
  for (const worker of [1, 2]) setCell(host, worker, SLEEPING);
  const asleep = () => [0, 1, 2].filter((worker) => cell(host, worker, SLEEPING) === 1);
  host.submit(0, 1, () => 0);
  t.same(asleep(), [1, 2], 'the first one takes it');
  host.submit(1, 2, () => 0);
  t.same(asleep(), [2]);
});
