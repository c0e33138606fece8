/**
 * Lists the members of a bitmap: all, the first ones, or in portions that stay in the first cache of a processor. A loop over such a list can
 * load what belongs to many members, as their values in a column, at the same time. A loop over the words of a sparse bitmap cannot: the
 * processor does not predict where the members of a word end.
 */
import { alloc, arenaMark, arenaReset } from '../runtime/arena';
import { bitmapCount } from './bitmap';

const VECTOR_BYTES: usize = 16;
const VECTOR_MEMBERS: usize = VECTOR_BYTES << 3;
/** A portion ends with the SIMD vector in which it reaches this many members. */
const PORTION: usize = 2048;
/** Bytes of the bitmap whose words with members are listed before their members are. */
const PART_BYTES: usize = 4096;
/** What {@link listMembers} writes beyond the members of a word. */
const SPARE_MEMBERS: usize = 3;

/** Members for which there must be room in a portion. */
export const PORTION_ROOM: usize = PORTION + VECTOR_MEMBERS + SPARE_MEMBERS;

/** Writes the members as ascending u32 to `out` (with room for all) and returns their number. */
export function bitmapSlots(bitmap: usize, bytes: usize, out: usize): u32 {
  return bitmapFirst(bitmap, bytes, bitmapCount(bitmap, bytes), out);
}

/** Like {@link bitmapSlots}, the lowest `limit` members only; `out` has room for as many. */
export function bitmapFirst(bitmap: usize, bytes: usize, limit: u32, out: usize): u32 {
  return bitmapFirstIn(bitmap, 0, bytes, limit, out);
}

/**
 * The same of the members in bytes [from, to). Which words have members, and how many, is what a processor cannot predict: words with members
 * are listed first, and several members of each are written, whether or not it has as many.
 */
export function bitmapFirstIn(bitmap: usize, from: usize, to: usize, limit: u32, out: usize): u32 {
  const stop = out + ((<usize>limit) << 2);
  let next = out;
  const mark = arenaMark();
  const words = alloc((min<usize>(to - from, PART_BYTES) >> 1) + 4);
  for (let part = from; part < to && next < stop; part += PART_BYTES) {
    const listed = listWords(bitmap, part, min<usize>(to, part + PART_BYTES), words);
    for (let at = words; at < listed; at += 4) {
      const place = load<u32>(at);
      const word = load<u64>(bitmap + <usize>place);
      if (next + ((<usize>popcnt<u64>(word) + SPARE_MEMBERS) << 2) <= stop) next = listMembers(word, place << 3, next);
      else next = writeMembers(word, place << 3, next, stop);
      if (next === stop) break;
    }
  }
  arenaReset(mark);
  return <u32>((next - out) >> 2);
}

/**
 * Writes the members of a word to `out`, `base` added to them, several at once, so that up to {@link SPARE_MEMBERS} more u32 are written; returns
 * the end of the members.
 */
function listMembers(word: u64, base: u32, out: usize): usize {
  const end = out + ((<usize>popcnt<u64>(word)) << 2);
  let left = word;
  for (let next = out; next < end; next += 16) {
    store<u32>(next, base + <u32>ctz(left));
    left &= left - 1;
    store<u32>(next, base + <u32>ctz(left), 4);
    left &= left - 1;
    store<u32>(next, base + <u32>ctz(left), 8);
    left &= left - 1;
    store<u32>(next, base + <u32>ctz(left), 12);
    left &= left - 1;
  }
  return end;
}

/** Writes the places of the words with members among bytes [from, to) of a bitmap as u32 to `out`, and one more u32; returns their end. */
function listWords(bitmap: usize, from: usize, to: usize, out: usize): usize {
  let next = out;
  for (let at = from; at < to; at += VECTOR_BYTES) {
    store<u32>(next, <u32>at);
    next += (<usize>(load<u64>(bitmap + at) !== 0)) << 2;
    store<u32>(next, <u32>at + 8);
    next += (<usize>(load<u64>(bitmap + at, 8) !== 0)) << 2;
  }
  return next;
}

/** Writes the members of a word to `out` one by one, `base` added to them, as far as there is room before `stop`; returns their end. */
function writeMembers(word: u64, base: u32, out: usize, stop: usize): usize {
  let next = out;
  for (let left = word; left !== 0 && next < stop; left &= left - 1) {
    store<u32>(next, base + <u32>ctz(left));
    next += 4;
  }
  return next;
}

/** Reads the members of a bitmap in portions. */
@unmanaged
export class MemberReader {
  bitmap: usize;
  bytes: usize;
  /** byte of the bitmap from which on members have not been read */
  at: usize;
  /** u32[PORTION_ROOM] the portion that was read last */
  members: usize;
  /** u32[] places of words with members */
  words: usize;
}

/** @param members where portions are written: u32[{@link PORTION_ROOM}] */
export function memberReader(bitmap: usize, bytes: usize, members: usize): MemberReader {
  const reader = changetype<MemberReader>(alloc(offsetof<MemberReader>()));
  reader.bitmap = bitmap;
  reader.bytes = bytes;
  reader.at = 0;
  reader.members = members;
  reader.words = alloc((PART_BYTES >>> 1) + 4);
  return reader;
}

/** Reads the next portion. Returns how many members it has, 0 after the last one. */
export function readMembers(reader: MemberReader): u32 {
  const stop = reader.members + (PORTION << 2);
  let next = reader.members;
  while (reader.at < reader.bytes && next < stop) {
    const partEnd = min<usize>(reader.bytes, reader.at + PART_BYTES);
    const end = listWords(reader.bitmap, reader.at, partEnd, reader.words);
    let word = reader.words;
    for (; word < end; word += 4) {
      const place = load<u32>(word);
      // The next portion begins with a whole vector.
      if (next >= stop && (place & 8) === 0) break;
      next = listMembers(load<u64>(reader.bitmap + <usize>place), place << 3, next);
    }
    reader.at = word < end ? <usize>load<u32>(word) : partEnd;
  }
  return <u32>((next - reader.members) >> 2);
}
