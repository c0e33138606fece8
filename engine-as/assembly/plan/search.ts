/** The state of one search. */

import { Memo } from '../cache/memo';
import { Graph } from '../graph/graph';
import { now } from '../runtime/env';
import { bitmapBytes } from '../segment/layout';
import { Numbering } from './numbering';
import { OrdinalLists } from './ordinal-lists';
import { IndexPlan, Plan } from './plan';
import { PlanSegment } from './segments';

@unmanaged
export class Search {
  /** deadline on the host's clock */
  deadline: f64;
  /** deadline for finding derivations and phrases */
  matchingDeadline: f64;
  plan: Plan;
  index: IndexPlan;
  /** u16 per field: 0 is the best weight, see rank/rules/attribute-rank */
  weights: usize;
  memo: Memo;
  /** bytes of a bitmap over slots, or over the numbers of {@link numbering} */
  bytes: u32;
  /** dense numbers of the current bucket; 0: bitmaps are over slots */
  numbering: Numbering;
  /** bitmap of the live documents */
  live: usize;
  hasDeleted: bool;
  /** whether all segments are in the memory of this instance */
  inOneMemory: bool;
  graph: Graph;
  /** u32 per node: see graph/removal; 0: no node may be dropped */
  groups: usize;
  /** bitmap of documents excluded by distinct; 0: none */
  duplicates: usize;
  /** state of the searches for the nearest documents; 0: vectors are not compared */
  ordinals: OrdinalLists;
  /** bitmap of the documents below the threshold; 0: the search has none */
  removed: usize;
  /** the deadline passed before all were ranked */
  degraded: bool;
  /** documents of the buckets that were divided since the clock was read, see {@link isExpired} */
  unclocked: u32;
}

/** Documents of divided buckets between two readings of the clock: dividing this many takes at most a few hundred microseconds. */
export const CLOCK_EVERY: u32 = 128;

/** The address of an offset in the settings. */
export function inIndex(index: IndexPlan, offset: usize): usize {
  return changetype<usize>(index) + offset;
}

export function segmentOf(search: Search, number: u32): PlanSegment {
  return search.plan.segments.at(number);
}

/** Size of a bitmap over the documents of a segment. */
export function segmentBytes(search: Search, number: u32): u32 {
  return bitmapBytes(segmentOf(search, number).docCount);
}

/** The share of a segment in the documents of the index, 0 to 1. */
export function segmentShare(search: Search, number: u32): f64 {
  return <f64>segmentBytes(search, number) / <f64>search.bytes;
}

/** Whether the deadline for derivations and phrases has passed. */
export function isMatchingExpired(search: Search): bool {
  return now() > search.matchingDeadline;
}

/**
 * Whether the deadline of the search has passed. The clock is read at the first call, and when enough was divided since.
 * @param documents of the bucket that is being divided
 */
export function isExpired(search: Search, documents: u32): bool {
  search.unclocked += min<u32>(documents, CLOCK_EVERY);
  if (search.unclocked < CLOCK_EVERY) return false;
  if (now() > search.deadline) return true;
  search.unclocked = 0;
  return false;
}
