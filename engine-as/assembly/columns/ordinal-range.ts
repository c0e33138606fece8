/** Which documents of a column with at most one value per document have an ordinal in a range. */
import { ordinalMask } from './ordinals';

/** Of 64 documents, so many that matter are tested one by one, more together with the others. */
const FEW: u64 = 8;

/**
 * Adds the documents whose ordinal is in [from, end); that of documents without a value is in no range. `within`: bitmap of the documents that
 * matter, 0: all.
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
    const at = ordinals + ((<usize>first) << shift);
    const rest = docCount - first;
    let wanted = within === 0 ? u64.MAX_VALUE : load<u64>(within + (first >>> 3));
    if (rest < 64) wanted &= ((<u64>1) << rest) - 1;
    let found: u64 = 0;
    if (popcnt(wanted) > FEW && rest >= 64) {
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

/** Which of 64 ordinals are in a range: of 1 byte, 16 per step. */
function selectBytes(ordinals: usize, from: u32, size: u32): u64 {
  const low = i8x16.splat(<i8>from);
  const width = i8x16.splat(<i8>size);
  let found: u64 = 0;
  for (let step: u32 = 0; step < 64; step += 16) {
    const isIn = i8x16.bitmask(i8x16.lt_u(i8x16.sub(v128.load(ordinals + step), low), width));
    found |= (<u64>(<u32>isIn)) << step;
  }
  return found;
}

/** Of 2 bytes, 16 per step. */
function selectShorts(ordinals: usize, from: u32, size: u32): u64 {
  const low = i16x8.splat(<i16>from);
  const width = i16x8.splat(<i16>size);
  let found: u64 = 0;
  for (let step: u32 = 0; step < 64; step += 16) {
    const at = ordinals + ((<usize>step) << 1);
    const first = i16x8.lt_u(i16x8.sub(v128.load(at), low), width);
    const second = i16x8.lt_u(i16x8.sub(v128.load(at, 16), low), width);
    found |= (<u64>(<u32>i8x16.bitmask(i8x16.narrow_i16x8_s(first, second)))) << step;
  }
  return found;
}

/** Of 4 bytes, 8 per step. */
function selectWords(ordinals: usize, from: u32, size: u32): u64 {
  const low = i32x4.splat(<i32>from);
  const width = i32x4.splat(<i32>size);
  let found: u64 = 0;
  for (let step: u32 = 0; step < 64; step += 8) {
    const at = ordinals + ((<usize>step) << 2);
    const first = i32x4.bitmask(i32x4.lt_u(i32x4.sub(v128.load(at), low), width));
    const second = i32x4.bitmask(i32x4.lt_u(i32x4.sub(v128.load(at, 16), low), width));
    found |= (<u64>(first | (second << 4))) << step;
  }
  return found;
}
