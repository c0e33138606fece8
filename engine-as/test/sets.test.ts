import t from 'tap';
import { loadPlainEngine } from '../../bindings/test/engine.js';
import { seededRandom } from '../../bindings/test/random.js';

const SEED = Number(process.env.SEED ?? 20261);
const CASES = 1000;
const LANE_BITS = 128;

const engine = loadPlainEngine();
const random = seededRandom(SEED);
t.comment(`seed ${SEED}`);

/** Sizes around the widths of bytes, words and lanes, and dense, sparse and empty sets. */
function randomSet(universe: number): Set<number> {
  const size = random.pick([0, 1, 3, universe >> 4, universe >> 1, universe]);
  const members = new Set<number>();
  for (let i = 0; i < size; i++) members.add(random.int(universe));
  return members;
}

const ascending = (set: Iterable<number>) => [...set].sort((a, b) => a - b);
const bytesOf = (universe: number) => Math.ceil(universe / LANE_BITS) * 16;

function put(members: Iterable<number>, universe: number): number {
  const bitmap = engine.call('allocZeroed', bytesOf(universe));
  for (const member of members) engine.call('bitmapAdd', bitmap, member);
  return bitmap;
}

function members(bitmap: number, bytes: number): number[] {
  const out = engine.alloc(bytes * 8 * 4);
  const count = engine.call('bitmapSlots', bitmap, bytes, out);
  return [...engine.u32(out, count)];
}

function putArray(array: number[]): number {
  return engine.put(new Uint8Array(Uint32Array.from(array).buffer));
}

t.test('bitmaps do what sets do', (t) => {
  for (let i = 0; i < CASES; i++) {
    engine.scoped(() => {
      const universe = 1 + random.int(random.pick([8, 130, 700, 9000]));
      const bytes = bytesOf(universe);
      const [a, b] = [randomSet(universe), randomSet(universe)];
      const check = (name: string, expected: Iterable<number>) => {
        const bitmap = put(a, universe);
        engine.call(name, bitmap, put(b, universe), bytes);
        const found = members(bitmap, bytes);
        if (String(found) !== String(ascending(expected))) t.same(found, ascending(expected), `${name}, case ${i}`);
      };
      const and = [...a].filter((member) => b.has(member));
      check('bitmapAnd', and);
      check('bitmapOr', new Set([...a, ...b]));
      check(
        'bitmapAndNot',
        [...a].filter((member) => !b.has(member)),
      );
      check(
        'bitmapNot',
        [...b].filter((member) => !a.has(member)),
      );
      check('bitmapCopy', b);
      const [left, right] = [put(a, universe), put(b, universe)];
      const from = random.int(universe + 1);
      const end = random.int(universe + 1);
      const limit = random.int(universe + 1);
      const ranged = put(a, universe);
      engine.call('bitmapSetRange', ranged, from, end);
      const rangeMembers = Array.from({ length: Math.max(0, end - from) }, (_, k) => from + k);
      const out = engine.alloc(universe * 4);
      const firsts = engine.call('bitmapFirst', left, bytes, limit, out);
      const kept = putArray([...a]);
      const keptCount = engine.call('bitmapKeep', right, kept, a.size);
      const answers = {
        count: engine.call('bitmapCount', left, bytes),
        shared: engine.call('bitmapAndCount', left, right, bytes),
        empty: engine.call('bitmapIsEmpty', left, bytes),
        intersects: engine.call('bitmapIntersects', left, right, bytes),
        next: engine.call('bitmapNext', left, bytes, from),
        has: engine.call('bitmapHas', left, limit % universe),
        range: members(ranged, bytes),
        first: [...engine.u32(out, firsts)],
        kept: [...engine.u32(kept, keptCount)],
      };
      const expected = {
        count: a.size,
        shared: and.length,
        empty: a.size === 0 ? 1 : 0,
        intersects: and.length > 0 ? 1 : 0,
        next: ascending(a).find((member) => member >= from) ?? -1,
        has: a.has(limit % universe) ? 1 : 0,
        range: ascending(new Set([...a, ...rangeMembers])),
        first: ascending(a).slice(0, limit),
        kept: [...a].filter((member) => b.has(member)),
      };
      if (JSON.stringify(answers) !== JSON.stringify(expected)) t.same(answers, expected, `case ${i}`);
    });
  }
  t.pass(`${CASES} cases`);
  t.end();
});

t.test('sorted arrays do what sets do', (t) => {
  for (let i = 0; i < CASES; i++) {
    engine.scoped(() => {
      const universe = 1 + random.int(random.pick([8, 130, 4000]));
      const [a, b] = [ascending(randomSet(universe)), ascending(randomSet(universe))];
      const [left, right] = [putArray(a), putArray(b)];
      const out = engine.alloc((a.length + b.length) * 4);
      const run = (name: string) => {
        const count = engine.call(name, left, a.length, right, b.length, out);
        return [...engine.u32(out, count)];
      };
      const answers = { and: run('arrayIntersect'), or: run('arrayUnion'), not: run('arrayDifference') };
      const other = new Set(b);
      const expected = {
        and: a.filter((member) => other.has(member)),
        or: ascending(new Set([...a, ...b])),
        not: a.filter((member) => !other.has(member)),
      };
      if (JSON.stringify(answers) !== JSON.stringify(expected)) t.same(answers, expected, `case ${i}`);
    });
  }
  t.pass(`${CASES} cases`);
  t.end();
});

t.test('an intersection may be written over its shorter side', (t) => {
  engine.scoped(() => {
    const [short, long] = [[1, 5, 9, 64, 65], Array.from({ length: 60 }, (_, i) => i * 2 + 1)];
    const left = putArray(short);
    const count = engine.call('arrayIntersect', left, short.length, putArray(long), long.length, left);
    t.same([...engine.u32(left, count)], [1, 5, 9, 65]);
  });
  t.end();
});

t.test('members beyond the largest signed number are compared unsigned', (t) => {
  engine.scoped(() => {
    const [a, b] = [
      [1, 0x80000000, 0xfffffff0],
      [2, 0x80000000, 0x80000001, 0x90000000, 0xfffffff0],
    ];
    const out = engine.alloc(64);
    const count = engine.call('arrayIntersect', putArray(a), a.length, putArray(b), b.length, out);
    t.same([...engine.u32(out, count)], [0x80000000, 0xfffffff0]);
  });
  t.end();
});
