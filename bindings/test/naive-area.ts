/** The areas of geo filters as polygons in the plane of longitudes and latitudes, in degrees, the plain way. */

/** Longitude, latitude. */
export type Position = readonly [lng: number, lat: number];
/** Corners; the last one is connected to the first. */
export type Ring = readonly Position[];

/** An outer ring followed by its holes. */
export type Polygon = readonly Ring[];

/** One or more polygons: an area across the antimeridian has a part on each side. */
export type Area = readonly Polygon[];

const EARTH_RADIUS = 6371000;
const RADIANS = Math.PI / 180;
const WORLD = 360;

/** The circle of `_geoRadius` as a polygon with `resolution` corners. */
export function radiusArea(lat: number, lng: number, metres: number, resolution: number): Area {
  if (metres < 0) return [];
  if (metres === 0) return [[[[lng, lat]]]];
  const angle = metres / EARTH_RADIUS;
  const toNearPole = (90 - Math.abs(lat)) * RADIANS;
  if (angle >= Math.PI) return boxArea(90, 180, -90, -180);
  if (angle >= Math.PI - toNearPole) {
    // Both poles are inside: everything except the circle on the opposite side of the earth.
    const holes = turned(circle(-lat, lng + WORLD / 2, Math.PI - angle, resolution));
    return boxArea(90, 180, -90, -180).map(([world]) => [world as Ring, ...holes]);
  }
  const corners = circle(lat, lng, angle, resolution);
  const ring = angle >= toNearPole ? aroundPole(corners, lat < 0 ? -90 : 90) : corners;
  return turned(ring).map((copy) => [copy]);
}

/** Corners of a circle, with its radius in radians. */
function circle(lat: number, lng: number, angle: number, resolution: number): [number, number][] {
  const phi = lat * RADIANS;
  return Array.from({ length: resolution }, (_, corner) => {
    const bearing = (2 * Math.PI * corner) / resolution;
    const sine = Math.sin(phi) * Math.cos(angle) + Math.cos(phi) * Math.sin(angle) * Math.cos(bearing);
    const toLat = Math.asin(Math.max(-1, Math.min(1, sine)));
    const east = Math.sin(bearing) * Math.sin(angle) * Math.cos(phi);
    return [lng + Math.atan2(east, Math.cos(angle) - Math.sin(phi) * sine) / RADIANS, toLat / RADIANS];
  });
}

/** Longitudes of a ring may exceed [-180, 180]; its copies shifted by 360 degrees cover shapes there. */
function turned(ring: Ring): Ring[] {
  return [-WORLD, 0, WORLD].map((turn) => ring.map(([x, y]): Position => [x + turn, y]));
}

/** A circle around a pole is the area between its edge, from west to east, and the pole. */
function aroundPole(corners: [number, number][], pole: number): Position[] {
  const edge = [...corners].sort((a, b) => a[0] - b[0]);
  const first = edge[0] as [number, number];
  const last = edge[edge.length - 1] as [number, number];
  return [...edge, [first[0] + WORLD, first[1]], [first[0] + WORLD, pole], [last[0] - WORLD, pole], [last[0] - WORLD, last[1]]];
}

/** The box of `_geoBoundingBox`; with east < west it crosses the antimeridian. */
export function boxArea(north: number, east: number, south: number, west: number): Area {
  const box = (left: number, right: number): Ring => [
    [left, south],
    [right, south],
    [right, north],
    [left, north],
  ];
  return east < west ? [[box(west, 180)], [box(-180, east)]] : [[box(west, east)]];
}

export function polygonArea(corners: Position[]): Area {
  return [[corners]];
}
