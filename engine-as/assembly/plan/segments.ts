/** The segments of an index, for a search or for writing its hits. */

/** A segment of the index. */
@unmanaged
export class PlanSegment {
  id: u32;
  /** first slot */
  base: u32;
  docCount: u32;
  /** SegmentView, in the memory of the segment */
  view: usize;
  /** bitmap of deleted documents, in the memory of the segment; 0: none */
  tombstones: usize;
  /** 1: it is in the memory of the instance that ranks */
  isHere: u32;
}

/** Followed by a PlanSegment of each, by ascending slots. */
@unmanaged
export class Segments {
  count: u32;

  at(number: u32): PlanSegment {
    return changetype<PlanSegment>(changetype<usize>(this) + offsetof<Segments>() + <usize>number * offsetof<PlanSegment>());
  }

  /** Number of the segment of a slot. */
  numberOf(slot: u32): u32 {
    let low: u32 = 0;
    let high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.at(middle).base <= slot) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
