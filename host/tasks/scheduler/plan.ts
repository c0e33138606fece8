import type { IndexStore } from '../../index/index-store.js';
import { type Moment, now } from '../../time/moments.js';
import { aloneReason, autobatch, type BatchState, type Limits } from '../batches/autobatch.js';
import type { TaskQueue } from '../queue/queue.js';
import type { TaskRecord } from '../task.js';
import type { TaskType } from '../task-types.js';

export interface PlannedBatch {
  state: BatchState;
  tasks: TaskRecord[];
  /** Why the batch has these tasks and no others. */
  strategy: string;
  /** Further tasks could join the batch. */
  isOpen?: boolean;
}

/** Decides whether a batch waits for further payloads. */
export interface BatchWaits {
  /**
   * Milliseconds after which to ask again, because further payloads may come; 0: the batch can start.
   * @param clock monotonic milliseconds
   */
  remaining(batch: PlannedBatch, now: Moment, clock: number): number;
}

export interface Plan {
  /** The batch to start now; null: none. */
  batch: PlannedBatch | null;
  /** Without a batch: milliseconds after which to plan again, because batches wait for further payloads. */
  againMs: number | null;
}

/** Urgent types in their order, after cancelations; `together`: all waiting tasks of the type form one batch. */
const URGENT_ORDER: { type: TaskType; together?: true }[] = [
  { type: 'upgradeDatabase', together: true },
  { type: 'taskDeletion', together: true },
  { type: 'indexCompaction' },
  { type: 'export' },
  { type: 'snapshotCreation', together: true },
  { type: 'dumpCreation' },
];

const togetherReason = (type: TaskType) =>
  `stopped after the last task of type \`${type}\` because they cannot be batched with tasks of any other type.`;

/** Chooses the next batch. */
export class BatchPlanner {
  readonly #unblocked: UnblockedTasks;

  constructor(
    private readonly queue: TaskQueue,
    private readonly indexStore: IndexStore,
    private readonly limits: Limits,
    /** Null: batches never wait for payloads that are arriving. */
    private readonly gathering: BatchWaits | null,
  ) {
    this.#unblocked = new UnblockedTasks(queue);
  }

  /**
   * The next batch. Cancelations first, the latest of them; then other urgent tasks; then the oldest task whose indexes no running
   * batch uses. A batch that waits for further payloads lets those of other indexes go first.
   * @param halted only cancelations may run
   */
  async next(halted: boolean): Promise<Plan> {
    const urgent = await this.#urgentBatch(halted);
    if (urgent || halted || this.limits.tasks === 0) return { batch: urgent, againMs: null };
    let againMs: number | null = null;
    for (const uid of this.#unblocked.inOrder()) {
      const batch = await this.#batchFrom(uid);
      const waiting = (batch && this.gathering?.remaining(batch, now(), performance.now())) ?? 0;
      if (waiting === 0) return { batch, againMs: null };
      againMs = Math.min(againMs ?? waiting, waiting);
    }
    return { batch: null, againMs };
  }

  async #urgentBatch(halted: boolean): Promise<PlannedBatch | null> {
    const { queue } = this;
    const urgent = (type: TaskType) => [...queue.urgent].filter((uid) => queue.table.get(uid)?.type === type);

    const cancelation = urgent('taskCancelation').at(-1);
    if (cancelation !== undefined) return alone(await queue.records([cancelation]));
    if (halted) return null;

    for (const { type, together } of URGENT_ORDER) {
      const uids = urgent(type);
      if (uids.length === 0) continue;
      const tasks = await queue.records(together ? uids : uids.slice(0, 1));
      return together ? { state: 'alone', tasks, strategy: togetherReason(type) } : alone(tasks);
    }
    return null;
  }

  /** The batch that begins with a task. */
  async #batchFrom(oldest: number): Promise<PlannedBatch | null> {
    const { queue, indexStore, limits } = this;
    const first = await queue.record(oldest);
    if (!first) return null;
    const uid = queue.table.get(first.uid)!.indexUids[0];
    if (uid === undefined) return alone([first]);
    if (RULE_TYPES.has(first.type)) return ruleBatch(queue, first, uid, limits);

    const index = indexStore.indexes.get(uid);
    const facts = { exists: index !== undefined, primaryKey: index?.primaryKey ?? null };
    const { state, tasks, reason } = await autobatch(first, laterTasks(queue, first.uid, uid), facts, limits);
    const all = tasks.length === queue.pending.size - queue.running.tasks;
    return {
      state,
      tasks,
      isOpen: reason === null,
      strategy: reason ?? `batched all enqueued tasks${all ? '' : ` for index \`${uid}\``}`,
    };
  }
}

/**
 * Finds tasks that are not blocked: no running batch and no older waiting task concerns one of their indexes. Tasks before the oldest
 * of them are examined once until a batch starts or ends, because the queue may be long.
 */
class UnblockedTasks {
  #changes = -1;
  #from = 0;
  readonly #taken = new Set<string>();

  constructor(private readonly queue: TaskQueue) {}

  /** The unblocked tasks, the oldest first. */
  *inOrder(): Generator<number> {
    const oldest = this.#oldest();
    if (oldest === null) return;
    yield oldest;
    const taken = new Set([...this.#taken, ...this.#indexesOf(oldest)!]);
    for (let uid = oldest + 1; uid <= this.queue.table.highest; uid++) {
      const indexUids = this.#indexesOf(uid);
      if (!indexUids) continue;
      if (!indexUids.some((indexUid) => taken.has(indexUid))) yield uid;
      for (const indexUid of indexUids) taken.add(indexUid);
    }
  }

  #oldest(): number | null {
    const { pending, running, table } = this.queue;
    if (this.#changes !== running.changes) {
      this.#changes = running.changes;
      this.#taken.clear();
      for (const { indexUids } of running) this.#take(indexUids);
      [this.#from = 0] = pending;
    }
    for (; this.#from <= table.highest; this.#from++) {
      const indexUids = this.#indexesOf(this.#from);
      if (!indexUids) continue;
      if (!indexUids.some((uid) => this.#taken.has(uid))) return this.#from;
      this.#take(indexUids);
    }
    return null;
  }

  /** The indexes of a task that waits. */
  #indexesOf(uid: number): readonly string[] | undefined {
    const { pending, running, table } = this.queue;
    return pending.has(uid) && !running.of(uid) ? table.get(uid)?.indexUids : undefined;
  }

  #take(indexUids: Iterable<string>): void {
    for (const uid of indexUids) this.#taken.add(uid);
  }
}

function alone(tasks: TaskRecord[]): PlannedBatch {
  return { state: 'alone', tasks, strategy: aloneReason(tasks[0]!) };
}

const RULE_TYPES: ReadonlySet<TaskType> = new Set(['dsrUpdate', 'dsrClear']);

/** A batch of tasks about search rules: updates, then clears. */
async function ruleBatch(queue: TaskQueue, first: TaskRecord, uid: string, limits: Limits): Promise<PlannedBatch> {
  const tasks = [first];
  for await (const task of laterTasks(queue, first.uid, uid)) {
    if (tasks.length >= limits.tasks || (task.type === 'dsrUpdate' && tasks.at(-1)!.type === 'dsrClear')) break;
    tasks.push(task);
  }
  return { state: 'alone', tasks, strategy: togetherReason(tasks.at(-1)!.type) };
}

async function* laterTasks(queue: TaskQueue, after: number, indexUid: string): AsyncGenerator<TaskRecord> {
  for (const uid of queue.pending) {
    if (uid <= after || !queue.table.get(uid)?.indexUids.includes(indexUid)) continue;
    const record = await queue.record(uid);
    if (record) yield record;
  }
}
