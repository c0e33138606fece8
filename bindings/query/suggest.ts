/** Typos permitted in a received name, by its longest length in bytes. */
const LIMITS: readonly [bytes: number, distance: number][] = [
  [3, 0],
  [7, 1],
  [12, 2],
  [17, 3],
  [24, 4],
  [Number.POSITIVE_INFINITY, 5],
];

/** The accepted name that was probably meant, or null; the first of equally close ones. */
export function closestName(received: string, accepted: readonly string[]): string | null {
  const bytes = new TextEncoder().encode(received).length;
  const limit = LIMITS.find(([longest]) => bytes <= longest)?.[1] ?? 0;
  let closest: string | null = null;
  let best = limit + 1;
  for (const name of accepted) {
    if (Math.abs(received.length - name.length) >= best) continue;
    const typos = typoDistance(received, name);
    if (typos < best) {
      best = typos;
      closest = name;
    }
  }
  return closest;
}

/** A sentence that names it, for the end of a message; empty when there is none. */
export function suggestion(received: string, accepted: readonly string[]): string {
  const meant = closestName(received, accepted);
  return meant === null ? '' : ` Did you mean \`${meant}\`?`;
}

/** Number of insertions, deletions, substitutions and transpositions of neighbours between two texts. */
export function typoDistance(a: string, b: string): number {
  let twoAbove: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(above[column]! + 1, current[column - 1]! + 1, above[column - 1]! + (same ? 0 : 1));
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, twoAbove[column - 2]! + 1);
      }
      current.push(cost);
    }
    twoAbove = above;
    above = current;
  }
  return above[b.length]!;
}
