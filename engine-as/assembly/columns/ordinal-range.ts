/** Which documents of a column with at most one value per document have an ordinal in a range. */
import { alloc, arenaMark, arenaReset } from '../runtime/arena';
import { bitmapBytes } from '../segment/layout';
import { bitmapCount } from '../sets/bitmap';
import { bitmapFirstIn } from '../sets/members';
import { ordinalMask } from './ordinals';

/** Bytes of a bitmap whose documents are tested in one of two ways: one by one if few of them matter, else 64 together. */
const PART_BYTES: usize = 512;
/** Of 64 documents of a part, so many that matter are few. */
const FEW: u32 = 3;

/**
 * Adds the documents whose ordinal is in [from, end); that of documents without a value is in no range. `within`: bitmap of the documents that
 * matter.
 */
export function selectSingle(
  ordinals: usize,
  shift: u32,
  docCount: u32,
  from: u32,
  end: u32,
  within: usize,
  bitmap: usize,
): void {
  if (from >= end) return;
  const size = end - from;
  const mark = arenaMark();
  const few = FEW * (<u32>PART_BYTES >>> 3);
  const members = alloc((<usize>few) << 2);
  const bytes = bitmapBytes(docCount);
  for (let part: usize = 0; part < bytes; part += PART_BYTES) {
    const partEnd = min<usize>(bytes, part + PART_BYTES);
    const count = bitmapCount(within + part, partEnd - part);
    if (count === 0) continue;
    if (count > few) {
      selectPart(ordinals, shift, docCount, from, size, within, part, partEnd, bitmap);
      continue;
    }
    bitmapFirstIn(within, part, partEnd, count, members);
    selectMembers(ordinals, shift, from, size, members, count, bitmap);
  }
  arenaReset(mark);
}

/** Documents in a list: u32[count]. */
function selectMembers(ordinals: usize, shift: u32, from: u32, size: u32, members: usize, count: u32, bitmap: usize): void {
  const mask = ordinalMask(shift);
  const end = members + ((<usize>count) << 2);
  for (let at = members; at < end; at += 4) {
    const local = load<u32>(at);
    const ordinal = load<u32>(ordinals + ((<usize>local) << shift)) & mask;
    const target = bitmap + (local >>> 3);
    store<u8>(target, <u32>load<u8>(target) | ((<u32>(ordinal - from < size)) << (local & 7)));
  }
}

/** Documents of bytes [part, partEnd) of the bitmaps. */
function selectPart(
  ordinals: usize,
  shift: u32,
  docCount: u32,
  from: u32,
  size: u32,
  within: usize,
  part: usize,
  partEnd: usize,
  bitmap: usize,
): void {
  const mask = ordinalMask(shift);
  for (let place = part; place < partEnd; place += 8) {
    let wanted = load<u64>(within + place);
    if (wanted === 0) continue;
    const first = <u32>(place << 3);
    const at = ordinals + ((<usize>first) << shift);
    let found: u64 = 0;
    if (docCount - first >= 64) {
      found =
        shift === 0 ? selectBytes(at, from, size) : shift === 1 ? selectShorts(at, from, size) : selectWords(at, from, size);
    } else {
      for (; wanted !== 0; wanted &= wanted - 1) {
        const ordinal = load<u32>(at + ((<usize>ctz(wanted)) << shift)) & mask;
        found |= (<u64>(ordinal - from < size)) << ctz(wanted);
      }
    }
    store<u64>(bitmap + place, load<u64>(bitmap + place) | found);
  }
}

/** Which of 64 ordinals are in a range: of 1 byte each. */
function selectBytes(ordinals: usize, from: u32, size: u32): u64 {
  const low = i8x16.splat(<i8>from);
  const width = i8x16.splat(<i8>size);
  const first = bytesInRange(ordinals, low, width) | (bytesInRange(ordinals + 16, low, width) << 16);
  const second = bytesInRange(ordinals + 32, low, width) | (bytesInRange(ordinals + 48, low, width) << 16);
  return <u64>first | ((<u64>second) << 32);
}

/** Of 2 bytes each. */
function selectShorts(ordinals: usize, from: u32, size: u32): u64 {
  const low = i16x8.splat(<i16>from);
  const width = i16x8.splat(<i16>size);
  const first = shortsInRange(ordinals, low, width) | (shortsInRange(ordinals + 32, low, width) << 16);
  const second = shortsInRange(ordinals + 64, low, width) | (shortsInRange(ordinals + 96, low, width) << 16);
  return <u64>first | ((<u64>second) << 32);
}

/** Of 4 bytes each. */
function selectWords(ordinals: usize, from: u32, size: u32): u64 {
  const low = i32x4.splat(<i32>from);
  const width = i32x4.splat(<i32>size);
  const first = wordsInRange(ordinals, low, width) | (wordsInRange(ordinals + 64, low, width) << 16);
  const second = wordsInRange(ordinals + 128, low, width) | (wordsInRange(ordinals + 192, low, width) << 16);
  return <u64>first | ((<u64>second) << 32);
}

/** Which of 16 ordinals are at least `low`, and by less than `width` greater. */
function bytesInRange(ordinals: usize, low: v128, width: v128): u32 {
  return i8x16.bitmask(i8x16.lt_u(i8x16.sub(v128.load(ordinals), low), width));
}

function shortsInRange(ordinals: usize, low: v128, width: v128): u32 {
  const first = i16x8.lt_u(i16x8.sub(v128.load(ordinals), low), width);
  const second = i16x8.lt_u(i16x8.sub(v128.load(ordinals, 16), low), width);
  return i8x16.bitmask(i8x16.narrow_i16x8_s(first, second));
}

function wordsInRange(ordinals: usize, low: v128, width: v128): u32 {
  const first = i32x4.lt_u(i32x4.sub(v128.load(ordinals), low), width);
  const second = i32x4.lt_u(i32x4.sub(v128.load(ordinals, 16), low), width);
  const third = i32x4.lt_u(i32x4.sub(v128.load(ordinals, 32), low), width);
  const fourth = i32x4.lt_u(i32x4.sub(v128.load(ordinals, 48), low), width);
  return i8x16.bitmask(i8x16.narrow_i16x8_s(i16x8.narrow_i32x4_s(first, second), i16x8.narrow_i32x4_s(third, fourth)));
}
