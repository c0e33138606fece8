/** Reserved members of documents. Their values must have certain forms: here the common valid form of `_geo` is recognized, the host checks all others. */
import { skipBlanks } from './values';

/** The document has `_vectors`. */
export const RESERVED_VECTORS: u32 = 1;
/** It has a `_geo` that is neither null nor a plain point, see {@link isPlainPoint}. */
export const RESERVED_POINT: u32 = 2;
/** It has `_geojson`. */
export const RESERVED_SHAPE: u32 = 4;

/** Names as little-endian integers. */
const GEO: u32 = 0x6f65675f;
const GEOJSON: u64 = 0x6e6f736a6f65675f;
const VECTORS: u64 = 0x73726f746365765f;
const LAT: u32 = 0x74616c;
const LNG: u32 = 0x676e6c;
const NULL: u32 = 0x6c6c756e;

const QUOTE: u32 = 0x22;
const COMMA: u32 = 0x2c;
const MINUS: u32 = 0x2d;
const DOT: u32 = 0x2e;
const ZERO: u32 = 0x30;
const COLON: u32 = 0x3a;
const OPEN_OBJECT: u32 = 0x7b;
const CLOSE_OBJECT: u32 = 0x7d;

/** More digits before the point may overflow a float. */
const MAX_DIGITS: usize = 64;

/** RESERVED_* of a member at the root of a document; its name is without escapes. */
export function reservedMember(name: usize, nameLength: u32, value: usize, valueLength: u32): u32 {
  if (nameLength === 4) return load<u32>(name) === GEO && !isPlainPoint(value, valueLength) ? RESERVED_POINT : 0;
  if (nameLength !== 8) return 0;
  const word = load<u64>(name);
  return word === GEOJSON ? RESERVED_SHAPE : word === VECTORS ? RESERVED_VECTORS : 0;
}

/** The rest of the value. */
let at: usize = 0;
let end: usize = 0;

/**
 * Whether a value is null, or a point in the usual form: `{"lat": 52.5, "lng": -13.4}` with the members in either order and numbers
 * without exponents. These are always valid.
 */
function isPlainPoint(value: usize, length: u32): bool {
  if (length === 4 && load<u32>(value) === NULL) return true;
  at = value;
  end = value + length;
  if (!expect(OPEN_OBJECT)) return false;
  const first = readName();
  if (!(first && expect(COLON) && passNumber() && expect(COMMA))) return false;
  const second = readName();
  if (!(second && second !== first && expect(COLON) && passNumber() && expect(CLOSE_OBJECT))) return false;
  return at === end;
}

/** Skips white space and a character; false if another character follows. */
function expect(sign: u32): bool {
  at = skipBlanks(at, end);
  if (at === end || <u32>load<u8>(at) !== sign) return false;
  at++;
  return true;
}

/** Skips `"lat"` or `"lng"` and returns LAT or LNG; 0 if something else follows. */
function readName(): u32 {
  at = skipBlanks(at, end);
  if (end - at < 5 || <u32>load<u8>(at) !== QUOTE || <u32>load<u8>(at, 4) !== QUOTE) return 0;
  const name = load<u32>(at, 1) & 0xffffff;
  at += 5;
  return name === LAT || name === LNG ? name : 0;
}

function passDigits(): usize {
  const from = at;
  while (at < end && <u32>load<u8>(at) - ZERO < 10) at++;
  return at - from;
}

function passNumber(): bool {
  at = skipBlanks(at, end);
  if (at < end && <u32>load<u8>(at) === MINUS) at++;
  const digits = passDigits();
  if (digits === 0 || digits > MAX_DIGITS) return false;
  if (at === end || <u32>load<u8>(at) !== DOT) return true;
  at++;
  return passDigits() > 0;
}
