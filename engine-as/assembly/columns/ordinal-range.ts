/** Which documents of a column with at most one value per document have an ordinal in a range. */
import { ordinalMask } from './ordinals';

/** Of 64 documents, so many that matter are tested one by one: more are tested faster together with the others. */
const FEW: u64 = 2;

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
  const mask = ordinalMask(shift);
  for (let first: u32 = 0; first < docCount; first += 64) {
    let wanted = load<u64>(within + (first >>> 3));
    if (wanted === 0) continue;
    const at = ordinals + ((<usize>first) << shift);
    let found: u64 = 0;
    if (popcnt(wanted) > FEW && docCount - first >= 64) {
      found =
        shift === 0 ? selectBytes(at, from, size) : shift === 1 ? selectShorts(at, from, size) : selectWords(at, from, size);
    } else {
      for (; wanted !== 0; wanted &= wanted - 1) {
        const ordinal = load<u32>(at + ((<usize>ctz(wanted)) << shift)) & mask;
        found |= (<u64>(ordinal - from < size)) << ctz(wanted);
      }
    }
    const target = bitmap + (first >>> 3);
    store<u64>(target, load<u64>(target) | found);
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
