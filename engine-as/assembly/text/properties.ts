import {
  CASE_IGNORABLE_BOUNDS,
  CASE_IGNORABLE_COUNT,
  CASED_BOUNDS,
  CASED_COUNT,
  PROPERTY_BLOCKS,
  PROPERTY_INDEX,
  PROPERTY_LIMIT,
} from './tables';

/** Script (5 bits), separator class (2 bits) and numeric (1 bit) of a code point. */
export function propertiesOf(point: u32): u32 {
  if (point >= PROPERTY_LIMIT) return 0;
  const block = <u32>load<u8>(PROPERTY_INDEX + (point >> 7));
  return <u32>load<u8>(PROPERTY_BLOCKS + ((block << 7) | (point & 127)));
}

export function scriptIn(properties: u32): u32 {
  return properties & 31;
}

export function separatorClassIn(properties: u32): u32 {
  return (properties >> 5) & 3;
}

/** General category Nd, Nl or No. */
export function isNumeric(point: u32): bool {
  return (propertiesOf(point) & 128) !== 0;
}

/** ASCII signs, that is everything but letters, digits, white space and control characters. */
export function isAsciiPunctuation(point: u32): bool {
  return (
    (point >= 0x21 && point <= 0x2f) ||
    (point >= 0x3a && point <= 0x40) ||
    (point >= 0x5b && point <= 0x60) ||
    (point >= 0x7b && point <= 0x7e)
  );
}

/** Unicode property White_Space. */
export function isWhiteSpace(point: u32): bool {
  if (point < 0x80) return point === 0x20 || (point >= 0x09 && point <= 0x0d);
  if (point === 0x85 || point === 0xa0 || point === 0x1680 || point === 0x3000) return true;
  return (point >= 0x2000 && point <= 0x200a) || point === 0x2028 || point === 0x2029 || point === 0x202f || point === 0x205f;
}

/** Whether an odd number of the sorted bounds is at most the code point. */
function isWithin(bounds: usize, count: u32, point: u32): bool {
  let low: u32 = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (load<u32>(bounds + ((<usize>middle) << 2)) <= point) low = middle + 1;
    else high = middle;
  }
  return (low & 1) !== 0;
}

export function isCased(point: u32): bool {
  return isWithin(CASED_BOUNDS, CASED_COUNT, point);
}

export function isCaseIgnorable(point: u32): bool {
  return isWithin(CASE_IGNORABLE_BOUNDS, CASE_IGNORABLE_COUNT, point);
}
