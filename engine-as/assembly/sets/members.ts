/**
 * Reads the members of a bitmap in portions: lists that stay in the first cache of a processor. A loop over such a list can load what belongs
 * to many members, as their values in a column, at the same time. A loop over the words of a sparse bitmap cannot: the processor does not
 * predict where the members of a word end.
 */
import { alloc } from '../runtime/arena';
import { listMembers, listWords, SPARE_MEMBERS } from './bitmap';

/** Members of a portion, but for those of its last SIMD vector. */
const PORTION: usize = 2048;
const VECTOR_MEMBERS: usize = 128;
/** Bytes of the bitmap whose words with members are listed at once. */
const PART_BYTES: usize = 4096;

/** Members for which there must be room in a portion. */
export const PORTION_ROOM: usize = PORTION + VECTOR_MEMBERS + SPARE_MEMBERS;

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
