/**
 * Areas of geo filters against the GeoJSON shapes of documents (`_geojson`): plane geometry over (longitude, latitude), edges
 * included. Few documents have shapes, so they are read from the stored documents.
 */
import { columnOf } from '../engine/columns.js';
import { address } from '../engine/instance.js';
import type { IndexReader } from '../engine/segments.js';

/** Longitude, latitude. */
type Position = readonly [lng: number, lat: number];
/** Corners; the last is joined to the first. */
type Ring = readonly Position[];

/** An outer ring and its holes. */
type Polygon = readonly Ring[];

/** One or more polygons: an area over the antimeridian has a part on each side. */
export type Area = readonly Polygon[];

/** A geometry taken apart. */
interface Shape {
  points: Position[];
  lines: Position[][];
  polygons: Polygon[];
}

const EARTH_RADIUS = 6371000;
const RADIANS = Math.PI / 180;
const WORLD = 360;

/** The circle of `_geoRadius` as a polygon of `resolution` corners. */
export function radiusArea(lat: number, lng: number, metres: number, resolution: number): Area {
  if (metres < 0) return [];
  if (metres === 0) return [[[[lng, lat]]]];
  const angle = metres / EARTH_RADIUS;
  const toNearPole = (90 - Math.abs(lat)) * RADIANS;
  if (angle >= Math.PI) return boxArea(90, 180, -90, -180);
  if (angle >= Math.PI - toNearPole) {
    // both poles are inside: everything but the circle on the other side of the earth
    const holes = turned(circle(-lat, lng + WORLD / 2, Math.PI - angle, resolution));
    return boxArea(90, 180, -90, -180).map(([world]) => [world as Ring, ...holes]);
  }
  const corners = circle(lat, lng, angle, resolution);
  const ring = angle >= toNearPole ? aroundPole(corners, lat < 0 ? -90 : 90) : corners;
  return turned(ring).map((copy) => [copy]);
}

/** Corners of a circle with a radius in radians. */
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

/** Longitudes of a ring may leave [-180, 180]: its copies one turn away meet the shapes there. */
function turned(ring: Ring): Ring[] {
  return [-WORLD, 0, WORLD].map((turn) => ring.map(([x, y]): Position => [x + turn, y]));
}

/** A circle around a pole is what lies between its edge, from west to east, and the pole. */
function aroundPole(corners: [number, number][], pole: number): Position[] {
  const edge = [...corners].sort((a, b) => a[0] - b[0]);
  const first = edge[0] as [number, number];
  const last = edge[edge.length - 1] as [number, number];
  return [...edge, [first[0] + WORLD, first[1]], [first[0] + WORLD, pole], [last[0] - WORLD, pole], [last[0] - WORLD, last[1]]];
}

/** The box of `_geoBoundingBox`; with east < west it reaches over the antimeridian. */
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

/** Adds the documents with a shape of which any part lies in the area, or which holds the area, to a bitmap over slots. */
export function selectShapes(reader: IndexReader, area: Area, bitmap: number): void {
  const { instance } = reader;
  const field = reader.fieldId('_geojson');
  instance.scoped(() => {
    const candidates = reader.newBitmap();
    for (const segment of reader.segments) {
      const column = columnOf(segment, field);
      if (column) reader.onSegment(segment, candidates, (_, part) => column.selectPresence('EXISTS', part));
    }
    instance.call('bitmapAnd', candidates, reader.liveBitmap(), reader.bitmapBytes);
    const count = instance.call('bitmapCount', candidates, reader.bitmapBytes);
    const out = instance.alloc(count * 4);
    instance.call('bitmapSlots', candidates, reader.bitmapBytes, out);
    const decoder = new TextDecoder();
    for (const slot of instance.u32(address(out), count).slice()) {
      const document = JSON.parse(decoder.decode(reader.document(slot))) as { _geojson?: unknown };
      if (meets(shapeOf(document._geojson), area)) instance.call('bitmapAdd', bitmap, slot);
    }
  });
}

/** Takes a geometry, a feature or a collection of them apart; what is no geometry has no parts. */
export function shapeOf(value: unknown): Shape {
  const shape: Shape = { points: [], lines: [], polygons: [] };
  collect(value, shape);
  return shape;
}

function collect(value: unknown, shape: Shape): void {
  if (typeof value !== 'object' || value === null) return;
  const { type, coordinates, geometry, geometries, features } = value as Record<string, unknown>;
  switch (type) {
    case 'Point':
      shape.points.push(coordinates as Position);
      break;
    case 'MultiPoint':
      shape.points.push(...(coordinates as Position[]));
      break;
    case 'LineString':
      shape.lines.push(coordinates as Position[]);
      break;
    case 'MultiLineString':
      shape.lines.push(...(coordinates as Position[][]));
      break;
    case 'Polygon':
      shape.polygons.push(coordinates as Polygon);
      break;
    case 'MultiPolygon':
      shape.polygons.push(...(coordinates as Polygon[]));
      break;
    case 'Feature':
      collect(geometry, shape);
      break;
    case 'GeometryCollection':
      for (const part of geometries as unknown[]) collect(part, shape);
      break;
    case 'FeatureCollection':
      for (const part of features as unknown[]) collect(part, shape);
  }
}

/** Whether any part of a shape lies in or crosses an area, or the area lies in the shape. */
export function meets(shape: Shape, area: Area): boolean {
  return area.some(
    (part) =>
      shape.points.some((point) => inPolygon(point, part)) ||
      shape.lines.some((line) => lineMeets(line, part)) ||
      shape.polygons.some((polygon) => polygonsMeet(polygon, part)),
  );
}

function lineMeets(line: readonly Position[], area: Polygon): boolean {
  if (line.some((point) => inPolygon(point, area))) return true;
  const sides = area.flatMap(edges);
  return line.some((end, i) => i > 0 && sides.some(([a, b]) => cross(line[i - 1] as Position, end, a, b)));
}

function polygonsMeet(polygon: Polygon, area: Polygon): boolean {
  const sides = area.flatMap(edges);
  if (polygon.flatMap(edges).some(([a, b]) => sides.some(([c, d]) => cross(a, b, c, d)))) return true;
  // no edge crosses: one holds the other or they are apart, and any corner tells
  const [corner] = polygon[0] ?? [];
  const [areaCorner] = area[0] ?? [];
  return corner !== undefined && areaCorner !== undefined && (inPolygon(areaCorner, polygon) || inPolygon(corner, area));
}

/** A point on the edge of a hole is inside. */
function inPolygon(point: Position, [outer, ...holes]: Polygon): boolean {
  if (!outer || !inRing(point, outer)) return false;
  return holes.every((hole) => onEdge(point, hole) || !inRing(point, hole));
}

function edges(ring: Ring): [Position, Position][] {
  return ring.map((corner, i) => [ring[(i || ring.length) - 1] as Position, corner]);
}

function onEdge(point: Position, ring: Ring): boolean {
  return edges(ring).some(([a, b]) => turn(a, b, point) === 0 && between(a, b, point));
}

/** Even-odd rule; a point on an edge is inside. */
function inRing(point: Position, ring: Ring): boolean {
  if (onEdge(point, ring)) return true;
  const [x, y] = point;
  let inside = false;
  for (const [a, b] of edges(ring)) {
    if (a[1] > y !== b[1] > y && x < ((b[0] - a[0]) * (y - a[1])) / (b[1] - a[1]) + a[0]) inside = !inside;
  }
  return inside;
}

/** Whether two segments share a point. */
function cross(a: Position, b: Position, c: Position, d: Position): boolean {
  const ab = [turn(a, b, c), turn(a, b, d)] as const;
  const cd = [turn(c, d, a), turn(c, d, b)] as const;
  if (ab[0] * ab[1] < 0 && cd[0] * cd[1] < 0) return true;
  const touches = (from: Position, to: Position, point: Position, side: number) => side === 0 && between(from, to, point);
  return touches(a, b, c, ab[0]) || touches(a, b, d, ab[1]) || touches(c, d, a, cd[0]) || touches(c, d, b, cd[1]);
}

/** Sign of the turn from ab to ac: 0 when the points are in line. */
function turn(a: Position, b: Position, c: Position): number {
  return Math.sign((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
}

/** Whether a point in line with a segment lies on it. */
function between(a: Position, b: Position, point: Position): boolean {
  return (
    Math.min(a[0], b[0]) <= point[0] &&
    point[0] <= Math.max(a[0], b[0]) &&
    Math.min(a[1], b[1]) <= point[1] &&
    point[1] <= Math.max(a[1], b[1])
  );
}
