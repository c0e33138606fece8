import type { FastifyBaseLogger } from 'fastify';
import { errorType } from '../../../bindings/error-table/table.js';
import { ApiError } from '../../../bindings/errors.js';
import { STEPS, type Step } from '../../index/build/build-resources.js';
import { isDiskFull, isSystemError, storageError } from '../../storage/errors.js';
import { formatMoment, now } from '../../time/moments.js';
import type { BatchProgress } from '../batches/progress.js';
import type { RunningBatch } from '../batches/running.js';
import { type Execution, type Executor, failed, type Outcome } from '../executors/outcome.js';
import { executorOf } from '../executors/table.js';
import type { TaskType } from '../task-types.js';
import { type DraftCommits, discard } from './commit.js';
import type { BatchEmbedding } from './embedding.js';
import type { PlannedBatch } from './plan.js';
import { Stopped, type StopSignal } from './stop.js';
import type { StorageMeter } from './storage-meter.js';

/** A running batch and its resources. */
export interface Work {
  batch: RunningBatch;
  stop: StopSignal;
  progress: BatchProgress;
  embedding: BatchEmbedding;
  storage: StorageMeter;
  /** Resolves when commits that its executor makes before the end have succeeded or failed. */
  committed: Promise<void>;
}

/** What all batches are executed with. */
export interface ExecutionContext extends Pick<Execution, 'queue' | 'indexStore' | 'payloads' | 'database'> {
  /** Executors of task types that need more than the queue and the index store. */
  executors: Partial<Record<TaskType, Executor>>;
  log: FastifyBaseLogger;
}

/**
 * Executes a batch. An error that no task caused fails all tasks of the batch.
 * @throws {Stopped} when the batch was stopped; its tasks stay in the queue
 */
export async function executeBatch(
  { tasks, state }: Pick<PlannedBatch, 'tasks' | 'state'>,
  work: Work,
  commits: DraftCommits,
  context: ExecutionContext,
): Promise<Outcome> {
  const { stop } = work;
  const { executors, log } = context;
  try {
    const execute = executorOf(tasks[0]!.type, state, executors);
    return await stop.guard(execute(tasks, executionOf(work, commits, context)), ({ drafts }) => discard(drafts));
  } catch (error) {
    if (error instanceof Stopped) throw error;
    const uids = tasks.map(({ uid }) => uid);
    if (isOfRequest(error)) log.warn({ tasks: uids, code: error.code, reason: error.message }, 'a batch was refused');
    else log.error({ err: error, tasks: uids }, 'a batch failed');
    const reason = isSystemError(error) || isDiskFull(error) ? storageError(error) : error;
    return { ended: tasks.map((task) => failed(task, reason)), drafts: [] };
  }
}

/** The environment of the batch's executor. */
function executionOf(work: Work, commits: DraftCommits, context: ExecutionContext): Execution {
  const { batch, progress, stop, embedding } = work;
  const { queue, indexStore, payloads, database } = context;
  return {
    queue,
    indexStore,
    payloads,
    database,
    progress,
    startedAt: batch.startedAt,
    report: (depth) => (step, finished, total) => {
      stop.check();
      progress.enter(depth, step, finished, total);
    },
    reportJob: (depth) => (step, finished, total) => {
      stop.check();
      const number = STEPS.indexOf(step as Step);
      // A job that has not started would reset the progress to its first step.
      if (number === 0) return;
      progress.enter(depth, step, number, STEPS.length);
      progress.enter(depth + 1, 'document', finished, total);
    },
    embedder: embedding,
    settledEmbedders: (settings, stored) => embedding.settled(settings, stored),
    signal: stop.signal,
    date: () => formatMoment(now()),
    commit: (drafts) => {
      stop.check();
      const commit = commits.commit(drafts);
      work.committed = commit.catch(() => {});
      return commit;
    },
  };
}

/**
 * Whether an error was caused by the request or by a server that it names, so that the task reports it and nothing is wrong with
 * this server.
 */
function isOfRequest(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false;
  return error.code.startsWith('remote_') || ['invalid_request', 'auth'].includes(errorType(error.code));
}
