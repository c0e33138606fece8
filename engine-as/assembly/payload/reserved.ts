/**
 * Reserved members of documents. Their values must have certain forms: here GeoJSON and the common valid form of `_geo` are recognized,
 * the host checks all other locations and vectors.
 */
import { isGeojson } from '../geo/geojson';
import { CLOSE_OBJECT, COLON, COMMA, MINUS, NULL, OPEN_OBJECT, POINT, QUOTE, ZERO } from '../json/signs';
import { skipBlanks } from '../json/values';

/** The document has `_vectors`. */
export const RESERVED_VECTORS: u32 = 1;
/** It has a `_geo` that is neither null nor a plain point, see {@link isPlainPoint}. */
export const RESERVED_POINT: u32 = 2;
/** It has a `_geojson` that is not GeoJSON. */
export const RESERVED_SHAPE: u32 = 4;

/** Names as little-endian integers. */
const GEO: u32 = 0x6f65675f;
const GEOJSON: u64 = 0x6e6f736a6f65675f;
const VECTORS: u64 = 0x73726f746365765f;
const LAT: u32 = 0x74616c;
const LNG: u32 = 0x676e6c;

/** More digits before the point may overflow a float. */
const MAX_DIGITS: usize = 64;

/** RESERVED_* of the document, and its `_geojson`, 0: none; of repeated members the last counts. */
let bits: u32 = 0;
let shape: usize = 0;
let shapeLength: u32 = 0;

/** To be called for each document, then {@link seeMember} for each of its members at the root, then {@link reservedMembers}. */
export function beginMembers(): void {
  bits = 0;
  shape = 0;
}

/** `name`: without escapes */
export function seeMember(name: usize, nameLength: u32, value: usize, valueLength: u32): void {
  if (nameLength === 4 && load<u32>(name) === GEO) {
    bits = isPlainPoint(value, valueLength) ? bits & ~RESERVED_POINT : bits | RESERVED_POINT;
  } else if (nameLength === 8 && load<u64>(name) === VECTORS) {
    bits |= RESERVED_VECTORS;
  } else if (nameLength === 8 && load<u64>(name) === GEOJSON) {
    shape = value;
    shapeLength = valueLength;
  }
}

/** RESERVED_* of the document. Walks over members. */
export function reservedMembers(): u32 {
  return shape === 0 || isGeojson(shape, shapeLength) ? bits : bits | RESERVED_SHAPE;
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
  if (at === end || <u32>load<u8>(at) !== POINT) return true;
  at++;
  return passDigits() > 0;
}
