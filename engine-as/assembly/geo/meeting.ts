/** Intersection of areas with shapes, in plane geometry over longitudes and latitudes, edges included. */
import { Area } from './area';
import { INSIDE, isEastOf, isOn, ON_EDGE, OUTSIDE } from './plane';
import { isCrossed, isNear, sideOfRing } from './ring';
import { RUN_HOLE, RUN_LINE, RUN_RING, Run } from './runs';

/** The bounding box of a shape; that of an empty shape intersects nothing. */
@unmanaged
export class Box {
  west: f64;
  south: f64;
  east: f64;
  north: f64;
}

/** Sets the bounding box of the runs in [from, end). */
export function boxInto(box: Box, from: usize, end: usize): void {
  box.west = Infinity;
  box.south = Infinity;
  box.east = -Infinity;
  box.north = -Infinity;
  for (let run = changetype<Run>(from); changetype<usize>(run) < end; run = run.next) {
    for (let i: u32 = 0; i < run.count; i++) {
      box.west = min(box.west, run.x(i));
      box.east = max(box.east, run.x(i));
      box.south = min(box.south, run.y(i));
      box.north = max(box.north, run.y(i));
    }
  }
}

/** Whether a bounding box intersects that of some polygon of an area. */
export function mayMeet(area: Area, box: Box): bool {
  for (let i: u32 = 0; i < area.count; i++) {
    const ring = area.ring(i);
    if (ring.isHole) continue;
    if (box.west <= ring.east && box.east >= ring.west && box.south <= ring.north && box.north >= ring.south) return true;
  }
  return false;
}

/** Whether a shape, the runs in [from, end), intersects an area, or contains it. */
export function meets(area: Area, box: Box, from: usize, end: usize): bool {
  let first: u32 = 0;
  while (first < area.count) {
    let after = first + 1;
    while (after < area.count && area.ring(after).isHole) after++;
    for (let i = first; i < after; i++) {
      area.ring(i).isNear = isNear(area.ring(i), box.west, box.south, box.east, box.north);
    }
    if (polygonMeets(area, first, after, from, end)) return true;
    first = after;
  }
  return false;
}

/** The same for one polygon: the rings [first, after) of an area. */
function polygonMeets(area: Area, first: u32, after: u32, from: usize, end: usize): bool {
  let run = changetype<Run>(from);
  while (changetype<usize>(run) < end) {
    let next = run.next;
    if (run.count > 0 && holds(area, first, after, run.x(0), run.y(0))) return true;
    if (run.kind === RUN_LINE && crosses(area, first, after, run)) return true;
    if (run.kind === RUN_RING) {
      while (changetype<usize>(next) < end && next.kind === RUN_HOLE) next = next.next;
      if (ringMeets(area, first, after, run, changetype<usize>(next))) return true;
    }
    run = next;
  }
  return false;
}

/**
 * Whether a polygon of a shape meets one of an area that does not have its first corner. If no edges cross, one contains the other
 * or they are disjoint, and testing any corner decides.
 */
function ringMeets(area: Area, first: u32, after: u32, outer: Run, end: usize): bool {
  for (let run = outer; changetype<usize>(run) < end; run = run.next) if (crosses(area, first, after, run)) return true;
  const x = area.ring(first).x(0);
  const y = area.ring(first).y(0);
  if (sideOfRun(outer, x, y) === OUTSIDE) return false;
  for (let hole = outer.next; changetype<usize>(hole) < end; hole = hole.next) {
    if (sideOfRun(hole, x, y) === INSIDE) return false;
  }
  return true;
}

/** Whether a point is in a polygon of an area; edges of holes count as inside. */
function holds(area: Area, first: u32, after: u32, x: f64, y: f64): bool {
  if (sideOfRing(area.ring(first), x, y) === OUTSIDE) return false;
  for (let hole = first + 1; hole < after; hole++) if (sideOfRing(area.ring(hole), x, y) === INSIDE) return false;
  return true;
}

/** Whether an edge of a run shares a point with an edge of a polygon of an area. Lines are not closed. */
function crosses(area: Area, first: u32, after: u32, run: Run): bool {
  for (let i = first; i < after; i++) {
    const ring = area.ring(i);
    if (!ring.isNear) continue;
    for (let to: u32 = run.kind === RUN_LINE ? 1 : 0; to < run.count; to++) {
      const from = (to === 0 ? run.count : to) - 1;
      if (isCrossed(ring, run.x(from), run.y(from), run.x(to), run.y(to))) return true;
    }
  }
  return false;
}

/** Position of a point relative to a ring of a shape, by the even-odd rule. */
function sideOfRun(run: Run, x: f64, y: f64): i32 {
  let isInside = false;
  for (let to: u32 = 0; to < run.count; to++) {
    const from = (to === 0 ? run.count : to) - 1;
    if (isOn(run.x(from), run.y(from), run.x(to), run.y(to), x, y)) return ON_EDGE;
    if (isEastOf(run.x(from), run.y(from), run.x(to), run.y(to), x, y)) isInside = !isInside;
  }
  return isInside ? INSIDE : OUTSIDE;
}
