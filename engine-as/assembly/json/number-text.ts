/**
 * The text under which a number is indexed: 64-bit integers unchanged; floats in the shortest form that parses back to the same
 * float, with `.0` when integral, and with a signed exponent below 1e-5 and from 1e16 on.
 */
import { floatText, quantityText } from './decimal-text';
import { isWholeNumber, parseNumber } from './number';
import { MINUS, POINT, ZERO } from './signs';

/** Bytes needed for a text beyond the length of its literal. */
export const NUMBER_TEXT_ROOM: u32 = 32;

/** Decimals of at most 15 digits map to distinct floats, so such a literal is its own shortest form. */
const DISTINCT_DIGITS: u32 = 15;
/** Plain notation from 10^-5 to below 10^16: positions of the point in 0.d1d2… * 10^point. */
const PLAIN_LEAST: i32 = -4;
const PLAIN_MOST: i32 = 16;

/** Writes the text of a literal to `out` (its length and {@link NUMBER_TEXT_ROOM} bytes) and returns its length. */
export function numberText(literal: usize, length: u32, out: usize): u32 {
  if (isWholeNumber(literal, length)) {
    memory.copy(out, literal, length);
    return length;
  }
  const short = shortDecimal(literal, length, out);
  return short ? short : textOf(parseNumber(literal, length), out);
}

/** Plain decimals with few digits: only trailing zeros of the fraction are removed. 0 when the literal has another form. */
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
  // Values below 0.1 may need an exponent.
  if (point === 0 || digits > DISTINCT_DIGITS || (whole === 0 && load<u8>(point + 1) === ZERO)) return 0;
  let end = literal + length;
  while (load<u8>(end - 1) === ZERO && end - 2 > point) end--;
  memory.copy(out, literal, end - literal);
  return <u32>(end - literal);
}

/** Writes a finite float (see above) and returns its length. */
function textOf(value: f64, out: usize): u32 {
  if (value !== 0) return floatText(value, out, PLAIN_LEAST, PLAIN_MOST);
  const isNegative = reinterpret<u64>(value) !== 0;
  if (isNegative) store<u8>(out, MINUS);
  return (isNegative ? 1 : 0) + quantityText(value, out + <usize>isNegative);
}
