import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import t from 'tap';
import { seededRandom } from '../../../bindings/test/random.js';
import { threadClock } from '../../time/thread-clock.js';
import { startPool } from '../support/search-pool.js';
import { until } from '../support/until.js';

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

t.test('concurrent requests of all lengths get their own answers', async (t) => {
  const seed = 7;
  t.comment(`seed ${seed}`);
  const random = seededRandom(seed);
  const { pool } = await startPool();
  t.teardown(() => pool.close());
  const lengths = [0, 1, 100, 5000, 65_000, 70_000, 1 << 20, (1 << 20) + 1, 3 << 20];
  const requests = Array.from({ length: 400 }, (_, index) => {
    const body = new Uint8Array(random.pick(index % 10 === 0 ? lengths : lengths.slice(0, 4)));
    for (let at = 0; at < body.length; at += 97) body[at] = random.int(256);
    return body;
  });
  const answers = await Promise.all(requests.map((body) => pool.search('echo', 'a', { body })));
  for (const [index, answer] of answers.entries()) {
    if (answer.status !== 200 || Buffer.compare(answer.body, requests[index] as Uint8Array) !== 0) {
      t.fail(`answer ${index} differs`);
    }
  }
  const long = await pool.search('bytes', 'a', { documentId: String(5 << 20) });
  t.equal(long.body.length, 5 << 20);
});

t.test('answers longer than a slot do not mix up the slots of others', async (t) => {
  const { pool } = await startPool();
  t.teardown(() => pool.close());
  for (let round = 0; round < 10; round++) {
    const lengths = Array.from({ length: 40 }, (_, index) => (index % 3 === 0 ? (1 << 20) + index : index));
    const answers = await Promise.all(lengths.map((length) => pool.search('bytes', 'a', { documentId: String(length) })));
    t.same(
      answers.map(({ body }) => body.length),
      lengths,
    );
  }
});

t.test('refusals are answered with the body of their code', async (t) => {
  const { pool, faults } = await startPool();
  t.teardown(() => pool.close());
  const missing = await pool.search('open', 'nowhere', {});
  t.equal(missing.status, 404);
  t.match(JSON.parse(text(missing.body)), { code: 'index_not_found', message: /nowhere/ });
  const failed = await pool.search('fail', 'a', {});
  t.equal(failed.status, 500);
  t.match(JSON.parse(text(failed.body)), { code: 'internal' });
  t.notMatch(text(failed.body), /a mistake/, 'what went wrong inside is for the log only');
  await until('the fault is reported', () => faults.length > 0);
  t.match(faults, [/a mistake/]);
});

/** Milliseconds; so long that a thread that waits for a processor does not count as hanging. */
const GIVE_UP_AFTER = 3000;

for (const [kind, name] of [
  ['trap', 'a worker that traps'],
  ['crash', 'a thread that ends'],
  ['hang', 'a request that never ends'],
] as const) {
  t.test(`${name} is replaced while others are answered`, async (t) => {
    const { pool } = await startPool({ giveUpAfter: kind === 'hang' ? GIVE_UP_AFTER : 60_000 });
    t.teardown(() => pool.close());
    for (let round = 0; round < 2; round++) {
      const bad = pool.search(kind, 'a', {});
      const others = await Promise.all(
        Array.from({ length: 50 }, (_, index) => pool.search('echo', 'a', { body: Buffer.from(`${index}`) })),
      );
      t.ok(others.every((answer, index) => answer.status === 200 && text(answer.body) === `${index}`));
      const answer = await bad;
      t.equal(answer.status, 500);
      t.match(JSON.parse(text(answer.body)), { code: 'internal', type: 'internal' });
    }
    await until('two workers serve again', async () => {
      const order: string[] = [];
      const slow = pool.search('wait', 'a', { documentId: '500' }).then(() => order.push('slow'));
      const quick = pool.search('echo', 'a', { body: Buffer.from('x') }).then(() => order.push('quick'));
      await Promise.all([slow, quick]);
      return order[0] === 'quick';
    });
  });
}

t.test('searches are unaffected by changes of the system clock', async (t) => {
  const { pool, faults } = await startPool();
  t.teardown(() => pool.close());
  const realDate = Date.now;
  const search = pool.search('wait', 'a', { documentId: '1200' });
  Date.now = () => realDate() - 3_600_000;
  t.teardown(() => {
    Date.now = realDate;
  });
  t.equal((await search).status, 200);
  t.same(faults, []);
});

t.test('the shared clock does not depend on the start of a thread', async (t) => {
  const source = `const { parentPort } = require('node:worker_threads');
    Object.defineProperty(performance, 'timeOrigin', { value: 0 });
    import(${JSON.stringify(new URL('../../time/thread-clock.js', import.meta.url).href)})
      .then(({ threadClock }) => parentPort.postMessage(threadClock()));`;
  const before = threadClock();
  const worker = new Worker(source, { eval: true });
  const [there] = (await once(worker, 'message')) as [number];
  t.ok(before <= there && there <= threadClock(), `${there} is between what this thread saw before and after`);
});

t.test('when the waiting list is full a random waiter is refused', async (t) => {
  const { pool } = await startPool({ queue: { parallel: 2, capacity: 3, maxWait: 60_000 } });
  t.teardown(() => pool.close());
  const settled = await Promise.allSettled(Array.from({ length: 20 }, () => pool.search('bytes', 'a', { documentId: '10' })));
  const refused = settled.filter((result) => result.status === 'rejected');
  t.equal(refused.length, 15);
  t.match(refused[0], { reason: { code: 'too_many_search_requests', message: /3/ } });
});

t.test('a feature exempts document fetches from the queue limit', async (t) => {
  const { pool } = await startPool({ queue: { parallel: 2, capacity: 0, maxWait: 60_000 } });
  t.teardown(() => pool.close());
  const busy = Array.from({ length: 2 }, () => pool.search('wait', 'a', { documentId: '200' }));
  const fetch = (disableDocumentsFetchQueue: boolean) =>
    pool.search('documents', 'a', { features: { disableDocumentsFetchQueue } });
  t.throws(() => fetch(false), { code: 'too_many_search_requests' });
  t.equal(text((await fetch(true)).body), 'a');
  await Promise.all(busy);
});

t.test('clients with long searches leave a thread to short ones', async (t) => {
  const { pool } = await startPool();
  t.teardown(() => pool.close());
  let long = 0;
  let isOver = false;
  const askOn = async (connection: object) => {
    for (; !isOver; long++) await pool.search('wait', 'a', { documentId: '60' }, connection);
  };
  const clients = Array.from({ length: 8 }, () => askOn({}));
  await until('what they cost is known', () => long >= 24);
  const connection = {};
  let meanwhile = 0;
  for (let number = 0; number < 20; number++) {
    const before = long;
    await pool.search('echo', 'a', { body: Buffer.from(`${number}`) }, connection);
    meanwhile += long - before;
  }
  isOver = true;
  await Promise.all(clients);
  t.ok(meanwhile < 20 * 3, `${meanwhile} long searches were answered during 20 short ones, of eight that wait at any time`);
});

t.test('searches of one request keep their order, and end with the first that fails', async (t) => {
  const { pool } = await startPool();
  t.teardown(() => pool.close());
  const uids = Array.from({ length: 30 }, (_, place) => `i${place}`);
  const answers = await pool.searchAll('echo', uids, (place) => ({ body: new TextEncoder().encode(String(place)) }));
  t.same(
    answers.map(({ body }) => text(body)),
    uids.map((_, place) => String(place)),
  );
  t.same(await pool.searchAll('echo', [], () => ({})), []);
  let begun = 0;
  const failing = await pool.searchAll('open', uids, () => {
    begun++;
    return {};
  });
  t.equal(failing.find(({ status }) => status !== 200)?.status, 404);
  t.ok(begun <= 3, 'no more than were under way');
});

t.test('searches of one request use further slots only while threads are idle', async (t) => {
  const { pool } = await startPool();
  t.teardown(() => pool.close());
  const order: string[] = [];
  const wait = (milliseconds: number) => ({ documentId: String(milliseconds) });
  const many = pool.searchAll('wait', new Array(20).fill('a'), () => wait(10)).then(() => order.push('many'));
  await until('it has both threads', () => pool.running === 2);
  const few = Array.from({ length: 4 }, () => pool.search('wait', 'a', wait(10)).then(() => order.push('one')));
  await until('the others take turns with it', () => pool.running < 6);
  await Promise.all([many, ...few]);
  t.same(order, ['one', 'one', 'one', 'one', 'many'], 'they did not wait for all of its searches');
});

t.test(
  'where others wait, a request of several searches waits again after each of them, and its time limit does not',
  async (t) => {
    const { pool } = await startPool({ threads: 1, queue: { parallel: 1, capacity: 1000, maxWait: 60_000 } });
    t.teardown(() => pool.close());
    const order: string[] = [];
    const begins: number[] = [];
    const wait = { documentId: '20' };
    const many = pool.searchAll('wait', new Array(4).fill('a'), (place, begun) => {
      order.push(`many ${place}`);
      begins.push(begun);
      return wait;
    });
    const one = async (name: string) => {
      await pool.search('wait', 'a', wait);
      order.push(name);
    };
    await Promise.all([many, one('first').then(() => one('second'))]);
    t.ok(order.indexOf('first') < order.indexOf('many 2'), order.join());
    t.ok(order.indexOf('second') < order.indexOf('many 3'), order.join());
    t.ok((begins[1] as number) - (begins[0] as number) >= 15, 'it waited for the first');
    t.equal(begins[3], begins[2], 'nobody was before its last');
  },
);
