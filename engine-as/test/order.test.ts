import t from 'tap';
import { loadKernels } from '../../bindings/test/engine.js';
import { seededRandom } from '../../bindings/test/random.js';

const SEED = Number(process.env.SEED ?? 90210);
const NONE = 0xffffffff;

const engine = loadKernels();
const random = seededRandom(SEED);
t.comment(`seed ${SEED}`);

/** Steps of an order as arrays of indices. */
function steps(keys: Uint32Array, want: number): number[][] {
  return engine.scoped(() => {
    const order = engine.exports.keyOrderBegin(engine.put(new Uint8Array(keys.buffer)), keys.length);
    const found: number[][] = [];
    for (;;) {
      const count = engine.exports.keyOrderNext(order, want);
      if (count === 0) return found;
      found.push([...engine.u32(engine.exports.keyOrderIndices(order), count)]);
    }
  });
}

t.test('keys come in order, step by step', (t) => {
  for (let i = 0; i < 300; i++) {
    const size = 1 + random.int(random.pick([3, 50, 5000]));
    const range = random.pick([1, 2, 100, 5000, 0xfffffffe]);
    const base = random.pick([0, 0, 1_000_000]);
    const keys = Uint32Array.from({ length: size }, () =>
      random.int(5) === 0 ? NONE : Math.min(base + random.int(range), NONE - 1),
    );
    const want = 1 + random.int(random.pick([2, 64, 10_000]));
    const found = steps(keys, want);
    const expected = [...keys.keys()].sort((a, b) => (keys[a] as number) - (keys[b] as number) || a - b);
    const flat = found.flat();
    if (String(flat) !== String(expected))
      t.same(flat, expected, `case ${i}: ${size} keys below ${base + range}, ${want} a step`);
    found.slice(1).forEach((step, k) => {
      const last = (found[k] as number[]).at(-1) as number;
      if (keys[last] === keys[step[0] as number]) t.fail(`case ${i}: a key is spread over two steps`);
    });
    if (found.slice(0, -1).some((step) => step.length < want)) t.fail(`case ${i}: a step is too short`);
  }
  t.pass('300 cases');
  t.end();
});

t.test('empty orders, and orders of documents without values', (t) => {
  t.same(steps(new Uint32Array(0), 5), []);
  t.same(steps(Uint32Array.of(NONE, NONE), 1), [[0, 1]]);
  t.end();
});
