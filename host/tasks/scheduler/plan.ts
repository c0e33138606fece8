import type { IndexStore } from '../../index/index-store.js';
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
  ) {
    this.#unblocked = new UnblockedTasks(queue);
  }

  /**
   * The next batch that can start now, or null. Cancelations first, the latest of them; then other urgent tasks; then the oldest
   * task whose indexes no running batch uses.
   * @param halted only cancelations may run
   */
  async next(halted: boolean): Promise<PlannedBatch | null> {
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

    return this.limits.tasks === 0 ? null : this.#indexBatch();
  }

  /** The batch of the oldest task that is not blocked. */
  async #indexBatch(): Promise<PlannedBatch | null> {
    const { queue, indexStore, limits } = this;
    const oldest = this.#unblocked.oldest();
    const first = oldest === null ? null : await queue.record(oldest);
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
 * Finds the oldest task that is not blocked: no running batch and no older waiting task concerns one of its indexes. Tasks
 * examined once are not examined again until a batch starts or ends, because the queue may be long.
 */
class UnblockedTasks {
  #changes = -1;
  #from = 0;
  readonly #taken = new Set<string>();

  constructor(private readonly queue: TaskQueue) {}

  oldest(): number | null {
    const { pending, running, table } = this.queue;
    if (this.#changes !== running.changes) {
      this.#changes = running.changes;
      this.#taken.clear();
      for (const { indexUids } of running) this.#take(indexUids);
      [this.#from = 0] = pending;
    }
    for (; this.#from <= table.highest; this.#from++) {
      const indexUids = pending.has(this.#from) && !running.of(this.#from) && table.get(this.#from)?.indexUids;
      if (!indexUids) continue;
      if (!indexUids.some((uid) => this.#taken.has(uid))) return this.#from;
      this.#take(indexUids);
    }
    return null;
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
