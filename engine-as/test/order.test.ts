import t from 'tap';
import { prefixDistance } from '../../bindings/format/facet-search.js';
import { loadPlainEngine } from '../../bindings/test/engine.js';
import { seededRandom } from '../../bindings/test/random.js';

const SEED = Number(process.env.SEED ?? 90210);
const NONE = 0xffffffff;

const engine = loadPlainEngine();
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

t.test('no keys, and only keys of nothing', (t) => {
  t.same(steps(new Uint32Array(0), 5), []);
  t.same(steps(Uint32Array.of(NONE, NONE), 1), [[0, 1]]);
  t.end();
});

/** Full optimal string alignment distance of two words. */
function alignment(a: string[], b: string[]): number {
  const table = Array.from({ length: a.length + 1 }, (_, i) => Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : i)));
  const at = (i: number, j: number) => table[i]?.[j] as number;
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      let cost = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, at(i - 2, j - 2) + 1);
      (table[i] as number[])[j] = cost;
    }
  }
  return at(a.length, b.length);
}

t.test('the distance of a word from the beginnings of a text is the least of all its beginnings', (t) => {
  for (let i = 0; i < 2000; i++) {
    const word = Array.from({ length: random.int(7) }, () => random.pick(['a', 'b', 'c']));
    const text = Array.from({ length: random.int(9) }, () => random.pick(['a', 'b', 'c']));
    const limit = random.int(3);
    const least = Math.min(...Array.from({ length: text.length + 1 }, (_, length) => alignment(word, text.slice(0, length))));
    const found = prefixDistance(word, text, limit);
    if (found <= limit || least <= limit)
      if (found !== least) t.equal(found, least, `${word.join('')} in ${text.join('')}, ${limit}`);
  }
  t.pass('2000 cases');
  t.end();
});
