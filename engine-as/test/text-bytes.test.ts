import t from 'tap';
import { loadKernels } from '../../bindings/test/engine.js';
import { seededRandom } from '../../bindings/test/random.js';

const SEED = Number(process.env.SEED ?? 20262);
const SPARE_BYTES = 8;

const engine = loadKernels();
const random = seededRandom(SEED);

/** Writes a text at any alignment, with other bytes after it. Returns its address. */
function put(text: Uint8Array): number {
  const at = engine.alloc(text.length + 2 * SPARE_BYTES) + random.int(SPARE_BYTES);
  engine.bytes.set(text, at);
  for (let i = 0; i < SPARE_BYTES; i++) engine.bytes[at + text.length + i] = random.int(256);
  return at;
}

t.test('comparing, hashing and copying short texts agrees with doing it byte by byte', async (t) => {
  const { hashText, sameText, commonBytes, copyText } = engine.exports;
  for (let round = 0; round < 5000; round++) {
    engine.scoped(() => {
      const text = Uint8Array.from({ length: random.int(30) }, () => random.int(random.pick([2, 256])));
      const other = text.slice(0, random.int(4) ? text.length : random.int(text.length + 1));
      if (other.length && random.int(2)) other[random.int(other.length)] = random.int(256);
      const [a, b] = [put(text), put(other)];
      const most = Math.min(text.length, other.length);
      let common = 0;
      while (common < most && text[common] === other[common]) common++;
      const where = `seed ${SEED} round ${round}`;
      if (commonBytes(a, b, most) !== common) t.fail(`common bytes, ${where}`);
      if (sameText(a, b, most) !== (common === most)) t.fail(`same text, ${where}`);
      if (hashText(a, text.length) !== hashText(put(text), text.length)) t.fail(`the hash depends on what follows, ${where}`);
      const copy = put(new Uint8Array(text.length));
      copyText(copy, a, text.length);
      if (Buffer.compare(engine.bytes.slice(copy, copy + text.length), text) !== 0) t.fail(`copy, ${where}`);
    });
  }
});
