import t from 'tap';
import { loadKernels } from '../../bindings/test/engine.js';
import { seededRandom } from '../../bindings/test/random.js';

const SEED = Number(process.env.SEED ?? 44);
const TABLE_BYTES = 65536;
/** The longest sample that a segment has. */
const LONGEST_SAMPLE = 60000;
const engine = loadKernels();

/** Compresses a block; `sample`: what it may refer to. */
function compress(bytes: Uint8Array, sample: Uint8Array): Uint8Array {
  return sample.length === 0 ? compressAlone(bytes) : compressWithSample(bytes, sample);
}

function compressAlone(bytes: Uint8Array): Uint8Array {
  return engine.scoped(() => {
    const { exports } = engine;
    const source = engine.put(bytes);
    const out = engine.alloc(exports.lzBound(bytes.length));
    const length = exports.lzCompress(source, bytes.length, out, engine.alloc(TABLE_BYTES));
    if (length > exports.lzBound(bytes.length)) throw new Error('more than the bound');
    return engine.bytes.slice(out, out + length);
  });
}

const lengthBytes = (length: number) =>
  length < 15 ? [] : [...Array(Math.floor((length - 15) / 255)).fill(255), (length - 15) % 255];

/** Compresses as files of version 2 were: the engine only reads them. Matches are looked for at the last place with the same four bytes. */
function compressWithSample(bytes: Uint8Array, sample: Uint8Array): Uint8Array {
  const text = Buffer.concat([sample, bytes]);
  const places = new Map<number, number>();
  for (let at = 0; at + 4 <= sample.length; at++) places.set(text.readUInt32LE(at), at);
  const out: number[] = [];
  let literals = sample.length;
  for (let at = sample.length; at + 8 < text.length; ) {
    const key = text.readUInt32LE(at);
    const from = places.get(key) ?? -1;
    places.set(key, at);
    let length = 0;
    const most = from < sample.length ? Math.min(text.length - at, sample.length - from) : text.length - at;
    if (from >= 0 && at - from <= 65535) while (length < most && text[from + length] === text[at + length]) length++;
    if (length < 4) {
      at++;
      continue;
    }
    const count = at - literals;
    out.push((Math.min(count, 15) << 4) | Math.min(length - 4, 15), ...lengthBytes(count), ...text.subarray(literals, at));
    out.push((at - from) & 255, (at - from) >> 8, ...lengthBytes(length - 4));
    at += length;
    literals = at;
  }
  const rest = text.subarray(literals);
  out.push(Math.min(rest.length, 15) << 4, ...lengthBytes(rest.length));
  return Buffer.concat([Uint8Array.from(out), rest]);
}

function decompress(packed: Uint8Array, sample: Uint8Array, capacity: number): Uint8Array | null {
  return engine.scoped(() => {
    const source = engine.put(packed);
    const referred = sample.length === 0 ? 0 : engine.put(sample);
    const out = engine.alloc(capacity + 32);
    engine.bytes.fill(0xaa, out + capacity + 16, out + capacity + 32);
    const length = engine.exports.lzDecompress(source, packed.length, referred, sample.length, out, capacity, capacity);
    if (engine.bytes.subarray(out + capacity + 16, out + capacity + 32).some((byte) => byte !== 0xaa))
      throw new Error('wrote beyond its room');
    return length < 0 ? null : engine.bytes.slice(out, out + length);
  });
}

const NOTHING = new Uint8Array(0);

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

/** The sample and the block of a case: half of the samples have much in common with the block. */
interface Case {
  sample: Uint8Array;
  bytes: Uint8Array;
}

function randomCase(longest: number): Case {
  const length = random.int(longest);
  const bytes = random.pick([() => noise(length), () => noise(length, 3), () => likeText(length)])();
  const sample = random.pick([() => NOTHING, () => likeText(random.int(2000)), () => partsOf(bytes, random.int(2 * longest))])();
  return { sample, bytes };
}

/** Parts of a text in random order. */
function partsOf(bytes: Uint8Array, length: number): Uint8Array {
  const parts = new Uint8Array(length);
  for (let at = 0; at < length && bytes.length > 0; ) {
    const from = random.int(bytes.length);
    const part = bytes.subarray(from, from + 1 + random.int(50)).subarray(0, length - at);
    parts.set(part, at);
    at += part.length;
  }
  return parts;
}

t.test('compressed data decompresses to the original', async (t) => {
  const text = likeText(300000);
  const cases: Case[] = [
    ...[new Uint8Array(0), Uint8Array.of(7), new Uint8Array(100000), noise(50000), noise(70000, 2), text].map((bytes) => ({
      sample: NOTHING,
      bytes,
    })),
    { sample: text.subarray(0, LONGEST_SAMPLE), bytes: text },
    { sample: noise(LONGEST_SAMPLE, 2), bytes: noise(100000, 2) },
  ];
  for (let round = 0; round < 600; round++) cases.push(randomCase(random.pick([20, 300, 9000])));
  for (const [number, { sample, bytes }] of cases.entries()) {
    const back = decompress(compress(bytes, sample), sample, bytes.length);
    if (!back || Buffer.compare(back, bytes) !== 0) {
      t.fail(`seed ${SEED} case ${number} of ${bytes.length} bytes, sample of ${sample.length}`);
    }
  }
  t.ok(compress(new Uint8Array(100000), NOTHING).length < 500, 'repetition is compressed');
  t.ok(compress(noise(50000), NOTHING).length < 50000 + 300, 'noise hardly grows');
  const sample = noise(LONGEST_SAMPLE);
  t.ok(compress(sample.subarray(0, 5000), sample).length < 40, 'what the sample has is compressed');
});

t.test('damaged input never leads to accesses out of bounds', async (t) => {
  for (let round = 0; round < 4000; round++) {
    const { sample, bytes } = randomCase(400);
    const packed = compress(bytes, sample);
    for (let hits = 1 + random.int(3); hits > 0; hits--) packed[random.int(packed.length)] = random.int(256);
    const shorter = random.pick([sample, sample.subarray(0, random.int(sample.length + 1))]);
    const back = decompress(packed.subarray(0, random.int(packed.length + 1)), shorter, bytes.length);
    if (back && back.length > bytes.length) t.fail(`seed ${SEED} round ${round}: longer than its room`);
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
