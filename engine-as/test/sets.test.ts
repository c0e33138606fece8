import t from 'tap';
import { loadKernels } from '../../bindings/test/engine.js';
import { seededRandom } from '../../bindings/test/random.js';

const SEED = Number(process.env.SEED ?? 20261);
const CASES = 1000;
const LANE_BITS = 128;
/** More than a portion of members takes. */
const PORTION_BYTES = 16_384;

const engine = loadKernels();
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
  const bitmap = engine.exports.allocZeroed(bytesOf(universe));
  for (const member of members) engine.exports.bitmapAdd(bitmap, member);
  return bitmap;
}

function members(bitmap: number, bytes: number): number[] {
  const out = engine.alloc(bytes * 8 * 4);
  const count = engine.exports.bitmapSlots(bitmap, bytes, out);
  return [...engine.u32(out, count)];
}

t.test('intersection and difference into a third bitmap', (t) => {
  for (let i = 0; i < CASES; i++) {
    engine.scoped(() => {
      const universe = 1 + random.int(random.pick([8, 130, 700, 9000]));
      const bytes = bytesOf(universe);
      const [a, b, c] = [randomSet(universe), randomSet(universe), randomSet(universe)];
      const both = [...a].filter((member) => b.has(member));
      const rest = [...a].filter((member) => !b.has(member));
      // the previous content must not matter
      const out = put(c, universe);
      const intersects = engine.exports.bitmapIntersect(out, put(a, universe), put(b, universe), bytes);
      const intersection = members(out, bytes);
      const differs = engine.exports.bitmapDifference(out, put(a, universe), put(b, universe), bytes);
      const difference = members(out, bytes);
      const [from, wanted, to] = [put(a, universe), put(b, universe), put(c, universe)];
      const moved = engine.exports.bitmapMove(from, wanted, to, bytes);
      const [source, other, taken, left] = [put(a, universe), put(b, universe), put(c, universe), put(c, universe)];
      const split = engine.exports.bitmapSplit(source, other, taken, left, bytes);
      const parts = [split, members(taken, bytes), members(left, bytes)];
      // in place, all of it
      const whole = engine.exports.bitmapSplit(source, source, taken, source, bytes);
      const wholeParts = [whole, members(taken, bytes), members(source, bytes)];
      const found = {
        ...{ intersects, intersection, differs, difference, moved, parts, wholeParts },
        ...{ from: members(from, bytes), wanted: members(wanted, bytes), to: members(to, bytes) },
      };
      const expected = {
        ...{ intersects: Number(both.length > 0), intersection: ascending(both), differs: Number(rest.length > 0) },
        ...{ difference: ascending(rest), moved: both.length },
        ...{ parts: [both.length, ascending(both), ascending(rest)], wholeParts: [a.size, ascending(a), []] },
        ...{ from: ascending(rest), wanted: ascending(both), to: ascending(new Set([...c, ...both])) },
      };
      if (JSON.stringify(found) !== JSON.stringify(expected)) t.same(found, expected, `case ${i}`);
    });
  }
  t.pass(`${CASES} cases`);
  t.end();
});

t.test('bitmap operations agree with Set', (t) => {
  for (let i = 0; i < CASES; i++) {
    engine.scoped(() => {
      const universe = 1 + random.int(random.pick([8, 130, 700, 9000]));
      const bytes = bytesOf(universe);
      const [a, b] = [randomSet(universe), randomSet(universe)];
      const check = (
        name: 'bitmapAnd' | 'bitmapKeep' | 'bitmapOr' | 'bitmapAndNot' | 'bitmapCopy' | 'bitmapNot',
        expected: Iterable<number>,
      ) => {
        const bitmap = put(a, universe);
        engine.exports[name](bitmap, put(b, universe), bytes);
        const found = members(bitmap, bytes);
        if (String(found) !== String(ascending(expected))) t.same(found, ascending(expected), `${name}, case ${i}`);
      };
      const and = [...a].filter((member) => b.has(member));
      check('bitmapAnd', and);
      check('bitmapKeep', and);
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
      engine.exports.bitmapSetRange(ranged, from, end);
      const rangeMembers = Array.from({ length: Math.max(0, end - from) }, (_, k) => from + k);
      const out = engine.alloc(universe * 4);
      const firsts = engine.exports.bitmapFirst(left, bytes, limit, out);
      const answers = {
        count: engine.exports.bitmapCount(left, bytes),
        shared: engine.exports.bitmapAndCount(left, right, bytes),
        kept: engine.exports.bitmapKeep(put(a, universe), right, bytes),
        empty: engine.exports.bitmapIsEmpty(left, bytes),
        has: engine.exports.bitmapHas(left, limit % universe),
        range: members(ranged, bytes),
        first: [...engine.u32(out, firsts)],
      };
      const expected = {
        count: a.size,
        shared: and.length,
        kept: and.length,
        empty: a.size === 0 ? 1 : 0,
        has: a.has(limit % universe) ? 1 : 0,
        range: ascending(new Set([...a, ...rangeMembers])),
        first: ascending(a).slice(0, limit),
      };
      if (JSON.stringify(answers) !== JSON.stringify(expected)) t.same(answers, expected, `case ${i}`);
    });
  }
  t.pass(`${CASES} cases`);
  t.end();
});

t.test('the first members of large bitmaps and of parts of them, and nothing after the room for them', (t) => {
  const AFTER = 0xabadcafe;
  const ROOM_AFTER = 8;
  for (let i = 0; i < 100; i++) {
    engine.scoped(() => {
      const universe = 1 + random.int(random.pick([3000, 40_000, 150_000]));
      const bytes = bytesOf(universe);
      const set = ascending(randomSet(universe));
      const bitmap = put(set, universe);
      const from = random.pick([0, random.int(bytes >> 4) << 4]);
      const to = random.pick([bytes, from + (random.int(((bytes - from) >> 4) + 1) << 4)]);
      const inPart = set.filter((member) => member >= from * 8 && member < to * 8);
      const limit = random.pick([0, 1, inPart.length, random.int(inPart.length + 9)]);
      const out = engine.alloc((limit + ROOM_AFTER) * 4);
      engine.u32(out, limit + ROOM_AFTER).fill(AFTER);
      const count = engine.exports.bitmapFirstIn(bitmap, from, to, limit, out);
      const isFound = String([...engine.u32(out, count)]) === String(inPart.slice(0, limit));
      const isIntact = engine.u32(out + limit * 4, ROOM_AFTER).every((value) => value === AFTER);
      if (!isFound || !isIntact)
        t.fail(`case ${i}: ${universe}, bytes ${from} to ${to}, limit ${limit}: ${isFound}, ${isIntact}`);
    });
  }
  t.end();
});

t.test('the members of bitmaps in portions', (t) => {
  for (let i = 0; i < 100; i++) {
    engine.scoped(() => {
      const universe = 1 + random.int(random.pick([300, 40_000, 150_000]));
      const set = ascending(random.pick([randomSet, clusteredSet])(universe));
      const bitmap = put(set, universe);
      const portion = engine.alloc(PORTION_BYTES);
      const reader = engine.exports.memberReader(bitmap, bytesOf(universe), portion);
      const found: number[] = [];
      for (let count = 1; count > 0; ) {
        count = engine.exports.readMembers(reader);
        found.push(...engine.u32(portion, count));
      }
      if (String(found) !== String(set)) t.fail(`case ${i}: ${universe}, ${set.length} members`);
    });
  }
  t.end();
});

/** Full in some ranges, empty between them. */
function clusteredSet(universe: number): Set<number> {
  const set = new Set<number>();
  for (let member = random.int(universe); member < universe; member += random.int(9000)) {
    for (const end = Math.min(universe, member + random.int(6000)); member < end; member++) set.add(member);
  }
  return set;
}
