/** A set of uids as ascending inclusive ranges: small when a filter matched everything. */
export type UidRanges = [from: number, to: number][];

/** `uids` must ascend. */
export function toRanges(uids: number[]): UidRanges {
  const ranges: UidRanges = [];
  for (const uid of uids) {
    const last = ranges.at(-1);
    if (last && last[1] === uid - 1) last[1] = uid;
    else ranges.push([uid, uid]);
  }
  return ranges;
}

export function inRanges(ranges: UidRanges, uid: number): boolean {
  return ranges.some(([from, to]) => uid >= from && uid <= to);
}
