import t from 'tap';
import { loadKernels } from '../../bindings/test/engine.js';
import { seededRandom } from '../../bindings/test/random.js';

const SEED = Number(process.env.SEED ?? 44);
const TABLE_BYTES = 65536;
/** The number of no document. */
const WHOLE = 0xffffffff;
const engine = loadKernels();

function compress(bytes: Uint8Array): Uint8Array {
  return engine.scoped(() => {
    const source = engine.put(bytes);
    const out = engine.alloc(engine.exports.lzBound(bytes.length));
    const length = engine.exports.lzCompress(source, bytes.length, out, engine.alloc(TABLE_BYTES));
    if (length > engine.exports.lzBound(bytes.length)) throw new Error('more than the bound');
    return engine.bytes.slice(out, out + length);
  });
}

function decompress(packed: Uint8Array, capacity: number): Uint8Array | null {
  return engine.scoped(() => {
    const source = engine.put(packed);
    const out = engine.alloc(capacity + 32);
    engine.bytes.fill(0xaa, out + capacity + 16, out + capacity + 32);
    const length = engine.exports.documentsDecode(source, packed.length, out, capacity, WHOLE);
    if (engine.bytes.subarray(out + capacity + 16, out + capacity + 32).some((byte) => byte !== 0xaa))
      throw new Error('wrote beyond its room');
    return length < 0 ? null : engine.bytes.slice(out, out + length);
  });
}

const random = seededRandom(SEED);
const noise = (length: number, alphabet = 256) => Uint8Array.from({ length }, () => random.int(alphabet));

/** Text-like bytes: pieces of what came before, and new ones. */
function likeText(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let at = 0;
  while (at < length) {
    const size = Math.min(1 + random.int(40), length - at);
    const from = at > 0 && random.int(3) > 0 ? random.int(at) : -1;
    for (let i = 0; i < size; i++) bytes[at + i] = from < 0 ? random.int(256) : (bytes[from + i] as number);
    at += size;
  }
  return bytes;
}

t.test('compressed data decompresses to the original', async (t) => {
  const cases: Uint8Array[] = [
    new Uint8Array(0),
    Uint8Array.of(7),
    new Uint8Array(100000),
    noise(50000),
    noise(70000, 2),
    likeText(300000),
  ];
  for (let round = 0; round < 400; round++) {
    const length = random.int(random.pick([20, 300, 9000]));
    cases.push(random.pick([() => noise(length), () => noise(length, 3), () => likeText(length)])());
  }
  for (const [number, bytes] of cases.entries()) {
    const back = decompress(compress(bytes), bytes.length);
    if (!back || Buffer.compare(back, bytes) !== 0) t.fail(`seed ${SEED} case ${number} of ${bytes.length} bytes`);
  }
  t.ok(compress(new Uint8Array(100000)).length < 500, 'repetition is compressed');
  t.ok(compress(noise(50000)).length < 50000 + 300, 'noise hardly grows');
});

t.test('damaged input never leads to accesses out of bounds', async (t) => {
  for (let round = 0; round < 3000; round++) {
    const bytes = likeText(random.int(400));
    const packed = compress(bytes);
    for (let hits = 1 + random.int(3); hits > 0; hits--) packed[random.int(packed.length)] = random.int(256);
    const back = decompress(packed.subarray(0, random.int(packed.length + 1)), bytes.length);
    if (back && back.length > bytes.length) t.fail('longer than its room');
  }
});

t.test('checksums are the low half of XXH64', async (t) => {
  const checksum = (text: string) =>
    engine.scoped(() => {
      const { pointer, length } = engine.putText(text);
      return engine.exports.checksum32(pointer, length);
    });
  t.equal(checksum(''), 0x51d8e999);
  t.equal(checksum('a'), 0xa98c6e5b);
  t.equal(checksum('abc'), 0xad770999);
  t.equal(checksum('Nobody inspects the spammish repetition'), 0x8a378bf1);
});
