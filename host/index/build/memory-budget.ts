/**
 * How `--max-indexing-memory` is shared out. Besides what builders keep in WebAssembly each index thread has a heap of its own, buffers for
 * payloads, and the code of both; finishing a segment takes more than was used to fill it; and the ids of a batch are in memory while it runs.
 */

/** Of a thread, besides its builder: the heap and the code of Node.js, windows over payloads. */
const THREAD_BYTES = 32 << 20;
/** Merges have a thread of their own; its share of the whole. */
const MERGE_SHARE = 0.25;
/** Of what a thread may take, for the builder; finishing a segment takes the rest on top. */
const BUILDER_SHARE = 0.4;
/** Fewer bytes make segments of which each search has to look through too many. */
const LEAST_BUILDER = 8 << 20;
const LARGEST_BUILDER = 1 << 30;
const LARGEST_KEPT = 256 << 20;
const KEPT_SHARE = 0.125;
/** Of the whole, for the ids of a batch, and what an id takes at most with a short key. */
const IDS_SHARE = 0.25;
const ID_BYTES = 100;

/** Bytes for the builder of a thread. */
export function builderBudget(maxIndexingMemory: number, work: 'tasks' | 'merges'): number {
  const share = maxIndexingMemory * (work === 'merges' ? MERGE_SHARE : 1 - MERGE_SHARE);
  return Math.min(Math.max((share - THREAD_BYTES) * BUILDER_SHARE, LEAST_BUILDER), LARGEST_BUILDER);
}

/** What is left of the memory of a builder while ids take so many bytes. */
export function besideIds(builder: number, ids: number): number {
  return Math.max(Math.min(builder, LEAST_BUILDER), builder - ids * BUILDER_SHARE);
}

/** A thread whose private memory grew beyond this does not keep it for its next job. */
export function keptMemory(maxIndexingMemory: number): number {
  return Math.min(LARGEST_KEPT, maxIndexingMemory * KEPT_SHARE);
}

/** Documents that one batch may have; the first task of a batch may have more. */
export function documentsInMemory(maxIndexingMemory: number): number {
  return Math.max(1, Math.floor((maxIndexingMemory * IDS_SHARE) / ID_BYTES));
}
