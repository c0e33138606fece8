import type { MessagePort } from 'node:worker_threads';
import type { Applied } from '../build/apply.js';
import type { ApplyInput, TextsInput, TextsOutput } from '../build/batch/batch-job.js';
import type { ExtractInput, ExtractOutput } from '../build/extract.js';
import type { PartInput, PartOutput, Parts } from '../build/parts.js';
import type { RebuildInput, RebuildOutput, RebuildTextsInput } from '../build/segments/rebuild.js';
import type { ReviseInput } from '../build/segments/revise.js';
import type { EditionInput, EditionOutput } from '../edition/edition.js';
import type { ThreadContextOptions } from '../memory/thread-context.js';
import type { StoredSegment } from '../record.js';

/** i32 cells of a job: its progress, its writes to segment files, and those that had to wait for the disk. */
export const PROGRESS = { step: 0, finished: 1, total: 2, writes: 3, blockedWrites: 4, cells: 5 } as const;

/**
 * What an index thread receives once, when it starts. The WebAssembly modules are included because V8 counts the code of each
 * received module to the heap: sending one per job caused a garbage collection per job.
 */
export interface ThreadSetup {
  readerContext: Omit<ThreadContextOptions, 'reader'>;
  /** One i32: the id of the newest segment of the database. */
  newestSegment: SharedArrayBuffer;
  /** Bytes of private memory that the thread may keep for its next job. */
  keptMemory: number;
  /** Nice value of the thread, 0 to 19. */
  niceness: number;
  /** Bytes up to which vectors are scanned: see {@link BuilderConfig.scanBytes}. */
  vectorScanLimit: number | undefined;
}

/** What every job receives; structured-cloneable. */
export interface JobSetup {
  /** Reader number of the job: which arena it uses. */
  reader: number;
  memories: WebAssembly.Memory[];
  sizes: number[];
  memoryBudget: number;
  /** i32 cells, see {@link PROGRESS}. */
  progress: SharedArrayBuffer;
}

/** A small CSV body. */
export interface CsvJob {
  bytes: Uint8Array;
  csvDelimiter?: string | undefined;
}

/** The jobs that read and build segments: what each receives besides its setup, and what it returns. */
export interface BuildJobs {
  /** Applies a batch of document operations and builds the documents, or returns how the batch is to be divided. */
  apply: { input: { batch: ApplyInput; parts: Parts }; output: Applied };
  /** The fields of one part of a divided batch. */
  learn: { input: PartInput; output: string[] };
  /** Builds one part of a divided batch. */
  buildPart: { input: PartInput; output: PartOutput };
  /** Writes the texts of a batch that need embeddings. */
  documentTexts: { input: TextsInput; output: TextsOutput };
  /** Writes the texts that need embeddings under new settings. */
  rebuildTexts: { input: RebuildTextsInput; output: number };
  /** Runs a script over stored documents. */
  edit: { input: EditionInput; output: EditionOutput };
  /** Builds segments from stored documents. */
  rebuild: { input: RebuildInput; output: RebuildOutput };
  /** Revises segments for new settings: builds the parts that change, copies the rest. */
  revise: { input: ReviseInput; output: StoredSegment[] | null };
  /** Writes stored documents as NDJSON. */
  extract: { input: ExtractInput; output: ExtractOutput };
}

/** A job as it is sent to a thread. */
export interface BuildTask<Name extends keyof BuildJobs = keyof BuildJobs> {
  name: Name;
  setup: JobSetup;
  input: BuildJobs[Name]['input'];
  /** Closes when the thread ends. */
  life: MessagePort;
}

/** ApiErrors do not survive structured cloning, so they are sent as code and message. */
export type JobResult<T> = { ok: true; value: T } | { ok: false; code: string; message: string };
