/**
 * A ring of an area, prepared for many tests. The plane is divided into horizontal slabs of equal height, each with the sides
 * that touch it, so that only sides near a point or segment are tested.
 */
import { alloc, allocZeroed } from '../runtime/arena';
import { INSIDE, isCrossing, isEastOf, isOn, ON_EDGE, OUTSIDE } from './plane';
import { POSITION_BYTES } from './runs';

/** Sides per slab: most slabs then have few sides, and a ring of four sides is not divided much. */
const SIDES_PER_SLAB: u32 = 2;
/** A side may touch all slabs: the memory for long sides stays in proportion to their number. */
const MAX_SLABS: u32 = 512;

@unmanaged
export class Ring {
  west: f64;
  south: f64;
  east: f64;
  north: f64;
  /** f64 pairs of longitude and latitude; the last one is connected to the first */
  corners: usize;
  count: u32;
  slabs: u32;
  /** u32[slabs + 1]: first of the sides of each slab, and u32[]: these sides, numbered by the corners at their ends */
  starts: usize;
  sides: usize;
  /** whether it is a hole of the last ring before it that is none */
  isHole: bool;
  /** whether the shape that is tested now may cross it, see {@link isNear} */
  isNear: bool;

  x(corner: u32): f64 {
    return load<f64>(this.corners + <usize>corner * POSITION_BYTES);
  }

  y(corner: u32): f64 {
    return load<f64>(this.corners + <usize>corner * POSITION_BYTES, 8);
  }

  before(corner: u32): u32 {
    return (corner === 0 ? this.count : corner) - 1;
  }

  /** Monotonic in y whatever the rounding, so a point on a side is always in a slab of that side. */
  slabOf(y: f64): u32 {
    if (this.south === this.north) return 0;
    const slab = Math.floor(((y - this.south) * <f64>this.slabs) / (this.north - this.south));
    return <u32>max<f64>(0, min<f64>(<f64>(this.slabs - 1), slab));
  }

  lowestSlab(side: u32): u32 {
    return this.slabOf(min(this.y(side), this.y(this.before(side))));
  }

  highestSlab(side: u32): u32 {
    return this.slabOf(max(this.y(side), this.y(this.before(side))));
  }

  start(slab: u32): u32 {
    return load<u32>(this.starts + ((<usize>slab) << 2));
  }

  side(place: u32): u32 {
    return load<u32>(this.sides + ((<usize>place) << 2));
  }
}

/** Prepares a ring. `corners`: `count` f64 pairs, at least one. */
export function ringInto(ring: Ring, corners: usize, count: u32, isHole: bool): void {
  ring.corners = corners;
  ring.count = count;
  ring.isHole = isHole;
  ring.west = Infinity;
  ring.south = Infinity;
  ring.east = -Infinity;
  ring.north = -Infinity;
  for (let i: u32 = 0; i < count; i++) {
    ring.west = min(ring.west, ring.x(i));
    ring.east = max(ring.east, ring.x(i));
    ring.south = min(ring.south, ring.y(i));
    ring.north = max(ring.north, ring.y(i));
  }
  divide(ring);
}

function divide(ring: Ring): void {
  ring.slabs = min<u32>(MAX_SLABS, max<u32>(1, ring.count / SIDES_PER_SLAB));
  // Each start is first that of the slab before it, and moves on with every side that is added.
  ring.starts = allocZeroed((<usize>ring.slabs + 1) << 2) + 4;
  let total: u32 = 0;
  for (let side: u32 = 0; side < ring.count; side++) {
    const last = ring.highestSlab(side);
    for (let slab = ring.lowestSlab(side); slab <= last; slab++) add(ring, slab, 1);
  }
  for (let slab: u32 = 0; slab < ring.slabs; slab++) {
    const own = ring.start(slab);
    store<u32>(ring.starts + ((<usize>slab) << 2), total);
    total += own;
  }
  ring.sides = alloc((<usize>total) << 2);
  for (let side: u32 = 0; side < ring.count; side++) {
    const last = ring.highestSlab(side);
    for (let slab = ring.lowestSlab(side); slab <= last; slab++) {
      store<u32>(ring.sides + ((<usize>ring.start(slab)) << 2), side);
      add(ring, slab, 1);
    }
  }
  ring.starts -= 4;
}

function add(ring: Ring, slab: u32, count: u32): void {
  store<u32>(ring.starts + ((<usize>slab) << 2), ring.start(slab) + count);
}

/** Position of a point relative to a ring, by the even-odd rule. */
export function sideOfRing(ring: Ring, x: f64, y: f64): i32 {
  if (x < ring.west || x > ring.east || y < ring.south || y > ring.north) return OUTSIDE;
  const slab = ring.slabOf(y);
  const end = ring.start(slab + 1);
  let isInside = false;
  for (let place = ring.start(slab); place < end; place++) {
    const side = ring.side(place);
    const from = ring.before(side);
    if (isOn(ring.x(from), ring.y(from), ring.x(side), ring.y(side), x, y)) return ON_EDGE;
    if (isEastOf(ring.x(from), ring.y(from), ring.x(side), ring.y(side), x, y)) isInside = !isInside;
  }
  return isInside ? INSIDE : OUTSIDE;
}

/** Whether the bounding box of some side intersects a box; if not, nothing in the box crosses the ring. */
export function isNear(ring: Ring, west: f64, south: f64, east: f64, north: f64): bool {
  return someSide(ring, west, south, east, north, false);
}

/** Whether a side shares a point with the segment ab. */
export function isCrossed(ring: Ring, ax: f64, ay: f64, bx: f64, by: f64): bool {
  return someSide(ring, ax, ay, bx, by, true);
}

/** Whether the bounding box of some side intersects that of a and b and, if `crosses`, the side shares a point with the segment ab. */
function someSide(ring: Ring, ax: f64, ay: f64, bx: f64, by: f64, crosses: bool): bool {
  const west = min(ax, bx);
  const east = max(ax, bx);
  const south = min(ay, by);
  const north = max(ay, by);
  if (north < ring.south || south > ring.north || east < ring.west || west > ring.east) return false;
  const end = ring.start(ring.slabOf(north) + 1);
  for (let place = ring.start(ring.slabOf(south)); place < end; place++) {
    const side = ring.side(place);
    const from = ring.before(side);
    const cx = ring.x(from);
    const cy = ring.y(from);
    const dx = ring.x(side);
    const dy = ring.y(side);
    if ((cx < west && dx < west) || (cx > east && dx > east)) continue;
    if ((cy < south && dy < south) || (cy > north && dy > north)) continue;
    if (!crosses || isCrossing(ax, ay, bx, by, cx, cy, dx, dy)) return true;
  }
  return false;
}
