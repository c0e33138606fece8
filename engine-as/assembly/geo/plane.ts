/** Points and segments in a plane. */

/** Orientation of the triangle abc: sign of the turn from ab to ac, 0 when the points are collinear. */
function turn(ax: f64, ay: f64, bx: f64, by: f64, cx: f64, cy: f64): i32 {
  const area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
  return <i32>(area > 0) - <i32>(area < 0);
}

/** Whether a point collinear with a segment is on it. */
function isBetween(ax: f64, ay: f64, bx: f64, by: f64, x: f64, y: f64): bool {
  return min(ax, bx) <= x && x <= max(ax, bx) && min(ay, by) <= y && y <= max(ay, by);
}

/** Whether a point is on a segment. */
export function isOn(ax: f64, ay: f64, bx: f64, by: f64, x: f64, y: f64): bool {
  return turn(ax, ay, bx, by, x, y) === 0 && isBetween(ax, ay, bx, by, x, y);
}

/** Whether a ray from a point to the east crosses a segment; the segment includes its lower end but not its upper one. */
export function isEastOf(ax: f64, ay: f64, bx: f64, by: f64, x: f64, y: f64): bool {
  return ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax;
}

/** Whether the segments ab and cd share a point. */
export function isCrossing(ax: f64, ay: f64, bx: f64, by: f64, cx: f64, cy: f64, dx: f64, dy: f64): bool {
  const abc = turn(ax, ay, bx, by, cx, cy);
  const abd = turn(ax, ay, bx, by, dx, dy);
  const cda = turn(cx, cy, dx, dy, ax, ay);
  const cdb = turn(cx, cy, dx, dy, bx, by);
  if (abc * abd < 0 && cda * cdb < 0) return true;
  return (
    (abc === 0 && isBetween(ax, ay, bx, by, cx, cy)) ||
    (abd === 0 && isBetween(ax, ay, bx, by, dx, dy)) ||
    (cda === 0 && isBetween(cx, cy, dx, dy, ax, ay)) ||
    (cdb === 0 && isBetween(cx, cy, dx, dy, bx, by))
  );
}

/** Position of a point relative to a ring. */
export const OUTSIDE: i32 = -1;
export const ON_EDGE: i32 = 0;
export const INSIDE: i32 = 1;
