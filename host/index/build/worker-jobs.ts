import type { EditionInput } from '../edition/edition.js';
import type { ThreadContextOptions } from '../memory/thread-context.js';
import type { SpooledBody } from '../payloads/payload-file.js';
import type { ApplyInput, TextsInput } from './batch-job.js';
import type { ExtractInput } from './extract.js';
import type { PartInput, Parts } from './parts.js';
import type { RebuildInput, RebuildTextsInput } from './rebuild.js';
import type { ReviseInput } from './revise.js';

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

/** A body in a file that is to become a payload. */
export type ScanJob = SpooledBody;

/** A small CSV body. */
export interface CsvJob {
  bytes: Uint8Array;
  csvDelimiter?: string | undefined;
}

export interface ApplyJob {
  setup: JobSetup;
  input: ApplyInput;
  parts: Parts;
}

export interface PartJob {
  setup: JobSetup;
  input: PartInput;
}

export interface EditionJob {
  setup: JobSetup;
  input: EditionInput;
}

export interface RebuildJob {
  setup: JobSetup;
  input: RebuildInput;
}

export interface ReviseJob {
  setup: JobSetup;
  input: ReviseInput;
}

export interface TextsJob {
  setup: JobSetup;
  input: TextsInput;
}

export interface RebuildTextsJob {
  setup: JobSetup;
  input: RebuildTextsInput;
}

export interface ExtractJob {
  setup: JobSetup;
  input: ExtractInput;
}

/** ApiErrors do not survive structured cloning, so they are sent as code and message. */
export type JobResult<T> = { ok: true; value: T } | { ok: false; code: string; message: string };
