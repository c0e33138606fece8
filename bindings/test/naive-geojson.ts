/** Whether a GeoJSON value meets an area, the slow, plain way: every edge against every edge. */
import type { Area, Polygon, Position, Ring } from './naive-area.js';

/** A geometry taken apart. */
interface Shape {
  points: Position[];
  lines: Position[][];
  polygons: Polygon[];
}

/** Divides a geometry, a feature or a collection into its parts; other values have no parts. */
function shapeOf(value: unknown): Shape {
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

export function naiveMeets(value: unknown, area: Area): boolean {
  const shape = shapeOf(value);
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
  // No edges cross: one contains the other or they are disjoint, so any corner decides.
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

/** Whether a point on the line through a segment is on the segment. */
function between(a: Position, b: Position, point: Position): boolean {
  return (
    Math.min(a[0], b[0]) <= point[0] &&
    point[0] <= Math.max(a[0], b[0]) &&
    Math.min(a[1], b[1]) <= point[1] &&
    point[1] <= Math.max(a[1], b[1])
  );
}
