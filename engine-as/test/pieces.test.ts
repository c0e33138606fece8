import t from 'tap';
import { loadKernels } from '../../bindings/test/engine.js';
import { seededRandom } from '../../bindings/test/random.js';

const SEED = Number(process.env.SEED ?? 45);
const SLOT_BYTES = 4;
const FIRST_SLOT = 32;
const SLACK = 32;
const GUARD = 64;
const NO_ROOM = -1;
const DAMAGED = -2;

const engine = loadKernels();
const random = seededRandom(SEED);

/** A table of random pieces, and their slots. */
function randomTable(): { table: Uint8Array; slots: number; pieces: number[] } {
  const pieces: number[] = [];
  const bytes: number[] = Array(FIRST_SLOT * SLOT_BYTES).fill(0);
  for (let count = 1 + random.int(60); count > 0; count--) {
    const length = 1 + random.int(31);
    pieces.push(bytes.length / SLOT_BYTES);
    bytes.push(length, ...Array.from({ length }, () => 32 + random.int(90)));
    while (bytes.length % SLOT_BYTES !== 0) bytes.push(0);
  }
  const slots = bytes.length / SLOT_BYTES;
  return { table: Uint8Array.from([...bytes, ...Array(SLACK).fill(0)]), slots, pieces };
}

/** Random codes, of which the last ones from `start` on are a document, and what this is; copies refer to codes of pieces. */
function randomCodes({ table, pieces }: ReturnType<typeof randomTable>): { codes: Uint16Array; start: number; text: number[] } {
  const codes: number[] = [];
  const isPiece: boolean[] = [];
  const texts: number[][] = [];
  const textOf = (code: number) => [...table.subarray(code * SLOT_BYTES + 1, code * SLOT_BYTES + 1 + table[code * SLOT_BYTES]!)];
  const put = (added: number[], pieces: boolean, text: number[]) => {
    codes.push(...added);
    isPiece.push(...added.map(() => pieces));
    texts.push(text, ...added.slice(1).map(() => []));
  };
  const length = random.int(200);
  const starts = [0];
  while (codes.length < length) {
    const copied = 4 + random.int(31);
    const from = random.int(codes.length + 1);
    const choice = random.int(10);
    if (choice === 0) {
      const bytes = Array.from({ length: random.int(20) }, () => random.int(256));
      const padded = bytes.length % 2 === 0 ? bytes : [...bytes, 0];
      const words = Array.from({ length: padded.length / 2 }, (_, i) => padded[2 * i]! | (padded[2 * i + 1]! << 8));
      put([0, bytes.length, ...words], false, bytes);
    } else if (choice < 5 && from + copied <= codes.length && isPiece.slice(from, from + copied).every(Boolean)) {
      const text = codes.slice(from, from + copied).flatMap(textOf);
      put([copied - 3, codes.length - from], false, text);
    } else {
      const piece = random.pick(pieces);
      put([piece], true, textOf(piece));
    }
    starts.push(codes.length);
  }
  const start = random.pick(starts);
  return { codes: Uint16Array.from(codes), start, text: texts.slice(start).flat() };
}

/** The decoded document, or why there is none; fails if anything is written outside of the room. */
function decode(table: Uint8Array, slots: number, codes: Uint16Array, start: number, capacity: number): number[] | number {
  return engine.scoped(() => {
    const bytes = new Uint8Array(codes.buffer, codes.byteOffset, codes.byteLength);
    const [at, first] = [engine.put(table), engine.put(bytes)];
    const out = engine.alloc(capacity + SLACK + GUARD);
    engine.bytes.fill(0xaa, out, out + capacity + SLACK + GUARD);
    const length = engine.exports.piecesDecode(at, slots, first, first + 2 * start, first + bytes.length, out, capacity);
    const after = engine.bytes.subarray(out + capacity + SLACK, out + capacity + SLACK + GUARD);
    if (after.some((byte) => byte !== 0xaa)) throw new Error(`seed ${SEED}: wrote beyond its room`);
    return length < 0 ? length : [...engine.bytes.subarray(out, out + length)];
  });
}

t.test('codes are decoded to the text that they stand for', async (t) => {
  for (let round = 0; round < 2000; round++) {
    const made = randomTable();
    const { codes, start, text } = randomCodes(made);
    const room = text.length + random.int(3);
    const found = decode(made.table, made.slots, codes, start, room);
    if (typeof found === 'number' || Buffer.compare(Buffer.from(found), Buffer.from(text)) !== 0)
      t.fail(`seed ${SEED} round ${round}`);
    if (text.length > 0 && decode(made.table, made.slots, codes, start, random.int(text.length)) !== NO_ROOM)
      t.fail(`seed ${SEED} round ${round}: less room than the document takes`);
  }
});

t.test('damaged codes and tables never lead to accesses out of bounds', async (t) => {
  let refused = 0;
  for (let round = 0; round < 6000; round++) {
    const made = randomTable();
    const { codes, start, text } = randomCodes(made);
    for (let hits = 1 + random.int(3); hits > 0 && codes.length > 0; hits--)
      codes[random.int(codes.length)] = random.pick([random.int(FIRST_SLOT), random.int(made.slots), random.int(65536)]);
    for (let hits = random.int(3); hits > 0; hits--) made.table[random.int(made.table.length)] = random.int(256);
    const kept = codes.slice(0, codes.length - random.int(3));
    const found = decode(made.table, made.slots, kept, Math.min(start, kept.length), text.length);
    if (found === DAMAGED) refused++;
    else if (typeof found !== 'number' && found.length > text.length) t.fail(`seed ${SEED} round ${round}: longer than its room`);
  }
  t.ok(refused > 100, `${refused} refused`);
});
