/** What decides which segments a batch takes. */
export interface TakingLimits {
  /** Bytes of documents from which on a batch takes segments: small ones should be committed soon. */
  leastBytes: number;
  /** Bytes of documents that one segment can have. */
  mostBytes: number;
}

/**
 * Segments whose documents are built again have at most this share of the bytes of the batch, so that an import takes at most so much
 * longer. Between batches of equal size nothing is taken; where each is larger than all before it, as when payloads arrive faster than
 * they are built, one segment is left.
 */
const TAKEN_SHARE = 0.6;

/**
 * The segments that a batch replaces: their documents are built into its own segments, together with the new ones.
 * @param sizes bytes of the live documents of each segment of the index. @param bytes of the documents of the batch
 * @returns their positions in the index
 */
export function takenSegments(
  sizes: readonly number[],
  bytes: number,
  { leastBytes, mostBytes }: TakingLimits,
): ReadonlySet<number> {
  const taken = new Set<number>();
  if (bytes < leastBytes) return taken;
  const room = Math.min(bytes * TAKEN_SHARE, mostBytes - bytes);
  let sum = 0;
  for (const [position, size] of [...sizes.entries()].sort((a, b) => a[1] - b[1])) {
    sum += size;
    if (sum > room) break;
    taken.add(position);
  }
  return taken;
}
