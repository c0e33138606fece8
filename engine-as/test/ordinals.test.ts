import t from 'tap';
import { loadKernels } from '../../bindings/test/engine.js';
import { seededRandom } from '../../bindings/test/random.js';

const SEED = Number(process.env.SEED ?? 5150);
const CASES = 400;
const NONE = 0xffffffff;
/** Numbers of values around the limits of 1 and 2 bytes. */
const COUNTS = [1, 2, 254, 255, 256, 300, 65_534, 65_535, 65_536, 70_000];

const engine = loadKernels();
const random = seededRandom(SEED);
t.comment(`seed ${SEED}`);

const bytesOf = (documents: number) => Math.ceil(documents / 128) * 16;

t.test('ordinals of any width are read as they were written, and ranges of them are selected', (t) => {
  const { ordinalShift, ordinalSet, ordinalAt, selectSingle, allocZeroed, bitmapAdd, bitmapHas } = engine.exports;
  for (let i = 0; i < CASES; i++) {
    engine.scoped(() => {
      const count = random.pick(COUNTS);
      const docCount = 1 + random.int(random.pick([3, 64, 130, 700, 9000]));
      const shift = ordinalShift(count);
      // The greatest ordinal is next to that of documents without a value.
      const ordinals = Array.from({ length: docCount }, () => random.pick([NONE, 0, count - 1, random.int(count)]));
      const at = allocZeroed((docCount << shift) + 4);
      for (const [local, ordinal] of ordinals.entries()) ordinalSet(at, shift, local, ordinal);
      const read = ordinals.map((_, local) => ordinalAt(at, shift, local) >>> 0);
      if (String(read) !== String(ordinals)) t.same(read, ordinals, `case ${i}: ${count} values`);
      const [one, other] = [random.int(count + 1), random.pick([0, count, random.int(count + 1)])];
      const [from, end] = [Math.min(one, other), Math.max(one, other)];
      const share = random.pick([0, 1, 5, 50, 100]);
      const isWithin = ordinals.map(() => random.int(100) < share);
      const within = allocZeroed(bytesOf(docCount));
      for (const [local, matters] of isWithin.entries()) if (matters) bitmapAdd(within, local);
      const selected = allocZeroed(bytesOf(docCount));
      selectSingle(at, shift, docCount, from, end, within, selected);
      const matters = (local: number) => isWithin[local] === true;
      const found = ordinals.flatMap((_, local) => (matters(local) && bitmapHas(selected, local) ? [local] : []));
      const expected = ordinals.flatMap((ordinal, local) => (matters(local) && ordinal >= from && ordinal < end ? [local] : []));
      if (String(found) !== String(expected)) t.same(found, expected, `case ${i}: [${from}, ${end}) of ${count}`);
      for (let local = docCount; local < bytesOf(docCount) * 8; local++)
        if (bitmapHas(selected, local)) t.fail(`case ${i}: a bit too far`);
    });
  }
  t.equal(engine.exports.ordinalShift(255), 0);
  t.equal(engine.exports.ordinalShift(256), 1);
  t.equal(engine.exports.ordinalShift(65_535), 1);
  t.equal(engine.exports.ordinalShift(65_536), 2);
  t.end();
});
