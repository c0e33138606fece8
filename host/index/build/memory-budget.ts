/**
 * How `--max-indexing-memory` is divided. Besides the WebAssembly memory of its builder, each index thread has a heap, payload
 * buffers and code; finishing a segment takes more memory than filling it; and the ids of a batch are in memory while it runs.
 */

type Work = 'tasks' | 'merges';

/** Bytes per thread besides its builder: heap and code of Node.js, payload buffers. */
const THREAD_BYTES = 32 << 20;
/** Share of the whole for merges, where they have a thread of their own. */
const MERGE_SHARE = 0.25;
/** Share of a thread's memory for the builder. Finishing a segment takes up to as much in addition, as measured. */
const BUILDER_SHARE = 0.5;
/** Bytes for incoming bodies: buffers on their way to disk until they are collected, the scanning threads and their engines. */
const STAGING_BYTES = 60 << 20;
/** A smaller builder would make so many small segments that searches become slower. */
const MIN_BUILDER_BYTES = 8 << 20;
/** Several threads build at once only if each can have this many bytes. */
const MIN_PARALLEL_BUILDER_BYTES = 32 << 20;
const MAX_BUILDER_BYTES = 1 << 30;
/** Most bytes of WebAssembly memory in a thread with the smallest builder: a new instance would take as much. */
const MIN_KEPT_BYTES = 36 << 20;
const MAX_KEPT_BYTES = 256 << 20;
const KEPT_SHARE = 0.125;
/** Semi-space of V8 in an index thread: the smaller, the more collections; a larger one than the most gains nothing. */
const MIN_SEMI_SPACE_BYTES = 1 << 20;
const MAX_SEMI_SPACE_BYTES = 8 << 20;
const SEMI_SPACE_SHARE = 1 / 128;
/** Share of the whole for the ids of a batch, and bytes per id with a short key. */
const IDS_SHARE = 0.25;
const ID_BYTES = 100;

/** Whether there is memory for merging while tasks build; otherwise merges and tasks alternate. */
export function mergesBesideTasks(maxIndexingMemory: number): boolean {
  return (maxIndexingMemory - STAGING_BYTES) * MERGE_SHARE >= THREAD_BYTES + MIN_BUILDER_BYTES / BUILDER_SHARE;
}

/** Share of the whole for all threads that do this kind of work. */
function shareOf(maxIndexingMemory: number, work: Work): number {
  const share = !mergesBesideTasks(maxIndexingMemory) ? 1 : work === 'merges' ? MERGE_SHARE : 1 - MERGE_SHARE;
  return Math.max(0, maxIndexingMemory - STAGING_BYTES) * share;
}

/** Bytes for the builder of a thread. @param threads number of threads that build at the same time */
export function builderBudget(maxIndexingMemory: number, work: Work, threads = 1): number {
  const share = shareOf(maxIndexingMemory, work) / threads;
  return Math.min(Math.max((share - THREAD_BYTES) * BUILDER_SHARE, MIN_BUILDER_BYTES), MAX_BUILDER_BYTES);
}

/** How many of the threads can build for tasks at the same time, each with enough memory for segments of a useful size. */
export function threadsInMemory(maxIndexingMemory: number, threads: number): number {
  const each = THREAD_BYTES + MIN_PARALLEL_BUILDER_BYTES / BUILDER_SHARE;
  return Math.max(1, Math.min(threads, Math.floor(shareOf(maxIndexingMemory, 'tasks') / each)));
}

/** Bytes of a builder for each byte of documents, as measured: 1 for documents of 800 bytes, 3.4 for those of 150, many values and few words. */
const BUILDER_EXPANSION = 1.25;

/** Bytes of documents for which a builder has room. */
export function documentBytes(builder: number): number {
  return builder / BUILDER_EXPANSION;
}

/** Bytes of documents that make the largest segments that so many threads can build together. */
export function segmentDocumentBytes(maxIndexingMemory: number, threads: number): number {
  const together = threadsInMemory(maxIndexingMemory, threads);
  return documentBytes(builderBudget(maxIndexingMemory, 'tasks', together) * together);
}

/** The memory left for a builder when ids take `ids` bytes. */
export function builderBytesLeft(builder: number, ids: number): number {
  return Math.max(Math.min(builder, MIN_BUILDER_BYTES), builder - ids * BUILDER_SHARE);
}

/** Merged segments do not grow beyond this many bytes, whatever memory there is. */
const MAX_MERGED_BYTES = 1 << 30;
/**
 * Size of a segment file as a share of the builder's memory: 0.4 for short documents, 1.3 to 1.6 for long ones.
 */
const WRITTEN_SHARE = 0.5;

/** Bytes of the largest segment that a merge is certain to write as one. */
export function largestMerged(maxIndexingMemory: number): number {
  return Math.min(MAX_MERGED_BYTES, builderBudget(maxIndexingMemory, 'merges') * WRITTEN_SHARE);
}

/** A thread whose private memory has grown beyond this many bytes does not keep it for its next job. */
export function keptMemory(maxIndexingMemory: number): number {
  return Math.min(MAX_KEPT_BYTES, Math.max(MIN_KEPT_BYTES, maxIndexingMemory * KEPT_SHARE));
}

/** Bytes of V8's semi-space in each index thread. */
export function semiSpaceBytes(maxIndexingMemory: number): number {
  return Math.min(MAX_SEMI_SPACE_BYTES, Math.max(MIN_SEMI_SPACE_BYTES, maxIndexingMemory * SEMI_SPACE_SHARE));
}

/** Most documents of one batch; the first task of a batch may have more. */
export function documentsInMemory(maxIndexingMemory: number): number {
  return Math.max(1, Math.floor((maxIndexingMemory * IDS_SHARE) / ID_BYTES));
}
