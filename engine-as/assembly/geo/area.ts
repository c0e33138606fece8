/** The areas of geo filters as polygons in the plane of longitudes and latitudes, in degrees. */
import { alloc } from '../runtime/arena';
import { EARTH_RADIUS, RADIANS } from './distance';
import { Ring, ringInto } from './ring';
import { POSITION_BYTES } from './runs';

const WORLD: f64 = 360;

/** Rings; one that is no hole begins a polygon. An area across the antimeridian has a polygon on each side. */
@unmanaged
export class Area {
  /** Ring[] */
  rings: usize;
  count: u32;

  ring(index: u32): Ring {
    return changetype<Ring>(this.rings + <usize>index * offsetof<Ring>());
  }
}

/** No area has more polygons without holes, or holes. */
const MOST_RINGS: usize = 4;

function newArea(): Area {
  const area = changetype<Area>(alloc(offsetof<Area>()));
  area.rings = alloc(MOST_RINGS * offsetof<Ring>());
  area.count = 0;
  return area;
}

function addRing(area: Area, corners: usize, count: u32, isHole: bool): void {
  ringInto(area.ring(area.count++), corners, count, isHole);
}

/** Sets a corner of those at `corners`. */
export function setPosition(corners: usize, index: u32, x: f64, y: f64): void {
  store<f64>(corners + <usize>index * POSITION_BYTES, x);
  store<f64>(corners + <usize>index * POSITION_BYTES, y, 8);
}

/** The circle of `_geoRadius` as a polygon with `resolution` corners. */
export function circleArea(lat: f64, lng: f64, metres: f64, resolution: u32): Area {
  const area = newArea();
  if (metres < 0) return area;
  if (metres === 0) {
    const corner = alloc(POSITION_BYTES);
    setPosition(corner, 0, lng, lat);
    addRing(area, corner, 1, false);
    return area;
  }
  const angle = metres / EARTH_RADIUS;
  const toNearPole = (90 - Math.abs(lat)) * RADIANS;
  if (angle >= Math.PI - toNearPole) {
    addBox(area, 90, WORLD / 2, -90, -WORLD / 2);
    // Both poles are inside: everything except the circle on the opposite side of the earth, if there is one.
    if (angle < Math.PI) addTurned(area, circle(-lat, lng + WORLD / 2, Math.PI - angle, resolution), resolution, true);
    return area;
  }
  const corners = circle(lat, lng, angle, resolution);
  if (angle < toNearPole) addTurned(area, corners, resolution, false);
  else addTurned(area, aroundPole(corners, resolution, lat < 0 ? -90 : 90), resolution + 4, false);
  return area;
}

/** Corners of a circle, with its radius in radians; there is room for four more. */
function circle(lat: f64, lng: f64, angle: f64, resolution: u32): usize {
  const corners = alloc((<usize>resolution + 4) * POSITION_BYTES);
  const phi = lat * RADIANS;
  for (let corner: u32 = 0; corner < resolution; corner++) {
    const bearing = (2 * Math.PI * <f64>corner) / <f64>resolution;
    const sine = Math.sin(phi) * Math.cos(angle) + Math.cos(phi) * Math.sin(angle) * Math.cos(bearing);
    const toLat = Math.asin(max<f64>(-1, min<f64>(1, sine)));
    const east = Math.sin(bearing) * Math.sin(angle) * Math.cos(phi);
    const turned = Math.atan2(east, Math.cos(angle) - Math.sin(phi) * sine);
    setPosition(corners, corner, lng + turned / RADIANS, toLat / RADIANS);
  }
  return corners;
}

/** Longitudes of a ring may exceed [-180, 180]; its copies shifted by 360 degrees cover shapes there. */
function addTurned(area: Area, corners: usize, count: u32, isHole: bool): void {
  for (let turn = -WORLD; turn <= WORLD; turn += WORLD) {
    const copy = alloc(<usize>count * POSITION_BYTES);
    for (let i: u32 = 0; i < count; i++) setPosition(copy, i, longitude(corners, i) + turn, latitude(corners, i));
    addRing(area, copy, count, isHole);
  }
}

/** A circle around a pole is the area between its edge, from west to east, and the pole. Adds four corners. */
function aroundPole(corners: usize, count: u32, pole: f64): usize {
  sortByLongitude(corners, count);
  const west = longitude(corners, 0);
  const east = longitude(corners, count - 1);
  const westLatitude = latitude(corners, 0);
  setPosition(corners, count, west + WORLD, westLatitude);
  setPosition(corners, count + 1, west + WORLD, pole);
  setPosition(corners, count + 2, east - WORLD, pole);
  setPosition(corners, count + 3, east - WORLD, latitude(corners, count - 1));
  return corners;
}

/** Insertion sort: there are few corners. */
function sortByLongitude(corners: usize, count: u32): void {
  for (let i: u32 = 1; i < count; i++) {
    const x = longitude(corners, i);
    const y = latitude(corners, i);
    let place = i;
    for (; place > 0 && longitude(corners, place - 1) > x; place--) {
      setPosition(corners, place, longitude(corners, place - 1), latitude(corners, place - 1));
    }
    setPosition(corners, place, x, y);
  }
}

function longitude(corners: usize, index: u32): f64 {
  return load<f64>(corners + <usize>index * POSITION_BYTES);
}

function latitude(corners: usize, index: u32): f64 {
  return load<f64>(corners + <usize>index * POSITION_BYTES, 8);
}

/** The box of `_geoBoundingBox`; with east < west it crosses the antimeridian. */
export function boxArea(north: f64, east: f64, south: f64, west: f64): Area {
  const area = newArea();
  if (east < west) {
    addBox(area, north, WORLD / 2, south, west);
    addBox(area, north, east, south, -WORLD / 2);
  } else addBox(area, north, east, south, west);
  return area;
}

function addBox(area: Area, north: f64, east: f64, south: f64, west: f64): void {
  const corners = alloc(4 * POSITION_BYTES);
  setPosition(corners, 0, west, south);
  setPosition(corners, 1, east, south);
  setPosition(corners, 2, east, north);
  setPosition(corners, 3, west, north);
  addRing(area, corners, 4, false);
}

/** The polygon of `_geoPolygon`. `corners`: f64 pairs of longitude and latitude. */
export function polygonArea(corners: usize, count: u32): Area {
  const area = newArea();
  addRing(area, corners, count, false);
  return area;
}
