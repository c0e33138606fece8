import t, { type Test } from 'tap';
import { seededRandom } from '../../../bindings/test/random.js';
import { Allocator } from '../../index/memory/allocator.js';

t.test('allocated ranges do not overlap, stay in bounds, and merge into one run when freed', async (t) => {
  const seed = 20240701;
  t.comment(`seed ${seed}`);
  const random = seededRandom(seed);
  const start = 4096;
  const limit = 4096 + (1 << 16);
  const allocator = new Allocator(start, limit);
  const held = new Map<number, number>();
  for (let step = 0; step < 20_000; step++) {
    if (held.size && random.int(100) < 48) {
      const at = random.pick([...held.keys()]);
      allocator.release(at);
      held.delete(at);
    } else {
      const bytes = 1 + random.int(3000);
      const at = allocator.reserve(bytes);
      if (at === null) continue;
      if (at % 64 !== 0 || at < start || at + bytes > limit) t.fail(`${at} + ${bytes} is outside`);
      for (const [other, length] of held) {
        if (at < other + length && other < at + bytes) t.fail(`${at} + ${bytes} overlaps ${other} + ${length}`);
      }
      held.set(at, bytes);
    }
    if (step % 500 === 0) checkRuns(t, allocator, held, limit - start);
  }
  for (const at of held.keys()) allocator.release(at);
  t.same(allocator.free, [{ start, end: limit }]);
  t.equal(allocator.used, 0);
});

t.test('first fit uses the lowest free run that is long enough', async (t) => {
  const allocator = new Allocator(0, 1 << 12);
  const [a, b, c] = [256, 64, 256].map((bytes) => allocator.reserve(bytes) as number);
  allocator.release(a as number);
  allocator.release(c as number);
  t.equal(allocator.reserve(300), 320, 'the hole at 0 is too short');
  t.equal(allocator.reserve(100), 0);
  t.equal(b, 256);
});

t.test('freeing a range that is not allocated throws', async (t) => {
  const allocator = new Allocator(0, 1 << 12);
  t.throws(() => allocator.release(0), /nothing is reserved at 0/);
  t.equal(allocator.reserve(1 << 13), null);
});

function checkRuns(t: Test, allocator: Allocator, held: Map<number, number>, total: number): void {
  let free = 0;
  let before = -1;
  for (const run of allocator.free) {
    if (run.start <= before) t.fail(`the run at ${run.start} touches the one that ends at ${before}`);
    before = run.end;
    free += run.end - run.start;
  }
  const used = [...held.values()].reduce((sum, bytes) => sum + Math.ceil(bytes / 64) * 64, 0);
  if (free + used !== total || allocator.used !== used) t.fail(`${free} free and ${used} used are not ${total}`);
}
