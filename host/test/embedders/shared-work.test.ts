import t from 'tap';
import { seededRandom } from '../../../bindings/test/random.js';
import { Limiter } from '../../embedders/limiter.js';
import { SharedWork } from '../../embedders/shared-work.js';

const never = new AbortController().signal;
const turns = async (count = 20) => {
  for (let turn = 0; turn < count; turn++) await Promise.resolve();
};

t.test('indexes that embed at the same time share requests and memory, and all make progress', async (t) => {
  const random = seededRandom(5);
  const shared = new SharedWork(7, 1000);
  const running = new Set<number>();
  const done: number[] = Array.from({ length: 5 }, () => 0);
  let bytes = 0;
  let most = 0;
  const work = async (index: number) => {
    for (let batch = 0; batch < 200; batch++) {
      const size = random.pick([1, 100, 400, 5000]);
      const leave = await shared.enter(size, never);
      const id = index * 1000 + batch;
      running.add(id);
      bytes += size;
      most = Math.max(most, running.size);
      if (running.size > 7 || (bytes > 1000 && running.size > 1)) t.fail(`${running.size} requests of ${bytes} bytes`);
      const end = async () => {
        await turns(random.int(8));
        running.delete(id);
        bytes -= size;
        leave();
      };
      done[index]! += 1;
      const spread = Math.max(...done) - Math.min(...done);
      if (spread > 10 && batch < 150) t.fail(`an index is ${spread} batches behind`);
      void end();
    }
  };
  await Promise.all(done.map((_, index) => work(index)));
  t.equal(most, 7, 'as many as are allowed');
});

t.test('an aborted wait does not block others', async (t) => {
  const shared = new SharedWork(2, 1000);
  const first = await shared.enter(600, never);
  const gone = new AbortController();
  const large = shared.enter(900, gone.signal);
  let small = false;
  const behind = shared.enter(100, never).then((leave) => {
    small = true;
    return leave;
  });
  await turns();
  t.notOk(small, 'it came later');
  gone.abort(new Error('ended'));
  await t.rejects(large, { message: 'ended' });
  (await behind)();
  first();
  await t.rejects(shared.enter(1, gone.signal), { message: 'ended' });
  const alone = await shared.enter(1 << 30, never);
  alone();
});

t.test('requests for searches go before those for documents', async (t) => {
  const limiter = new Limiter();
  const ends: (() => void)[] = [];
  const order: string[] = [];
  const request = (name: string, isUrgent: boolean, signal = never) =>
    limiter.run(
      () =>
        new Promise<void>((resolve) => {
          order.push(name);
          ends.push(resolve);
        }),
      signal,
      isUrgent,
    );
  const all: Promise<void>[] = [];
  for (let n = 0; n < 45; n++) all.push(request(`document ${n}`, false));
  await turns();
  const gone = new AbortController();
  const left = request('left', true, gone.signal);
  all.push(request('search', true));
  await turns();
  t.equal(order.length, 40);
  gone.abort(new Error('left'));
  await t.rejects(left, { message: 'left' });
  ends.shift()?.();
  await turns(50);
  t.equal(order.at(-1), 'search');
  while (ends.length > 0) {
    ends.shift()?.();
    await turns(50);
  }
  await Promise.all(all);
  t.equal(order.length, 46);
});
