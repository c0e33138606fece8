/** Intersection of areas with shapes, in plane geometry over longitudes and latitudes, edges included. */
import type { Area, Polygon } from './area.js';
import { INSIDE, isEastOf, isOn, ON_EDGE, OUTSIDE } from './plane.js';
import { PreparedRing } from './ring.js';
import { HOLE, LINE, OUTER_RING, POINT, type Shapes } from './shapes.js';

/** An area prepared for tests against many shapes. */
export class PreparedArea {
  readonly #parts: PreparedPolygon[];

  constructor(area: Area) {
    this.#parts = area.map((polygon) => new PreparedPolygon(polygon));
  }

  /** Whether the bounding box of a shape intersects that of some part of the area. */
  mayMeet(boxes: Float64Array, shape: number): boolean {
    const at = shape * 4;
    const [west, south, east, north] = [boxes[at], boxes[at + 1], boxes[at + 2], boxes[at + 3]] as [
      number,
      number,
      number,
      number,
    ];
    for (const { outer } of this.#parts) {
      if (west <= outer.east && east >= outer.west && south <= outer.north && north >= outer.south) return true;
    }
    return false;
  }

  /** Whether a shape intersects the area, or contains it. */
  meets(shapes: Shapes, shape: number): boolean {
    return this.#parts.some((part) => part.meets(shapes, shape));
  }
}

class PreparedPolygon {
  readonly outer: PreparedRing;
  readonly #rings: PreparedRing[];
  /** The rings that the present shape may cross. */
  #near: PreparedRing[] = [];
  readonly #corner: readonly [number, number];

  constructor(polygon: Polygon) {
    this.#rings = polygon.map((ring) => new PreparedRing(ring));
    this.outer = this.#rings[0] as PreparedRing;
    this.#corner = polygon[0]?.[0] as readonly [number, number];
  }

  meets(shapes: Shapes, shape: number): boolean {
    const [from, end] = shapes.runs(shape);
    const { boxes } = shapes;
    const box = shape * 4;
    const west = boxes[box] as number;
    const south = boxes[box + 1] as number;
    const east = boxes[box + 2] as number;
    const north = boxes[box + 3] as number;
    this.#near = this.#rings.filter((ring) => ring.isNear(west, south, east, north));
    for (let run = from; run < end; run++) {
      const kind = shapes.kind(run);
      if (kind === POINT && this.#holdsFirst(shapes, run)) return true;
      if (kind === LINE && (this.#holdsFirst(shapes, run) || this.#crosses(shapes, run))) return true;
      if (kind !== OUTER_RING) continue;
      let holes = run + 1;
      while (holes < end && shapes.kind(holes) === HOLE) holes++;
      if (this.#meetsPolygon(shapes, run, holes)) return true;
      run = holes - 1;
    }
    return false;
  }

  /** If no edges cross, one contains the other or they are disjoint, and testing any corner decides. */
  #meetsPolygon(shapes: Shapes, run: number, end: number): boolean {
    if (this.#holdsFirst(shapes, run)) return true;
    for (let ring = run; ring < end; ring++) if (this.#crosses(shapes, ring)) return true;
    const [x, y] = this.#corner;
    if (sideOfRun(shapes, run, x, y) === OUTSIDE) return false;
    for (let hole = run + 1; hole < end; hole++) if (sideOfRun(shapes, hole, x, y) === INSIDE) return false;
    return true;
  }

  /** Whether the first position of a run is in the polygon; edges of holes count as inside. */
  #holdsFirst(shapes: Shapes, run: number): boolean {
    const start = shapes.start(run);
    if (start === shapes.start(run + 1)) return false;
    const x = shapes.coordinates[start] as number;
    const y = shapes.coordinates[start + 1] as number;
    if (this.outer.side(x, y) === OUTSIDE) return false;
    return this.#rings.every((ring) => ring === this.outer || ring.side(x, y) !== INSIDE);
  }

  /** Whether an edge of a run shares a point with an edge of the polygon. Lines are not closed. */
  #crosses(shapes: Shapes, run: number): boolean {
    if (this.#near.length === 0) return false;
    const { coordinates } = shapes;
    const end = shapes.start(run + 1);
    const isLine = shapes.kind(run) === LINE;
    const first = shapes.start(run);
    for (let at = isLine ? first + 2 : first; at < end; at += 2) {
      const before = at === first ? end - 2 : at - 2;
      const ax = coordinates[before] as number;
      const ay = coordinates[before + 1] as number;
      const bx = coordinates[at] as number;
      const by = coordinates[at + 1] as number;
      if (this.#near.some((ring) => ring.isCrossed(ax, ay, bx, by))) return true;
    }
    return false;
  }
}

/** Position of a point relative to a ring of a shape, by the even-odd rule. */
function sideOfRun(shapes: Shapes, run: number, x: number, y: number): number {
  const { coordinates } = shapes;
  const first = shapes.start(run);
  const end = shapes.start(run + 1);
  let isInside = false;
  for (let at = first; at < end; at += 2) {
    const before = at === first ? end - 2 : at - 2;
    const ax = coordinates[before] as number;
    const ay = coordinates[before + 1] as number;
    const bx = coordinates[at] as number;
    const by = coordinates[at + 1] as number;
    if (isOn(ax, ay, bx, by, x, y)) return ON_EDGE;
    if (isEastOf(ax, ay, bx, by, x, y)) isInside = !isInside;
  }
  return isInside ? INSIDE : OUTSIDE;
}
