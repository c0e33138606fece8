/** Points and segments in a plane. */

/** Orientation of the triangle abc: sign of the turn from ab to ac, 0 when the points are collinear. */
function turn(ax: number, ay: number, bx: number, by: number, cx: number, cy: number): number {
  return Math.sign((bx - ax) * (cy - ay) - (by - ay) * (cx - ax));
}

/** Whether a point collinear with a segment is on it. */
function between(ax: number, ay: number, bx: number, by: number, x: number, y: number): boolean {
  return Math.min(ax, bx) <= x && x <= Math.max(ax, bx) && Math.min(ay, by) <= y && y <= Math.max(ay, by);
}

/** Whether a point is on a segment. */
export function isOn(ax: number, ay: number, bx: number, by: number, x: number, y: number): boolean {
  return turn(ax, ay, bx, by, x, y) === 0 && between(ax, ay, bx, by, x, y);
}

/** Whether a ray from a point to the east crosses a segment; the segment includes its lower end but not its upper one. */
export function isEastOf(ax: number, ay: number, bx: number, by: number, x: number, y: number): boolean {
  return ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax;
}

/** Whether the segments ab and cd share a point. */
export function cross(ax: number, ay: number, bx: number, by: number, cx: number, cy: number, dx: number, dy: number): boolean {
  const abc = turn(ax, ay, bx, by, cx, cy);
  const abd = turn(ax, ay, bx, by, dx, dy);
  const cda = turn(cx, cy, dx, dy, ax, ay);
  const cdb = turn(cx, cy, dx, dy, bx, by);
  if (abc * abd < 0 && cda * cdb < 0) return true;
  return (
    (abc === 0 && between(ax, ay, bx, by, cx, cy)) ||
    (abd === 0 && between(ax, ay, bx, by, dx, dy)) ||
    (cda === 0 && between(cx, cy, dx, dy, ax, ay)) ||
    (cdb === 0 && between(cx, cy, dx, dy, bx, by))
  );
}

/** Position of a point relative to a ring. */
export const OUTSIDE = -1;
export const ON_EDGE = 0;
export const INSIDE = 1;
