import type { StoredSegment } from '../types.js';

/** Segments of one tier that are merged into one. */
const SEGMENTS_PER_TIER = 4;
/** Live bytes of the largest segment of the lowest tier; each further tier is {@link SEGMENTS_PER_TIER} times as large. */
const LOWEST_TIER_BYTES = 1 << 16;
/** A segment is built anew when more than this share of its documents is deleted. */
const DELETED_SHARE = 0.5;

function liveBytes({ fileLength, liveCount, docCount }: StoredSegment): number {
  return (fileLength * liveCount) / docCount;
}

function tierOf(segment: StoredSegment): number {
  return Math.max(0, Math.ceil(Math.log(liveBytes(segment) / LOWEST_TIER_BYTES) / Math.log(SEGMENTS_PER_TIER)));
}

/**
 * Which segments to merge next: those of the lowest tier that is full, or one with many deleted documents; none when the index
 * is in good order. Each document is then rewritten about once a tier.
 * @param largest bytes of the largest segment that a merge can write: what comes near it would only be written anew
 */
export function worthMerging(segments: StoredSegment[], largest: number): StoredSegment[] {
  const tiers = new Map<number, StoredSegment[]>();
  for (const segment of segments) {
    const tier = tierOf(segment);
    tiers.set(tier, [...(tiers.get(tier) ?? []), segment]);
  }
  for (const [, tier] of [...tiers].sort(([a], [b]) => a - b)) {
    const small = tier.filter((segment) => liveBytes(segment) * SEGMENTS_PER_TIER <= largest);
    if (small.length >= SEGMENTS_PER_TIER) return small;
  }
  return segments.filter(({ liveCount, docCount }) => liveCount < docCount * (1 - DELETED_SHARE)).slice(0, 1);
}
