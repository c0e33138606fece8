/** Reads GeoJSON values of documents (valid JSON): geometries, features and collections of them, checked on the way. */
import { DEEP, findExtents, skipListed } from '../json/extents';
import { isAscii } from '../json/member';
import {
  jsonMemberFirst,
  jsonMemberName,
  jsonMemberNameLength,
  jsonMemberNext,
  jsonMemberValue,
  jsonMemberValueLength,
} from '../json/members';
import { parseNumber } from '../json/number';
import { CLOSE_ARRAY, COMMA, MINUS, NULL, OPEN_ARRAY, OPEN_OBJECT, QUOTE, ZERO } from '../json/signs';
import { unescapeString } from '../json/strings';
import { skipBlanks, skipValue } from '../json/values';
import { alloc, arenaMark, arenaReset } from '../runtime/arena';
import { Buffer, bufferPush32, bufferPush64 } from '../runtime/buffer';
import { RUN_HOLE, RUN_LINE, RUN_POINT, RUN_RING, Run } from './runs';

/**
 * Types of values, the places of their names in {@link NAMES}. Those before FEATURE have coordinates; those of several parts follow
 * those of one, in the same order.
 */
const POINT: u32 = 0;
const LINE_STRING: u32 = 1;
const MULTI_POINT: u32 = 3;
const FEATURE: u32 = 6;
const FEATURE_COLLECTION: u32 = 7;
const NO_TYPE: u32 = 9;

const NAMES: StaticArray<string> = [
  'Point',
  'LineString',
  'Polygon',
  'MultiPoint',
  'MultiLineString',
  'MultiPolygon',
  'Feature',
  'FeatureCollection',
  'GeometryCollection',
];
/** Members that are read: TYPE, and those with contents: COORDINATES, or that of a type from FEATURE on. */
const MEMBERS: StaticArray<string> = ['type', 'coordinates', 'geometry', 'features', 'geometries'];
const TYPE: u32 = 0;
const COORDINATES: u32 = 1;
const GEOMETRY: u32 = 2;

/** By member of the value that is looked at now: address, 0: missing, and length of its value, the last one if it is repeated. */
const values: StaticArray<usize> = [0, 0, 0, 0, 0];
const lengths: StaticArray<u32> = [0, 0, 0, 0, 0];
/** Runs are appended to this Buffer; 0: the value is only checked. */
let runs: usize = 0;
/** Number of values around the one that is looked at now. */
let level: u32 = 0;
/** Ends of the arrays and objects of a value of many levels, see {@link findExtents}; 0: not needed yet. */
let extents: usize = 0;
/** Arrays are read here. */
let at: usize = 0;
let end: usize = 0;

/** Appends the runs of a value to a Buffer; false, and nothing appended, when it is not GeoJSON. */
export function readGeojson(json: usize, length: u32, out: usize): bool {
  const before = changetype<Buffer>(out).length;
  if (read(json, length, out)) return true;
  changetype<Buffer>(out).length = before;
  return false;
}

export function isGeojson(json: usize, length: u32): bool {
  const mark = arenaMark();
  const isValid = read(json, length, 0);
  arenaReset(mark);
  return isValid;
}

function read(json: usize, length: u32, out: usize): bool {
  runs = out;
  level = 0;
  extents = 0;
  return readValue(json, length, false);
}

function readValue(json: usize, length: u32, mustBeFeature: bool): bool {
  if (<u32>load<u8>(json) !== OPEN_OBJECT) return false;
  const known = extents;
  if (level === DEEP) extents = findExtents(json, json + length);
  level++;
  const isValid = readObject(json, length, mustBeFeature);
  level--;
  extents = known;
  return isValid;
}

function readObject(json: usize, length: u32, mustBeFeature: bool): bool {
  const mark = arenaMark();
  findMembers(json, length);
  const type = typeOf(values[TYPE], lengths[TYPE]);
  arenaReset(mark);
  if (type === NO_TYPE || (mustBeFeature && type !== FEATURE)) return false;
  const member = type < FEATURE ? COORDINATES : type - FEATURE + GEOMETRY;
  const content = values[member];
  const contentLength = lengths[member];
  if (content === 0) return false;
  if (type === FEATURE) return isNull(content, contentLength) || readValue(content, contentLength, false);
  at = content;
  end = content + contentLength;
  return type < FEATURE ? readCoordinates(type) : readItems(type === FEATURE_COLLECTION);
}

function findMembers(json: usize, length: u32): void {
  for (let i = 0; i < MEMBERS.length; i++) values[i] = 0;
  for (let found = jsonMemberFirst(json, length, extents); found; found = jsonMemberNext()) {
    for (let i = 0; i < MEMBERS.length; i++) {
      if (!isAscii(jsonMemberName(), jsonMemberNameLength(), MEMBERS[i])) continue;
      values[i] = jsonMemberValue();
      lengths[i] = jsonMemberValueLength();
    }
  }
}

function typeOf(name: usize, length: u32): u32 {
  if (name === 0 || <u32>load<u8>(name) !== QUOTE) return NO_TYPE;
  const text = alloc(length);
  const textLength = unescapeString(name + 1, length - 2, text);
  let type: u32 = 0;
  while (type < NO_TYPE && !isAscii(text, textLength, NAMES[type])) type++;
  return type;
}

function isNull(value: usize, length: u32): bool {
  return length === 4 && load<u32>(value) === NULL;
}

/** Reads an array of values. */
function readItems(mustBeFeatures: bool): bool {
  const last = end;
  if (!enterArray()) return false;
  while (hasItem()) {
    const item = at;
    const after = skipListed(item, last, extents);
    if (!readValue(item, <u32>(after - item), mustBeFeatures)) return false;
    at = after;
    end = last;
  }
  return true;
}

function readCoordinates(type: u32): bool {
  if (type < MULTI_POINT) return readPart(type);
  if (!enterArray()) return false;
  while (hasItem()) if (!readPart(type - MULTI_POINT)) return false;
  return true;
}

function readPart(type: u32): bool {
  if (type === LINE_STRING) return readPositions(RUN_LINE);
  if (type === POINT) {
    const run = beginRun(RUN_POINT);
    const isValid = readPosition();
    endRun(run);
    return isValid;
  }
  if (!enterArray()) return false;
  for (let kind = RUN_RING; hasItem(); kind = RUN_HOLE) if (!readPositions(kind)) return false;
  return true;
}

function readPositions(kind: u32): bool {
  if (!enterArray()) return false;
  const run = beginRun(kind);
  while (hasItem()) if (!readPosition()) return false;
  endRun(run);
  return true;
}

/** The third number of a position and those after it say nothing about the plane. */
function readPosition(): bool {
  if (!enterArray()) return false;
  let count: u32 = 0;
  for (; hasItem(); count++) {
    const first: u32 = load<u8>(at);
    if (first !== MINUS && first - ZERO >= 10) return false;
    const after = skipValue(at, end);
    if (count < 2 && runs !== 0) bufferPush64(runs, reinterpret<u64>(parseNumber(at, <u32>(after - at))));
    at = after;
  }
  return count >= 2;
}

/** Starts a run. Returns its place in the buffer. */
function beginRun(kind: u32): usize {
  if (runs === 0) return 0;
  const place = changetype<Buffer>(runs).length;
  bufferPush32(runs, kind);
  bufferPush32(runs, 0);
  return place;
}

function endRun(place: usize): void {
  if (runs === 0) return;
  const buffer = changetype<Buffer>(runs);
  const run = changetype<Run>(buffer.data + place);
  run.count = <u32>((buffer.length - place) >> 4);
}

/** Passes the start of an array; false when something else stands there. */
function enterArray(): bool {
  at = skipBlanks(at, end);
  if (<u32>load<u8>(at) !== OPEN_ARRAY) return false;
  at++;
  return true;
}

/** Moves to the next item of the array; passes the end when there is none. */
function hasItem(): bool {
  at = skipBlanks(at, end);
  if (<u32>load<u8>(at) === COMMA) at = skipBlanks(at + 1, end);
  if (<u32>load<u8>(at) !== CLOSE_ARRAY) return true;
  at++;
  return false;
}
