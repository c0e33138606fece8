import type { Ring } from './area.js';
import { cross, INSIDE, isEastOf, isOn, ON_EDGE, OUTSIDE } from './plane.js';

/** Slabs per side of a ring: most slabs then have few sides, and a ring of four sides is not divided much. */
const SLABS_PER_SIDE = 0.5;

/**
 * A ring of an area, prepared for many tests. The plane is divided into horizontal slabs of equal height, each with the sides
 * that touch it, so that only sides near a point or segment are tested.
 */
export class PreparedRing {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
  /** Ends of the sides: x, y, x, y. */
  readonly #sides: Float64Array;
  readonly #slabs: number[][];

  /** @param corners at least one */
  constructor(corners: Ring) {
    const xs = corners.map(([x]) => x);
    const ys = corners.map(([, y]) => y);
    this.west = Math.min(...xs);
    this.east = Math.max(...xs);
    this.south = Math.min(...ys);
    this.north = Math.max(...ys);
    this.#sides = new Float64Array(corners.length * 4);
    this.#slabs = Array.from({ length: Math.max(1, Math.floor(corners.length * SLABS_PER_SIDE)) }, () => []);
    corners.forEach(([x, y], side) => {
      const [beforeX, beforeY] = corners[(side || corners.length) - 1] as [number, number];
      this.#sides.set([beforeX, beforeY, x, y], side * 4);
      const last = this.#slabOf(Math.max(beforeY, y));
      for (let slab = this.#slabOf(Math.min(beforeY, y)); slab <= last; slab++) this.#slabs[slab]?.push(side * 4);
    });
  }

  /** Monotonic in y whatever the rounding, so a point on a side is always in a slab of that side. */
  #slabOf(y: number): number {
    const { south, north } = this;
    const slabs = this.#slabs.length;
    if (south === north) return 0;
    return Math.max(0, Math.min(slabs - 1, Math.floor(((y - south) * slabs) / (north - south))));
  }

  /** Position of a point relative to the ring, by the even-odd rule. */
  side(x: number, y: number): number {
    if (x < this.west || x > this.east || y < this.south || y > this.north) return OUTSIDE;
    const sides = this.#sides;
    let isInside = false;
    for (const at of this.#slabs[this.#slabOf(y)] as number[]) {
      const ax = sides[at] as number;
      const ay = sides[at + 1] as number;
      const bx = sides[at + 2] as number;
      const by = sides[at + 3] as number;
      if (isOn(ax, ay, bx, by, x, y)) return ON_EDGE;
      if (isEastOf(ax, ay, bx, by, x, y)) isInside = !isInside;
    }
    return isInside ? INSIDE : OUTSIDE;
  }

  /** Whether the bounding box of some side intersects a box; if not, nothing in the box crosses the ring. */
  isNear(west: number, south: number, east: number, north: number): boolean {
    return this.#someSide(west, south, east, north, () => true);
  }

  /** Whether a side shares a point with the segment ab. */
  isCrossed(ax: number, ay: number, bx: number, by: number): boolean {
    const sides = this.#sides;
    return this.#someSide(Math.min(ax, bx), Math.min(ay, by), Math.max(ax, bx), Math.max(ay, by), (at) =>
      cross(ax, ay, bx, by, sides[at] as number, sides[at + 1] as number, sides[at + 2] as number, sides[at + 3] as number),
    );
  }

  /** Whether a test holds for some side whose bounding box intersects a box. */
  #someSide(west: number, south: number, east: number, north: number, test: (at: number) => boolean): boolean {
    if (north < this.south || south > this.north || east < this.west || west > this.east) return false;
    const sides = this.#sides;
    const last = this.#slabOf(north);
    for (let slab = this.#slabOf(south); slab <= last; slab++) {
      for (const at of this.#slabs[slab] as number[]) {
        const ax = sides[at] as number;
        const ay = sides[at + 1] as number;
        const bx = sides[at + 2] as number;
        const by = sides[at + 3] as number;
        const isApart =
          (ax < west && bx < west) || (ax > east && bx > east) || (ay < south && by < south) || (ay > north && by > north);
        if (!isApart && test(at)) return true;
      }
    }
    return false;
  }
}
