import t from 'tap';
import { SearchQueue } from '../../search/pool/queue.js';

const ONE = { parallel: 1, threads: 1 };

t.test('a free slot goes to a random waiter that has not waited too long', async (t) => {
  const draws = [0.99, 0, 0];
  let now = 0;
  const queue = new SearchQueue(
    { ...ONE, capacity: 5, maxWait: 40 },
    () => draws.shift() ?? 0,
    () => now,
  );
  const slot = queue.acquire() as number;
  t.equal(slot, 0);
  const order: string[] = [];
  const wait = async (name: string) => {
    try {
      await queue.acquire();
      order.push(name);
    } catch (error) {
      order.push(`${name} ${(error as { code: string }).code}`);
    }
  };
  const waiters = [wait('first'), wait('second')];
  queue.release(slot);
  await waiters[1];
  t.same(order, ['second']);
  now = 60;
  queue.release(slot);
  await Promise.all(waiters);
  t.same(order, ['second', 'first too_many_search_requests']);
  t.equal(queue.acquire(), 0, 'the place is free again');
});

t.test('without a waiting list a request is refused when no slot is free', async (t) => {
  const queue = new SearchQueue({ ...ONE, capacity: 0, maxWait: 1000 });
  queue.acquire();
  t.throws(() => queue.acquire(), { code: 'too_many_search_requests' });
});

t.test('requests marked as exempt are never refused', async (t) => {
  let now = 0;
  const queue = new SearchQueue(
    { ...ONE, capacity: 1, maxWait: 20 },
    () => 0,
    () => now,
  );
  const slot = queue.acquire() as number;
  const exempt = [queue.acquire(0, true), queue.acquire(0, true)] as Promise<number>[];
  const waiter = queue.acquire() as Promise<number>;
  const newcomer = queue.acquire() as Promise<number>;
  await t.rejects(waiter, { code: 'too_many_search_requests' });
  now = 40;
  for (const each of exempt) {
    queue.release(slot);
    t.equal(await each, slot);
  }
  const late = t.rejects(newcomer, { code: 'too_many_search_requests' });
  queue.release(slot);
  await late;
  t.equal(queue.waiting, 0);
});

t.test('spare slots are only given while nobody waits', async (t) => {
  const queue = new SearchQueue({ ...ONE, parallel: 2, capacity: 5, maxWait: 1000 });
  const first = queue.acquire() as number;
  const spare = queue.acquireSpare();
  t.same([first, spare], [0, 1]);
  t.equal(queue.acquireSpare(), null, 'none is free');
  const waiting = queue.acquire();
  queue.release(1);
  t.equal(await waiting, 1);
  t.equal(queue.acquireSpare(), null);
  queue.release(0);
  t.equal(queue.acquireSpare(), 0, 'the place 0 is one too');
});
