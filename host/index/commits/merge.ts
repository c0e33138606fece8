import type { StoredSegment } from '../record.js';

/** Segments of one tier that are merged into one. */
const SEGMENTS_PER_TIER = 4;
/**
 * Live bytes of the largest segment of the lowest tier; each tier is {@link SEGMENTS_PER_TIER} times as large as the one before.
 */
const LOWEST_TIER_BYTES = 1 << 16;
/** Share of deleted documents above which a segment is rebuilt. */
const DELETED_SHARE = 0.5;

function liveBytes({ fileLength, liveCount, docCount }: StoredSegment): number {
  return (fileLength * liveCount) / docCount;
}

function tierOf(segment: StoredSegment): number {
  return Math.max(0, Math.ceil(Math.log(liveBytes(segment) / LOWEST_TIER_BYTES) / Math.log(SEGMENTS_PER_TIER)));
}

/**
 * Selects the segments to merge next, by a tiered merge policy: those of the lowest full tier, or one with many deleted
 * documents; none when there is nothing to do. Each document is thus rewritten about once per tier.
 * @param largest bytes of the largest segment that a merge can write; segments near that size are left alone
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
