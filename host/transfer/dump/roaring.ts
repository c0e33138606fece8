import type { UidRanges } from '../../tasks/ranges.js';

/**
 * Sets of uids in the portable form of Roaring bitmaps (https://github.com/RoaringBitmap/RoaringFormatSpec): a container for
 * each 65536 uids, which is an array, a bitmap or a list of runs.
 *
 *   | cookie u32 | containers u32 | (key u16, cardinality - 1 u16) × containers | offset u32 × containers | containers … |
 */
const COOKIE_ARRAYS = 12346;
const COOKIE_RUNS = 12347;
/** Largest array container; with more values a container is a bitmap. */
const MAX_ARRAY_VALUES = 4096;
const BITMAP_BYTES = 8192;
/** Sets with runs have no offsets when they have fewer containers. */
const FEW_CONTAINERS = 4;

export function writeRoaring(ranges: UidRanges): Uint8Array {
  const containers = containersOf(ranges);
  const head = Buffer.alloc(8 + 8 * containers.size);
  head.writeUInt32LE(COOKIE_ARRAYS, 0);
  head.writeUInt32LE(containers.size, 4);
  const bodies: Buffer[] = [];
  let offset = head.length;
  for (const [i, [key, values]] of [...containers].entries()) {
    const body = values.length > MAX_ARRAY_VALUES ? bitmapOf(values) : arrayOf(values);
    head.writeUInt16LE(key, 8 + 4 * i);
    head.writeUInt16LE(values.length - 1, 10 + 4 * i);
    head.writeUInt32LE(offset, 8 + 4 * containers.size + 4 * i);
    bodies.push(body);
    offset += body.length;
  }
  return Buffer.concat([head, ...bodies]);
}

function containersOf(ranges: UidRanges): Map<number, number[]> {
  const containers = new Map<number, number[]>();
  for (const [from, to] of ranges) {
    for (let uid = from; uid <= to; uid++) {
      const key = uid >>> 16;
      const values = containers.get(key);
      if (values) values.push(uid & 0xffff);
      else containers.set(key, [uid & 0xffff]);
    }
  }
  return containers;
}

function arrayOf(values: number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [i, value] of values.entries()) bytes.writeUInt16LE(value, 2 * i);
  return bytes;
}

function bitmapOf(values: number[]): Buffer {
  const bytes = Buffer.alloc(BITMAP_BYTES);
  for (const value of values) bytes[value >> 3] = bytes[value >> 3]! | (1 << (value & 7));
  return bytes;
}

/** The uids of a set, ascending. @throws {RangeError} when the bytes are truncated */
export function readRoaring(set: Uint8Array): number[] {
  const bytes = Buffer.from(set.buffer, set.byteOffset, set.byteLength);
  const cookie = bytes.readUInt32LE(0);
  const withRuns = (cookie & 0xffff) === COOKIE_RUNS;
  if (!withRuns && cookie !== COOKIE_ARRAYS) throw new RangeError(`a set of uids begins with ${cookie}`);
  const count = withRuns ? (cookie >>> 16) + 1 : bytes.readUInt32LE(4);
  const runFlags = withRuns ? 4 : 8;
  const heads = runFlags + (withRuns ? Math.ceil(count / 8) : 0);
  const hasOffsets = !withRuns || count >= FEW_CONTAINERS;
  let at = heads + 4 * count + (hasOffsets ? 4 * count : 0);
  const uids: number[] = [];
  for (let i = 0; i < count; i++) {
    const base = bytes.readUInt16LE(heads + 4 * i) * 65536;
    const cardinality = bytes.readUInt16LE(heads + 4 * i + 2) + 1;
    if (withRuns && (bytes.readUInt8(runFlags + (i >> 3)) >> (i & 7)) & 1) {
      const runs = bytes.readUInt16LE(at);
      at += 2;
      for (let run = 0; run < runs; run++, at += 4) {
        const start = base + bytes.readUInt16LE(at);
        for (let step = 0; step <= bytes.readUInt16LE(at + 2); step++) uids.push(start + step);
      }
    } else if (cardinality > MAX_ARRAY_VALUES) {
      for (let bit = 0; bit < 65536; bit++) if ((bytes.readUInt8(at + (bit >> 3)) >> (bit & 7)) & 1) uids.push(base + bit);
      at += BITMAP_BYTES;
    } else {
      for (let k = 0; k < cardinality; k++, at += 2) uids.push(base + bytes.readUInt16LE(at));
    }
  }
  return uids;
}
