import { own } from '../../bindings/own.js';
import type { Moment } from '../time/moments.js';
import type { RunningBatches } from './batches/running.js';
import type { TaskQueue } from './queue/queue.js';
import type { TaskRow } from './queue/table.js';
import { GLOBAL_TYPES, type TaskStatus, type TaskType } from './task-types.js';

/** The filters of `/tasks` and `/batches`; an absent member does not restrict, an empty list matches nothing. */
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

/** The indexes that the caller may see, as in `Access`. */
export interface Scope {
  /** Whether the caller is limited to some indexes. */
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

/** A task at this moment: the state of its running batch replaces what is stored. */
interface Seen {
  row: TaskRow;
  status: TaskStatus;
  startedAt: number;
  batchUid: number;
}

type Criterion = (task: Seen) => boolean;

/** One criterion per member, so that batches can test each separately. NaN, the absent date, fails every comparison. */
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

/** For batches `canceledBy` means the batch of the cancelation task, even if it found nothing to cancel. */
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
 * The uids of all matching tasks, ascending. Tasks without a single index are left out when indexes are filtered for, or when the
 * caller is limited to some.
 */
export function matchingTasks(queue: TaskQueue, filter: TaskFilter, scope: Scope): number[] {
  const all = criteria(filter);
  const uids: number[] = [];
  queue.table.scan((row) => {
    if (listed(row, filter, scope) && fulfils(seen(row, queue.running), all)) uids.push(row.uid);
  });
  return uids;
}

/** `total` counts all matches, including tasks that the caller may not see. */
export function pageOfTasks(queue: TaskQueue, filter: TaskFilter, { limit, from, reverse }: PageRequest, scope: Scope): Page {
  const all = criteria(filter);
  const uids: number[] = [];
  let total = 0;
  queue.table.scan((row) => {
    if (!fulfils(seen(row, queue.running), all)) return;
    total++;
    const wanted = uids.length <= limit && (from === null || (reverse ? row.uid >= from : row.uid <= from));
    if (wanted && listed(row, filter, scope)) uids.push(row.uid);
    // Without a filter the total is known without looking at the rest of the queue.
    if (all.length > 0 || uids.length <= limit) return;
    total = queue.table.count;
    return false;
  }, !reverse);
  return page(uids, total, limit);
}

/** Batches in which every criterion is met by at least one task. */
export function pageOfBatches(queue: TaskQueue, filter: TaskFilter, { limit, from, reverse }: PageRequest, scope: Scope): Page {
  const uids = [...queue.batches, ...[...queue.running].map(({ uid }) => uid)].sort((a, b) => (reverse ? a - b : b - a));
  const { matching, visible } = matchingBatches(queue, filter, scope);
  const all = matching ? uids.filter((uid) => matching.has(uid)) : uids;
  const rest = all.filter(
    (uid) => (visible === null || visible.has(uid)) && (from === null || (reverse ? uid >= from : uid <= from)),
  );
  return page(rest.slice(0, limit + 1), all.length, limit);
}

/** null when every batch matches and is visible, so that none needs to be looked at. */
function matchingBatches(queue: TaskQueue, filter: TaskFilter, scope: Scope) {
  const all = criteria(filter, BATCH_CRITERIA);
  if (all.length === 0 && !scope.restricted) return { matching: null, visible: null };
  const fulfilled = new Map<number, number>();
  const visible = new BatchVisibility(scope.restricted || filter.indexUids !== undefined, scope);
  queue.table.scan((row) => {
    const task = seen(row, queue.running);
    if (task.batchUid < 0) return;
    let mask = fulfilled.get(task.batchUid) ?? 0;
    all.forEach((holds, i) => {
      if (holds(task)) mask |= 1 << i;
    });
    fulfilled.set(task.batchUid, mask);
    visible.add(row, task.batchUid);
  });
  const whole = (1 << all.length) - 1;
  return { matching: new Set([...fulfilled].filter(([, mask]) => mask === whole).map(([uid]) => uid)), visible };
}

/** Whether the caller may see a batch. */
export function batchVisible(queue: TaskQueue, uid: number, scope: Scope): boolean {
  if (!scope.restricted) return true;
  const visible = new BatchVisibility(true, scope);
  queue.table.scan((row) => visible.add(row, seen(row, queue.running).batchUid));
  return visible.has(uid);
}

/**
 * Determines which batches the caller may see: those with a task of an allowed index and, when indexes are filtered for, without
 * a task that has none.
 */
class BatchVisibility {
  readonly #allowed = new Set<number>();
  readonly #global = new Set<number>();

  constructor(
    private readonly indexesOnly: boolean,
    private readonly scope: Scope,
  ) {}

  add(row: TaskRow, batchUid: number): void {
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

/** Cuts the list to the page. The first item beyond it is where the next page begins. */
function page(uids: number[], total: number, limit: number): Page {
  const next = uids.length > limit ? uids.pop()! : null;
  return { uids, total, from: uids[0] ?? null, next };
}
