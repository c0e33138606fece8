/**
 * Geo filters over the points of a segment (f64 pairs: lat, lng; NaN without a point). They only add to the bitmap, and stop where the
 * time is over.
 */
import { isTimeOver, LOOK_EVERY } from '../runtime/deadline';
import { bitmapAdd } from '../sets/bitmap';
import { distance, latitudeSpan, longitudeSpan } from './distance';

/** Room for rounding in the prefilter, in degrees: about a metre. */
const SLACK: f64 = 1e-5;

/** Adds the documents at most `metres` away from a point. */
export function geoSelectRadius(points: usize, docCount: u32, lat: f64, lng: f64, metres: f64, bitmap: usize): void {
  const span = latitudeSpan(metres) + SLACK;
  const width = longitudeSpan(lat, metres) + SLACK;
  const south = lat - span;
  const north = lat + span;
  for (let local: u32 = 0; local < docCount; local++) {
    if (local % LOOK_EVERY === LOOK_EVERY - 1 && isTimeOver()) return;
    const point = points + ((<usize>local) << 4);
    const otherLat = load<f64>(point);
    // comparisons with NaN are false: documents without a point fall out here
    if (!(otherLat >= south && otherLat <= north)) continue;
    const otherLng = load<f64>(point, 8);
    const apart = Math.abs(otherLng - lng);
    // more than a turn apart: whatever was sent, the distance decides
    if (apart > width && apart < 360 - width) continue;
    if (distance(lat, lng, otherLat, otherLng) <= metres) bitmapAdd(bitmap, local);
  }
}

/** Adds the documents in a box, edges included; a box with east < west reaches over the antimeridian. */
export function geoSelectBox(points: usize, docCount: u32, north: f64, east: f64, south: f64, west: f64, bitmap: usize): void {
  const wraps = east < west;
  for (let local: u32 = 0; local < docCount; local++) {
    const point = points + ((<usize>local) << 4);
    const lat = load<f64>(point);
    if (!(lat >= south && lat <= north)) continue;
    const lng = load<f64>(point, 8);
    if (wraps ? lng >= west || lng <= east : lng >= west && lng <= east) bitmapAdd(bitmap, local);
  }
}
