/** Replaces codes that stand shortly before by copies, and runs of single bytes by these bytes: see decode.ts. */
import { alloc } from '../runtime/arena';
import { Buffer, bufferCreate, bufferRoom } from '../runtime/buffer';
import { CODE_BYTES, CODE_RAW, COPIED_LEAST, COPIED_MOST, DISTANCE_MOST } from './decode';

const HASH_BITS: u32 = 13;
/** Codes below are single bytes. */
const BYTES: u32 = 256;
/** Fewer single bytes take less as codes. */
const RAW_LEAST: u32 = 6;
const RAW_MOST: u32 = 65535;

/** Buffer: the last {@link DISTANCE_MOST} codes, and those that follow. */
let codes: usize = 0;
/** number of the first code in {@link codes}, counted from {@link DISTANCE_MOST} + 1 on, so that 0 is far away from all */
let first: u32 = 0;
/** u32[2^HASH_BITS]: where the four codes with this hash stood last */
let table: usize = 0;

export function copiesBegin(): void {
  codes = bufferCreate(1 << 16);
  table = alloc((<usize>4) << HASH_BITS);
  memory.fill(table, 0, (<usize>4) << HASH_BITS);
  first = DISTANCE_MOST + 1;
}

/** Makes room for the codes of texts with `bytes` bytes; what was written before moves, and only what copies may refer to stays. */
export function copiesRoom(bytes: usize): void {
  const buffer = changetype<Buffer>(codes);
  const kept = min<usize>(buffer.length, <usize>DISTANCE_MOST * CODE_BYTES);
  const left = buffer.length - kept;
  memory.copy(buffer.data, buffer.data + left, kept);
  buffer.length = kept;
  first += <u32>(left / CODE_BYTES);
  bufferRoom(codes, (bytes + 4) * CODE_BYTES);
}

/** Address behind the last code; valid until {@link copiesRoom}. */
export function copiesEnd(): usize {
  const buffer = changetype<Buffer>(codes);
  return buffer.data + buffer.length;
}

function hashOf(four: u64): usize {
  return <usize>((four * 0x9fb21c651e98df25) >> (64 - HASH_BITS));
}

/** Writes the codes of a document, which have been divided. */
export function writeCodes(source: usize, end: usize): void {
  const buffer = changetype<Buffer>(codes);
  const start = buffer.data;
  const begin = first;
  let to = start + buffer.length;
  let at = source;
  while (at < end) {
    const code: u32 = load<u16>(at);
    const run = code < BYTES ? bytesFrom(at, end) : 0;
    if (run >= RAW_LEAST) {
      to = putRaw(to, at, run);
      at += <usize>run * CODE_BYTES;
      continue;
    }
    if (end - at >= COPIED_LEAST * CODE_BYTES) {
      const four = load<u64>(at);
      const slot = table + (hashOf(four) << 2);
      const number = begin + <u32>((to - start) / CODE_BYTES);
      const distance = number - load<u32>(slot);
      const from = to - <usize>distance * CODE_BYTES;
      if (distance >= COPIED_LEAST && distance <= DISTANCE_MOST && from >= start && load<u64>(from) === four) {
        const copied = commonCodes(from, to, at, end);
        store<u16>(to, copied - COPIED_LEAST + 1);
        store<u16>(to, distance, 2);
        to += 2 * CODE_BYTES;
        at += <usize>copied * CODE_BYTES;
        continue;
      }
      store<u32>(slot, number);
    }
    store<u16>(to, code);
    to += CODE_BYTES;
    at += CODE_BYTES;
  }
  buffer.length = to - start;
}

/** Codes from `at` on that are the same as those that stand from `from` on, at most {@link COPIED_MOST}. */
function commonCodes(from: usize, fromEnd: usize, at: usize, end: usize): u32 {
  const most = <u32>min<usize>(COPIED_MOST, min<usize>(fromEnd - from, end - at) / CODE_BYTES);
  let count = COPIED_LEAST;
  while (count < most && load<u16>(from + <usize>count * CODE_BYTES) === load<u16>(at + <usize>count * CODE_BYTES)) count++;
  return count;
}

/** Codes of single bytes from `at` on. */
function bytesFrom(at: usize, end: usize): u32 {
  let count: u32 = 1;
  const most = <u32>min<usize>(RAW_MOST, (end - at) / CODE_BYTES);
  while (count < most && load<u16>(at + <usize>count * CODE_BYTES) < <u16>BYTES) count++;
  return count;
}

function putRaw(out: usize, at: usize, count: u32): usize {
  store<u16>(out, CODE_RAW);
  store<u16>(out, count, 2);
  const to = out + 2 * CODE_BYTES;
  for (let i: usize = 0; i < <usize>count; i++) store<u8>(to + i, load<u8>(at + i * CODE_BYTES));
  if (count & 1) store<u8>(to + count, 0);
  return to + ((<usize>count + 1) & ~1);
}
