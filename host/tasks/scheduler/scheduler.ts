import type { Ledger, LedgerWrite } from '../../storage/ledger/ledger.js';
import { type Moment, now } from '../../time/moments.js';
import type { Deliveries } from '../../webhooks/deliveries.js';
import type { BatchRecord } from '../batch.js';
import type { Limits } from '../batches/autobatch.js';
import { batchRecord } from '../batches/batch-record.js';
import { BatchProgress } from '../batches/progress.js';
import type { RunningBatch } from '../batches/running.js';
import type { EndedTask, Outcome } from '../executors/outcome.js';
import { WRITING_STATES } from '../executors/table.js';
import { inRanges } from '../ranges.js';
import type { TaskRecord } from '../task.js';
import { upgradeWaits } from '../upgrade.js';
import { taskView } from '../view.js';
import { removeOldTasks } from './cleaning.js';
import { DraftCommits, discardedOnFailure, type Pause, RETRY_MS, unreferenced } from './commit.js';
import { BatchEmbedding, type TaskEmbedders } from './embedding.js';
import { type ExecutionContext, executeBatch, type Work } from './execute.js';
import { IndexLock, type LockHandle } from './index-lock.js';
import { BackgroundMerges } from './merges.js';
import { BatchPlanner, type BatchWaits, type Plan, type PlannedBatch } from './plan.js';
import { Stopped, StopSignal } from './stop.js';
import { StorageMeter } from './storage-meter.js';

export interface SchedulerOptions extends ExecutionContext {
  ledger: Ledger;
  limits: Limits;
  /** Receives every task that ends. */
  deliveries: Pick<Deliveries, 'announce'>;
  embedders: TaskEmbedders;
  /** Absent: batches never wait for payloads that are arriving. */
  gathering?: BatchWaits;
  pause?: Pause;
}

const NOTHING_TO_DO: Plan = { batch: null, againMs: null };

/**
 * Runs the queue. One batch at a time uses the indexes, and ends with one write to the ledger. While its texts are being embedded
 * it releases the lock of the indexes, so that batches of other indexes can run.
 */
export class Scheduler {
  #closed = false;
  #wake: () => void = () => {};
  #loop: Promise<void> = Promise.resolve();
  readonly #lock = new IndexLock();
  /** Running work, and the promise of its end. */
  readonly #work = new Map<Work, Promise<void>>();
  readonly #planner: BatchPlanner;
  readonly #merges: BackgroundMerges;
  readonly #commits: DraftCommits;
  /** The end of a batch could not be stored. */
  #faulty = false;
  /** Newest task from before the launch: the previous process may have embedded texts for it. */
  readonly #newestBefore: number;
  #releaseEmbeddings: () => void;
  /** An upgrade failed or was canceled, so the database has another version: only cancelations may run. */
  #halted = false;

  constructor(private readonly options: SchedulerOptions) {
    const { queue, indexStore, limits, embedders, log, ledger, gathering, pause = unreferenced } = options;
    this.#newestBefore = queue.table.highest;
    this.#releaseEmbeddings = embedders.holdEmbeddings();
    queue.onRegistered = (tasks) => this.#registered(tasks);
    this.#planner = new BatchPlanner(queue, indexStore, limits, gathering ?? null);
    this.#merges = new BackgroundMerges(indexStore, log, () => this.#wake());
    this.#commits = new DraftCommits(ledger, log, pause);
  }

  start(): void {
    const { indexStore, queue } = this.options;
    // Merges before an upgrade would prevent its rollback.
    if (!upgradeWaits(queue)) this.#merges.consider(indexStore.merges.outdatedIndexes);
    this.#loop = this.#run();
  }

  /**
   * Starts no further batch. Running batches get `graceMs` milliseconds to end; after that their tasks stay in the queue and run
   * again later.
   */
  async close(graceMs: number): Promise<void> {
    this.#closed = true;
    this.#commits.close();
    this.#wake();
    const timeout = setTimeout(() => this.#stop(() => true), graceMs);
    await this.#loop;
    await Promise.all(this.#work.values());
    this.#merges.close();
    clearTimeout(timeout);
  }

  async #storeMerges(): Promise<void> {
    for (let draft = this.#merges.next(); draft; draft = this.#merges.next()) {
      await this.#commits.commit([draft]).finally(() => this.#merges.settled(draft.uid));
      this.#merges.consider([draft.uid]);
    }
  }

  #registered(tasks: TaskRecord[]): void {
    this.#stopCanceled(tasks);
    this.#wake();
  }

  #stopCanceled(tasks: readonly TaskRecord[]): void {
    for (const { work } of tasks) {
      if (work?.kind === 'taskCancelation') this.#stop(({ uids }) => [...uids].some((uid) => inRanges(work.tasks, uid)));
    }
  }

  #stop(isMeant: (batch: RunningBatch) => boolean): void {
    for (const { batch, stop } of this.#work.keys()) if (isMeant(batch)) stop.request();
  }

  async #run(): Promise<void> {
    while (!this.#closed) {
      const handle = await this.#lock.acquire();
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      const { batch, againMs } = this.#closed || this.#faulty ? NOTHING_TO_DO : await this.#next();
      if (batch) {
        this.#begin(batch, handle);
        continue;
      }
      handle.release();
      if (this.#closed) return;
      const { pause = unreferenced } = this.options;
      const waiting = this.#faulty ? RETRY_MS : againMs;
      this.#faulty = false;
      await Promise.race([woken, ...(waiting === null ? [] : [pause(waiting)])]);
    }
  }

  /** Plans nothing when the ledger fails. */
  async #next(): Promise<Plan> {
    try {
      const { queue } = this.options;
      const [oldest = Number.POSITIVE_INFINITY] = queue.pending;
      if (oldest > this.#newestBefore) this.#releaseEmbeddings();
      await removeOldTasks(queue);
      await this.#storeMerges();
      const plan = await this.#planner.next(this.#halted);
      // Batches may have started after the cancelation was registered; all must return their tasks to the queue first.
      this.#stopCanceled(plan.batch?.tasks ?? []);
      await Promise.all([...this.#work].map(([{ stop }, over]) => stop.signal.aborted && over));
      return plan;
    } catch (error) {
      this.#failed(error);
      return NOTHING_TO_DO;
    }
  }

  #failed(error: unknown): void {
    this.#faulty = true;
    this.options.log.error({ err: error }, 'the queue cannot go on; trying again');
  }

  /** Runs a batch, which takes over the lock. */
  #begin({ tasks, state, strategy }: PlannedBatch, handle: LockHandle): void {
    const { queue, indexStore, embedders, log } = this.options;
    const startedAt = now();
    // A retried upgrade keeps its batch.
    const uid = tasks[0]!.batchUid ?? queue.nextBatchUid;
    const progress = new BatchProgress();
    progress.enter(0, 'processing tasks', 0, 2);
    const facts = { uid, startedAt, finishedAt: null, strategy };
    const stop = new StopSignal();
    const indexUids = new Set(tasks.flatMap((task) => queue.table.get(task.uid)?.indexUids ?? []));
    const storage = new StorageMeter(indexStore, indexUids);
    const unlocked = <T>(work: () => Promise<T>) => storage.except(() => handle.unlocked(work));
    const embedding = new BatchEmbedding(embedders, { progress, stop, unlocked });
    const batch: RunningBatch = {
      uid,
      startedAt,
      uids: new Set(tasks.map((task) => task.uid)),
      indexUids,
      progress: () => progress.view(),
      present: () => {
        const record = batchRecord(facts, tasks, 'processing');
        return { ...record, stats: { ...record.stats, ...embedding.stats, ...traceOf(progress.trace()) } };
      },
    };
    queue.running.add(batch);
    const work: Work = { batch, stop, progress, embedding, storage, committed: Promise.resolve() };
    const over = this.#process({ tasks, state, strategy }, work)
      .catch((error) => {
        if (error instanceof Stopped) log.info({ batch: uid }, 'batch stopped');
        else this.#failed(error);
      })
      // A commit cannot be interrupted: the index must not be changed by others until it has ended.
      .then(() => work.committed)
      .finally(() => {
        queue.running.remove(batch);
        this.#work.delete(work);
        embedding.end();
        handle.release();
        this.#wake();
      });
    this.#work.set(work, over);
  }

  async #process({ tasks, state, strategy }: PlannedBatch, work: Work): Promise<void> {
    const { queue, payloads, log } = this.options;
    const { batch, progress, embedding, storage } = work;
    const { uid, startedAt } = batch;
    const outcome = await executeBatch({ tasks, state }, work, this.#commits, this.options);
    progress.enter(0, 'writing tasks to disk', 1, 2);
    const { drafts } = outcome;
    const finishedAt = now();
    const { record, ending } = discardedOnFailure(drafts, () => {
      const ended = outcome.ended.map((end) => finish(end, uid, startedAt, finishedAt));
      const record = batchRecord({ uid, startedAt, finishedAt, strategy }, inOrder(ended));
      const changes = storage.change(drafts, WRITING_STATES.has(state));
      Object.assign(record.stats, embedding.stats, traceOf(progress.end()), changes);
      return { record, ending: this.#ending(outcome, ended, record, tasks) };
    });
    await this.#commits.commit(drafts, ending.writes);
    // Whoever sees the tasks ended finds their payloads removed.
    await payloads.dropNames(ending.files).catch((error) => {
      log.warn({ err: error }, 'payloads of ended tasks are not removed before the next start');
    });
    queue.running.remove(batch);
    ending.adopt();
    this.#merges.consider(new Set(drafts.flatMap(({ uid, record }) => (record ? [uid] : []))));
    const { status, types } = record.stats;
    log.info({ batch: uid, types, succeeded: status.succeeded, failed: status.failed, canceled: status.canceled }, 'batch ended');
  }

  /** What the end of a batch writes besides its drafts; the files to be removed, and what follows, once that is stored. */
  #ending(
    { ended: ends, names, removedTasks, removedBatches }: Outcome,
    ended: TaskRecord[],
    batch: BatchRecord,
    tasks: TaskRecord[],
  ): { writes: LedgerWrite[]; files: string[]; adopt(): void } {
    const { queue, payloads, deliveries, log } = this.options;
    const done = payloads.removal(ends.map(({ task }) => task));
    const queued = queue.prepare({
      tasks: ended,
      batch,
      removedTasks: removedTasks ?? [],
      removedBatches: removedBatches ?? [],
      names: names ? { before: tasks[0]!.uid, names } : null,
    });
    const announcement = deliveries.announce(inOrder(ended).map((task) => taskView(task)));
    return {
      writes: [...queued.writes, ...done.writes, ...announcement.writes],
      files: done.files,
      adopt: () => {
        queued.adopt();
        if (ended.some(({ type, status }) => type === 'upgradeDatabase' && status !== 'succeeded')) {
          this.#halted = true;
          log.error('the database is not upgraded: until the next launch no task runs but cancelations');
        }
        announcement.adopt();
      },
    };
  }
}

function traceOf(trace: Record<string, string>): Pick<BatchRecord['stats'], 'progressTrace'> {
  return Object.keys(trace).length > 0 ? { progressTrace: trace } : {};
}

function inOrder(tasks: TaskRecord[]): TaskRecord[] {
  return [...tasks].sort((a, b) => a.uid - b.uid);
}

function finish(
  { task, status, details, error, canceledBy }: EndedTask,
  batchUid: number,
  startedAt: Moment,
  finishedAt: Moment,
): TaskRecord {
  return { ...task, status, details, error, batchUid, startedAt, finishedAt, canceledBy: canceledBy ?? null, work: null };
}
