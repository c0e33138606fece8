/**
 * The text under which a number is indexed: integers of 64 bits as they stand; floats in their shortest form that reads back as
 * the same float, with `.0` when integral, and with a signed exponent below 1e-5 and from 1e16 on.
 */
import { floatText, quantityText } from './decimal-text';
import { isWholeNumber, parseNumber } from './number';

/** Room that a text needs beyond the bytes of its literal. */
export const NUMBER_TEXT_ROOM: u32 = 32;

/** Decimals of at most 15 digits are told apart by floats, so such a literal is its own shortest form. */
const DISTINCT_DIGITS: u32 = 15;
/** Plain notation from 10^-5 to below 10^16: the place of the point in 0.d1d2… * 10^point. */
const PLAIN_LEAST: i32 = -4;
const PLAIN_MOST: i32 = 16;

const MINUS: u32 = 0x2d;
const POINT: u32 = 0x2e;
const ZERO: u32 = 0x30;

/** Writes the text of a literal to `out` (its length and {@link NUMBER_TEXT_ROOM} bytes) and answers the text's length. */
export function numberText(literal: usize, length: u32, out: usize): u32 {
  if (isWholeNumber(literal, length)) {
    memory.copy(out, literal, length);
    return length;
  }
  const short = shortDecimal(literal, length, out);
  return short ? short : textOf(parseNumber(literal, length), out);
}

/** Plain decimals of few digits: only zeros at the end of the fraction go. 0 when the literal is of another kind. */
function shortDecimal(literal: usize, length: u32, out: usize): u32 {
  let digits: u32 = 0;
  let whole: u32 = 0;
  let point: usize = 0;
  for (let at = literal; at < literal + length; at++) {
    const byte: u32 = load<u8>(at);
    if (byte === POINT) point = at;
    else if (byte - ZERO < 10) {
      if (digits > 0 || byte !== ZERO) digits++;
      if (point === 0 && digits > 0) whole++;
    } else if (byte !== MINUS) return 0;
  }
  // below 0.1 small values may need an exponent
  if (point === 0 || digits > DISTINCT_DIGITS || (whole === 0 && load<u8>(point + 1) === ZERO)) return 0;
  let end = literal + length;
  while (load<u8>(end - 1) === ZERO && end - 2 > point) end--;
  memory.copy(out, literal, end - literal);
  return <u32>(end - literal);
}

/** Writes a finite float (see above) and answers the length. */
function textOf(value: f64, out: usize): u32 {
  if (value !== 0) return floatText(value, out, PLAIN_LEAST, PLAIN_MOST);
  const isNegative = reinterpret<u64>(value) !== 0;
  if (isNegative) store<u8>(out, MINUS);
  return (isNegative ? 1 : 0) + quantityText(value, out + <usize>isNegative);
}
