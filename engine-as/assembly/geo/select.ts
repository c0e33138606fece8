/**
 * Geo filters over the locations of a segment (f64 pairs: lat, lng; NaN without a location). They only add bits to the bitmap,
 * and stop at the deadline. If the segment lists documents by latitude, only those in the band of the area are checked.
 */
import { OpenColumn } from '../columns/select';
import { addRange, rangeCost } from '../columns/value-documents';
import { columnNumberCeiling, columnNumberFloor } from '../columns/values';
import { allocZeroed } from '../runtime/arena';
import { CHECK_EVERY, isTimeOver } from '../runtime/deadline';
import { bitmapBytes } from '../segment/layout';
import { bitmapAdd } from '../sets/bitmap';
import { distance, latitudeSpan, longitudeSpan } from './distance';

/** Tolerance for rounding in the prefilter, in degrees: about a metre. */
const SLACK: f64 = 1e-5;
/** Cost model: locations that are checked in order in the time of finding one by its latitude. */
const SEQUENTIAL_PER_ENTRY: u32 = 8;

/** An area: a circle or a box. */
@unmanaged
export class GeoArea {
  north: f64;
  east: f64;
  south: f64;
  west: f64;
  /** radius of a circle in metres, applied after its bounding box; NaN: a box */
  radius: f64;
  lat: f64;
  lng: f64;
  /** degrees of longitude that the circle spans to each side */
  width: f64;
}

/** The documents within `radius` metres of a point. */
export function setCircle(area: GeoArea, lat: f64, lng: f64, radius: f64): void {
  const span = latitudeSpan(radius) + SLACK;
  area.north = lat + span;
  area.south = lat - span;
  area.radius = radius;
  area.lat = lat;
  area.lng = lng;
  area.width = longitudeSpan(lat, radius) + SLACK;
}

/** The documents in a box, edges included; a box with east < west crosses the antimeridian. */
export function setBox(area: GeoArea, north: f64, east: f64, south: f64, west: f64): void {
  area.north = north;
  area.east = east;
  area.south = south;
  area.west = west;
  area.radius = NaN;
}

/** Adds the documents in an area. `latitudes`: the column of the latitudes, or null. */
export function geoSelect(points: usize, docCount: u32, area: GeoArea, latitudes: OpenColumn, bitmap: usize): void {
  const band = bandOf(latitudes, area);
  if (band === 0) {
    for (let local: u32 = 0; local < docCount; local++) {
      if (local % CHECK_EVERY === CHECK_EVERY - 1 && isTimeOver()) return;
      if (contains(area, points + ((<usize>local) << 4))) bitmapAdd(bitmap, local);
    }
    return;
  }
  const bytes = bitmapBytes(docCount);
  for (let at: u32 = 0; at < bytes; at += 8) {
    for (let word = load<u64>(band + at); word !== 0; word &= word - 1) {
      const local = (at << 3) + <u32>ctz(word);
      if (contains(area, points + ((<usize>local) << 4))) bitmapAdd(bitmap, local);
    }
  }
}

/**
 * A bitmap of the documents in the band of latitudes of an area; 0: unknown, or so many that checking all documents is faster.
 */
function bandOf(latitudes: OpenColumn, area: GeoArea): usize {
  if (changetype<usize>(latitudes) === 0 || changetype<usize>(latitudes.numbers) === 0) return 0;
  const from = columnNumberFloor(latitudes.at, area.south);
  const end = columnNumberCeiling(latitudes.at, area.north);
  if (from < end && rangeCost(latitudes.numbers, from, end) > latitudes.docCount / SEQUENTIAL_PER_ENTRY) return 0;
  const band = allocZeroed(bitmapBytes(latitudes.docCount));
  if (from < end) addRange(latitudes.numbers, from, end, band);
  return band;
}

function contains(area: GeoArea, point: usize): bool {
  const lat = load<f64>(point);
  // Comparisons with NaN are false, so documents without a location are excluded.
  if (!(lat >= area.south && lat <= area.north)) return false;
  const lng = load<f64>(point, 8);
  if (isNaN(area.radius)) {
    return area.east < area.west ? lng >= area.west || lng <= area.east : lng >= area.west && lng <= area.east;
  }
  const apart = Math.abs(lng - area.lng);
  // Longitudes may be outside [-180, 180]; then the distance decides.
  if (apart > area.width && apart < 360 - area.width) return false;
  return distance(area.lat, area.lng, lat, lng) <= area.radius;
}
