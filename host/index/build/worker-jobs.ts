import type { EngineInstance } from '../../../bindings/engine/instance.js';
import type { IndexReader } from '../../../bindings/engine/segments.js';
import type { IndexView } from '../../../bindings/index-types.js';
import type { EditionInput } from '../edition/edition.js';
import type { ThreadContextOptions } from '../memory/thread-context.js';
import type { SpooledBody } from '../payloads/payload-file.js';
import type { ApplyInput, TextsInput } from './apply.js';
import type { ExtractInput } from './extract.js';
import type { PartInput, Parts } from './parts.js';
import type { RebuildInput, RebuildTextsInput } from './rebuild.js';
import type { ReviseInput } from './revise.js';
import type { SegmentWriterOptions } from './segment-writer.js';

/** Steps that jobs report, in the order in which they come. */
export const STEPS = [
  'starting',
  'running the function',
  'checking documents',
  'indexing documents',
  'writing documents',
] as const;
export type Step = (typeof STEPS)[number];

/** i32 cells of a job: its progress, its writes to segment files and those of them that had to wait for the disk. */
export const PROGRESS = { step: 0, finished: 1, total: 2, writes: 3, blockedWrites: 4, cells: 5 } as const;

/** What a job works with inside an index thread. */
export interface BuildResources {
  /** Private: builds segments, scans JSON. */
  instance: EngineInstance;
  /** Opens an index over the shared memories, for the length of the job. */
  open(view: IndexView): IndexReader;
  writerOptions: Pick<SegmentWriterOptions, 'folder' | 'nextId' | 'memoryBudget' | 'provideWordList' | 'onWrite'>;
  progress(step: Step, finished: number, total: number): void;
}

/**
 * What an index thread is given once, when it starts. Modules are among it: a thread that is sent one with each job collects its garbage
 * each time, as V8 counts the code of the module to the heap anew.
 */
export interface ThreadSetup {
  /** The `plain` target. */
  plain: WebAssembly.Module;
  readerContext: Omit<ThreadContextOptions, 'reader'>;
  /** i32: the id of the newest segment of the database. */
  newestSegment: SharedArrayBuffer;
  /** Bytes of private memory that the thread may keep for its next job. */
  keptMemory: number;
  /** Priority of the thread, 0 to 19. */
  niceness: number;
}

/** What every job brings along; structured cloning carries it. */
export interface JobSetup {
  /** Which arena is the job's. */
  reader: number;
  memories: WebAssembly.Memory[];
  sizes: number[];
  memoryBudget: number;
  /** i32 cells, see {@link PROGRESS}. */
  progress: SharedArrayBuffer;
}

/** A body in a file that is to become a payload. */
export type ScanJob = SpooledBody;

/** A CSV body that is small. */
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

/** ApiErrors do not survive the way between threads: they travel as their code and message. */
export type JobResult<T> = { ok: true; value: T } | { ok: false; code: string; message: string };
