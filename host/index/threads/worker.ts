import fs from 'node:fs';
import os from 'node:os';
import { workerData } from 'node:worker_threads';
import { vectorScanLimit } from '../../../bindings/engine/builder-config.js';
import { type EngineInstance, unsharedInstance } from '../../../bindings/engine/instance.js';
import { IndexReader } from '../../../bindings/engine/segments.js';
import { keepWordList } from '../../../bindings/engine/word-lists.js';
import { ApiError } from '../../../bindings/errors.js';
import { collectAll } from '../../runtime/collect.js';
import { isSystemError, storageError } from '../../storage/errors.js';
import { applyDocuments, textsOfDocuments } from '../build/apply.js';
import { type BuildResources, STEPS, type Step } from '../build/build-resources.js';
import { extract } from '../build/extract.js';
import { buildPart, learnPart } from '../build/parts.js';
import { rebuild, textsOfRebuild } from '../build/segments/rebuild.js';
import { revise } from '../build/segments/revise.js';
import { editDocuments } from '../edition/edition.js';
import { Sandbox } from '../edition/sandbox.js';
import { ThreadContext } from '../memory/thread-context.js';
import { readWordList, wordListSizes } from '../memory/word-lists.js';
import { csvDocuments } from '../payloads/payload-csv.js';
import { payloadBytes } from '../payloads/payload-format.js';
import type { ScannedPayload, SmallPayload } from '../payloads/scanned-payload.js';
import {
  convertCsv as convert,
  type ScannedPiece,
  type SpooledCsv,
  type SpooledPiece,
  scanPiece as scan,
} from '../payloads/spooled-payload.js';
import { type BuildJobs, type BuildTask, type CsvJob, type JobResult, PROGRESS, type ThreadSetup } from './worker-jobs.js';

/** By step: documents between two progress updates. */
const REPORT_EVERY: Record<Step, number> = {
  starting: 1,
  'checking documents': 256,
  // A watchdog ends scripts that hang in one document, so each is reported.
  'running the function': 1,
  'indexing documents': 256,
  'writing documents': 256,
};
const BLOCK_BYTES = 65536;
/** Persistent arena of the private memory: large enough for all word lists. */
const PERSISTENT_BYTES = wordListSizes().reduce((sum, bytes) => sum + Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES, 4 << 20);

/** Milliseconds without a job after which a thread frees memory beyond what it may keep. */
const REST_AFTER = 30_000;
const REST_BYTES = 32 << 20;

const thread = workerData as ThreadSetup;
vectorScanLimit.bytes = thread.vectorScanLimit;
let idleInstance: EngineInstance | null = null;
let resting: NodeJS.Timeout | undefined;
let lowered = false;

/** Scans a piece of a JSON body in a file. */
export function scanPiece(piece: SpooledPiece): Promise<JobResult<ScannedPiece>> {
  return outcome((instance) => scan(instance, piece));
}

/** Turns a CSV body in a file into a payload. */
export function convertCsv(body: SpooledCsv): Promise<JobResult<ScannedPayload>> {
  return resultOf(() => convert(body));
}

/** Turns a small CSV body into a payload. */
export function scanCsv({ bytes, csvDelimiter }: CsvJob): Promise<JobResult<SmallPayload>> {
  return resultOf(async () => {
    const { text, ...ranges } = await csvDocuments(bytes, csvDelimiter);
    const content = payloadBytes(text, ranges);
    return { file: null, count: ranges.count, bytes: content.length, content };
  });
}

/** Checks that a script compiles. */
export async function checkScript({ script }: { script: string }): Promise<JobResult<null>> {
  return resultOf(async () => {
    await Sandbox.check(script);
    return null;
  });
}

type BuildJob<Name extends keyof BuildJobs> = (
  input: BuildJobs[Name]['input'],
  resources: BuildResources,
) => BuildJobs[Name]['output'] | Promise<BuildJobs[Name]['output']>;

const JOBS: { [Name in keyof BuildJobs]: BuildJob<Name> } = {
  apply: ({ batch, parts }, resources) => applyDocuments(batch, parts, resources),
  learn: learnPart,
  buildPart,
  documentTexts: textsOfDocuments,
  rebuildTexts: textsOfRebuild,
  edit: editDocuments,
  rebuild,
  revise,
  extract,
};

/** Runs a job of {@link JOBS}. */
export async function build<Name extends keyof BuildJobs>({
  name,
  setup,
  input,
}: BuildTask<Name>): Promise<JobResult<BuildJobs[Name]['output']>> {
  lowerPriority();
  const readerContext = new ThreadContext({ ...thread.readerContext, reader: setup.reader });
  readerContext.setMemories(setup.memories, setup.sizes);
  const newest = new Int32Array(thread.newestSegment);
  const cells = new Int32Array(setup.progress);
  try {
    return await outcome((instance) =>
      JOBS[name](input, {
        instance,
        open: (view) => new IndexReader(view, readerContext),
        writerOptions: {
          folder: thread.readerContext.segments,
          nextId: () => Atomics.add(newest, 0, 1) + 1,
          memoryBudget: setup.memoryBudget,
          onWrite: (blocked) => {
            Atomics.add(cells, PROGRESS.writes, 1);
            if (blocked) Atomics.add(cells, PROGRESS.blockedWrites, 1);
          },
          provideWordList: (list) => {
            const bytes = readWordList(list);
            if (bytes) keepWordList(instance, list, bytes);
          },
        },
        progress: (step, finished, total) => {
          if (finished % REPORT_EVERY[step] !== 0) return;
          Atomics.store(cells, PROGRESS.step, STEPS.indexOf(step));
          Atomics.store(cells, PROGRESS.finished, finished);
          Atomics.store(cells, PROGRESS.total, total);
        },
      }),
    );
  } finally {
    readerContext.keepFiles(new Set());
  }
}

async function outcome<T>(job: (instance: EngineInstance) => T | Promise<T>): Promise<JobResult<T>> {
  clearTimeout(resting);
  const result = await jobResult(job);
  // An instance that was too large to be kept: what it built is loaded into memory next, and the next instance grows.
  if (!idleInstance) collectAll();
  resting = setTimeout(releaseMemory, REST_AFTER).unref();
  return result;
}

/** Runs a job with the idle instance, or a new one, which is kept for the next job unless its memory has grown too large. */
async function jobResult<T>(job: (instance: EngineInstance) => T | Promise<T>): Promise<JobResult<T>> {
  const instance = idleInstance ?? unsharedInstance(thread.readerContext.module, PERSISTENT_BYTES);
  // After a trap the state of the engine is undefined, so an instance is kept only if its job ended normally.
  idleInstance = null;
  const mark = instance.exports.arenaMark();
  const result = await resultOf(() => job(instance));
  instance.exports.arenaReset(mark);
  if (instance.bytes.length <= thread.keptMemory) idleInstance = instance;
  return result;
}

async function resultOf<T>(job: () => T | Promise<T>): Promise<JobResult<T>> {
  try {
    return { ok: true, value: await job() };
  } catch (error) {
    if (!(error instanceof ApiError) && !isSystemError(error)) throw error;
    const { code, message } = storageError(error);
    return { ok: false, code, message };
  }
}

/** Unreferenced memory is returned to the system by a garbage collection, which an idle thread would not run. */
function releaseMemory(): void {
  if (idleInstance && idleInstance.bytes.length > REST_BYTES) idleInstance = null;
  collectAll();
}

/** Searches have priority: on Linux each thread has its own nice value. */
function lowerPriority(): void {
  const { niceness } = thread;
  if (lowered || niceness === 0 || process.platform !== 'linux') return;
  lowered = true;
  try {
    const id = Number(fs.readlinkSync('/proc/thread-self').split('/').at(-1));
    os.setPriority(id, niceness);
  } catch {
    // A sandbox may forbid it; building then competes with searches.
  }
}
