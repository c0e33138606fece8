/**
 * How `--max-indexing-memory` is shared out. Besides what builders keep in WebAssembly each index thread has a heap of its own, buffers for
 * payloads, and the code of both; finishing a segment takes more than was used to fill it; and the ids of a batch are in memory while it runs.
 */

type Work = 'tasks' | 'merges';

/** The least that is kept to: bodies that come in, one thread that builds, and the ids of a batch. */
export const MIN_INDEXING_MEMORY = 128 << 20;

/** Of a thread, besides its builder: the heap and the code of Node.js, windows over payloads. */
const THREAD_BYTES = 32 << 20;
/** Where merges have a thread of their own: its share of the whole. */
const MERGE_SHARE = 0.25;
/** Of what a thread may take, for the builder; finishing a segment takes the rest on top: two and a half times as much, as measured. */
const BUILDER_SHARE = 0.28;
/** Of bodies that come in: buffers on their way to the disk until they are collected, the threads that check them, their engines. */
const STAGING_BYTES = 60 << 20;
/** Fewer bytes make segments of which each search has to look through too many. */
const MIN_BUILDER_BYTES = 8 << 20;
/** Several threads are only used where each can have so many bytes. */
const MIN_PARALLEL_BUILDER_BYTES = 32 << 20;
const MAX_BUILDER_BYTES = 1 << 30;
/** What a thread with the smallest builder takes at most in WebAssembly: to make it anew would take as much. */
const MIN_KEPT_BYTES = 36 << 20;
const MAX_KEPT_BYTES = 256 << 20;
const KEPT_SHARE = 0.125;
/** Of the whole, for the ids of a batch, and what an id takes at most with a short key. */
const IDS_SHARE = 0.25;
const ID_BYTES = 100;

/** Whether there is memory for a thread that merges while others build for tasks; else merges and tasks take turns. */
export function mergesBesideTasks(maxIndexingMemory: number): boolean {
  return (maxIndexingMemory - STAGING_BYTES) * MERGE_SHARE >= THREAD_BYTES + MIN_BUILDER_BYTES / BUILDER_SHARE;
}

/** Of the whole, for all threads that do such work. */
function shareOf(maxIndexingMemory: number, work: Work): number {
  const share = !mergesBesideTasks(maxIndexingMemory) ? 1 : work === 'merges' ? MERGE_SHARE : 1 - MERGE_SHARE;
  return Math.max(0, maxIndexingMemory - STAGING_BYTES) * share;
}

/** Bytes for the builder of a thread. @param threads that build at the same time */
export function builderBudget(maxIndexingMemory: number, work: Work, threads = 1): number {
  const share = shareOf(maxIndexingMemory, work) / threads;
  return Math.min(Math.max((share - THREAD_BYTES) * BUILDER_SHARE, MIN_BUILDER_BYTES), MAX_BUILDER_BYTES);
}

/** How many of the threads can build for tasks at the same time, each with memory for segments of a useful size. */
export function threadsInMemory(maxIndexingMemory: number, threads: number): number {
  const each = THREAD_BYTES + MIN_PARALLEL_BUILDER_BYTES / BUILDER_SHARE;
  return Math.max(1, Math.min(threads, Math.floor(shareOf(maxIndexingMemory, 'tasks') / each)));
}

/** What is left of the memory of a builder while ids take so many bytes. */
export function besideIds(builder: number, ids: number): number {
  return Math.max(Math.min(builder, MIN_BUILDER_BYTES), builder - ids * BUILDER_SHARE);
}

/** Merged segments do not grow beyond this, whatever memory there is. */
const MAX_MERGED_BYTES = 1 << 30;
/** Of the memory of a builder, for the file of its segment: between a half and all of it, as texts compress. */
const WRITTEN_SHARE = 0.5;

/** Bytes of the largest segment that a merge can surely write as one. */
export function largestMerged(maxIndexingMemory: number): number {
  return Math.min(MAX_MERGED_BYTES, builderBudget(maxIndexingMemory, 'merges') * WRITTEN_SHARE);
}

/** A thread whose private memory grew beyond this does not keep it for its next job. */
export function keptMemory(maxIndexingMemory: number): number {
  return Math.min(MAX_KEPT_BYTES, Math.max(MIN_KEPT_BYTES, maxIndexingMemory * KEPT_SHARE));
}

/** Documents that one batch may have; the first task of a batch may have more. */
export function documentsInMemory(maxIndexingMemory: number): number {
  return Math.max(1, Math.floor((maxIndexingMemory * IDS_SHARE) / ID_BYTES));
}
