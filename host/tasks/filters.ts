import { own } from '../../bindings/own.js';
import type { Moment } from './clock.js';
import type { TaskQueue } from './queue.js';
import type { RunningBatches } from './running.js';
import type { TaskRow } from './table.js';
import { GLOBAL_TYPES, type TaskStatus, type TaskType } from './types.js';

/** What `/tasks` and `/batches` can be narrowed by; an absent member restricts nothing, an empty list lets nothing through. */
export interface TaskFilter {
  uids?: number[];
  batchUids?: number[];
  canceledBy?: number[];
  types?: TaskType[];
  statuses?: TaskStatus[];
  indexUids?: string[];
  afterEnqueuedAt?: Moment;
  beforeEnqueuedAt?: Moment;
  afterStartedAt?: Moment;
  beforeStartedAt?: Moment;
  afterFinishedAt?: Moment;
  beforeFinishedAt?: Moment;
}

/** The indexes that the caller may see: what an `Access` says of its key. */
export interface Scope {
  /** Limited to some indexes. */
  readonly restricted: boolean;
  allows(uid: string): boolean;
}

export interface PageRequest {
  limit: number;
  from: number | null;
  reverse: boolean;
}

export interface Page {
  uids: number[];
  total: number;
  from: number | null;
  next: number | null;
}

/** A task as it is at this moment: the batch under way that it is in is laid over what is stored. */
interface Seen {
  row: TaskRow;
  status: TaskStatus;
  startedAt: number;
  batchUid: number;
}

type Criterion = (task: Seen) => boolean;

/** One criterion a member, so that batches can ask for each separately. NaN, the absent date, fails every comparison. */
const CRITERIA: { [K in keyof TaskFilter]-?: (wanted: NonNullable<TaskFilter[K]>) => Criterion } = {
  uids: (list) => among(list, ({ row }) => row.uid),
  batchUids: (list) => among(list, ({ batchUid }) => batchUid),
  canceledBy: (list) => among(list, ({ row }) => row.canceledBy),
  types: (list) => among(list, ({ row }) => row.type),
  statuses: (list) => among(list, ({ status }) => status),
  indexUids: (list) => {
    const wanted = new Set(list);
    return ({ row }) => row.indexUids.some((uid) => wanted.has(uid));
  },
  afterEnqueuedAt: (date) => (task) => task.row.enqueuedAt > date,
  beforeEnqueuedAt: (date) => (task) => task.row.enqueuedAt < date,
  afterStartedAt: (date) => (task) => task.startedAt > date,
  beforeStartedAt: (date) => (task) => task.startedAt < date,
  afterFinishedAt: (date) => (task) => task.row.finishedAt > date,
  beforeFinishedAt: (date) => (task) => task.row.finishedAt < date,
};

function among<T>(list: T[], read: (task: Seen) => T): Criterion {
  const wanted = new Set(list);
  return (task) => wanted.has(read(task));
}

/** Among batches, `canceledBy` means the batch that carried the cancelation out, even when it found nothing to cancel. */
const BATCH_CRITERIA: typeof CRITERIA = {
  ...CRITERIA,
  canceledBy: (list) => {
    const wanted = new Set(list);
    return ({ row }) => wanted.has(row.canceledBy) || (row.type === 'taskCancelation' && wanted.has(row.uid));
  },
};

function criteria(filter: TaskFilter, table = CRITERIA): Criterion[] {
  return Object.entries(filter)
    .filter(([, wanted]) => wanted !== undefined)
    .map(([name, wanted]) => own(table, name)!(wanted as never));
}

function seen(row: TaskRow, running: RunningBatches): Seen {
  const live = running.of(row.uid);
  if (live) return { row, status: 'processing', startedAt: live.startedAt, batchUid: live.uid };
  return { row, status: row.status, startedAt: row.startedAt, batchUid: row.batchUid };
}

/**
 * The uids of all matching tasks, ascending. Types that concern no single index are left out when indexes are asked for,
 * or when the caller is limited to some.
 */
export function matchingTasks(queue: TaskQueue, filter: TaskFilter, scope: Scope): number[] {
  const all = criteria(filter);
  const uids: number[] = [];
  queue.table.scan((row) => {
    if (listed(row, filter, scope) && fulfils(seen(row, queue.running), all)) uids.push(row.uid);
  });
  return uids;
}

/** `total` counts what the filter matches, whatever the caller may see of it. */
export function pageOfTasks(queue: TaskQueue, filter: TaskFilter, { limit, from, reverse }: PageRequest, scope: Scope): Page {
  const all = criteria(filter);
  const uids: number[] = [];
  let total = 0;
  queue.table.scan((row) => {
    if (!fulfils(seen(row, queue.running), all)) return;
    total++;
    const wanted = uids.length <= limit && (from === null || (reverse ? row.uid >= from : row.uid <= from));
    if (wanted && listed(row, filter, scope)) uids.push(row.uid);
    // Without a filter the rest of the queue need not be looked at to know the total.
    if (all.length > 0 || uids.length <= limit) return;
    total = queue.table.count;
    return false;
  }, !reverse);
  return page(uids, total, limit);
}

/** Batches of which, for each criterion, at least one task fulfils it. */
export function pageOfBatches(queue: TaskQueue, filter: TaskFilter, { limit, from, reverse }: PageRequest, scope: Scope): Page {
  const uids = [...queue.batches, ...[...queue.running].map(({ uid }) => uid)].sort((a, b) => (reverse ? a - b : b - a));
  const { matching, visible } = matchingBatches(queue, filter, scope);
  const all = matching ? uids.filter((uid) => matching.has(uid)) : uids;
  const rest = all.filter(
    (uid) => (visible === null || visible.has(uid)) && (from === null || (reverse ? uid >= from : uid <= from)),
  );
  return page(rest.slice(0, limit + 1), all.length, limit);
}

/** null where nothing needs to be looked at: every batch matches, every batch is visible. */
function matchingBatches(queue: TaskQueue, filter: TaskFilter, scope: Scope) {
  const all = criteria(filter, BATCH_CRITERIA);
  if (all.length === 0 && !scope.restricted) return { matching: null, visible: null };
  const fulfilled = new Map<number, number>();
  const visible = new BatchSight(scope.restricted || filter.indexUids !== undefined, scope);
  queue.table.scan((row) => {
    const task = seen(row, queue.running);
    if (task.batchUid < 0) return;
    let mask = fulfilled.get(task.batchUid) ?? 0;
    all.forEach((holds, i) => {
      if (holds(task)) mask |= 1 << i;
    });
    fulfilled.set(task.batchUid, mask);
    visible.look(row, task.batchUid);
  });
  const whole = (1 << all.length) - 1;
  return { matching: new Set([...fulfilled].filter(([, mask]) => mask === whole).map(([uid]) => uid)), visible };
}

/** Whether the caller may see a batch. */
export function batchVisible(queue: TaskQueue, uid: number, scope: Scope): boolean {
  if (!scope.restricted) return true;
  const visible = new BatchSight(true, scope);
  queue.table.scan((row) => visible.look(row, seen(row, queue.running).batchUid));
  return visible.has(uid);
}

/** Finds from their tasks which batches show: those with an allowed index and, among indexes, without a task that has none. */
class BatchSight {
  readonly #allowed = new Set<number>();
  readonly #global = new Set<number>();

  constructor(
    private readonly indexesOnly: boolean,
    private readonly scope: Scope,
  ) {}

  look(row: TaskRow, batchUid: number): void {
    if (!this.scope.restricted || row.indexUids.some((uid) => this.scope.allows(uid))) this.#allowed.add(batchUid);
    if (this.indexesOnly && GLOBAL_TYPES.has(row.type)) this.#global.add(batchUid);
  }

  has(uid: number): boolean {
    return this.#allowed.has(uid) && !this.#global.has(uid);
  }
}

/** Whether the caller may see a task: every index of it must be allowed. */
export function taskVisible(row: TaskRow, scope: Scope): boolean {
  return !scope.restricted || (!GLOBAL_TYPES.has(row.type) && row.indexUids.every((uid) => scope.allows(uid)));
}

function fulfils(task: Seen, all: Criterion[]): boolean {
  return all.every((holds) => holds(task));
}

function listed(row: TaskRow, filter: TaskFilter, scope: Scope): boolean {
  return (!filter.indexUids || !GLOBAL_TYPES.has(row.type)) && taskVisible(row, scope);
}

/** Takes what was read beyond the page off it: the first item that the next page begins with. */
function page(uids: number[], total: number, limit: number): Page {
  const next = uids.length > limit ? uids.pop()! : null;
  return { uids, total, from: uids[0] ?? null, next };
}
