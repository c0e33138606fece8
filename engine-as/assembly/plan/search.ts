/** What one search works with. */
import { Graph } from '../graph/graph';
import { Memo } from '../rank/memo';
import { Numbering } from '../rank/numbering';
import { now } from '../runtime/env';
import { bitmapBytes } from '../segment/layout';
import { IndexPlan, Plan, PlanSegment } from './plan';

@unmanaged
export class Search {
  /** when the time is over, by the clock of the host */
  deadline: f64;
  /** when words stop to be looked for in the place of others */
  matchingDeadline: f64;
  plan: Plan;
  index: IndexPlan;
  /** u16 a field: 0 is the best weight */
  weights: usize;
  memo: Memo;
  /** of a bitmap over slots, or over the numbers of {@link numbering} */
  bytes: u32;
  /** the bucket at hand has numbers of its own; 0: slots */
  numbering: Numbering;
  /** bitmap of the documents that are not deleted */
  live: usize;
  hasDeleted: bool;
  /** the segments stand in the memory of this instance */
  inOneMemory: bool;
  graph: Graph;
  /** u32 a node: see graph/removal; 0: nothing may be dropped */
  groups: usize;
  /** bitmap of documents that lost to an equivalent one, so that they no longer take part; 0: none will */
  dead: usize;
  /** bitmap of the documents below the threshold; 0: the search has none */
  removed: usize;
  /** the time was over before all was ranked */
  degraded: bool;
}

/** What stands at an offset of the settings. */
export function inIndex(index: IndexPlan, offset: usize): usize {
  return changetype<usize>(index) + offset;
}

export function segmentOf(search: Search, number: u32): PlanSegment {
  return search.plan.segments.at(number);
}

/** Bytes of a bitmap over the documents of a segment. */
export function segmentBytes(search: Search, number: u32): u32 {
  return bitmapBytes(segmentOf(search, number).docCount);
}

/** Is the time over in which words and phrases are looked for that stand for others? */
export function isMatchingExpired(search: Search): bool {
  return now() > search.matchingDeadline;
}

/** Is the time of the search over? */
export function isExpired(search: Search): bool {
  return now() > search.deadline;
}
