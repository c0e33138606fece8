import type { LedgerWrite } from '../../../storage/ledger/ledger.js';
import { inRanges } from '../../../tasks/ranges.js';
import type { TaskRecord } from '../../../tasks/task.js';

const TASK = /^task\/(\d+)$/;

/** The changes of tasks that were written to the ledger, and checks of them. */
export class History {
  readonly faults: string[] = [];
  /** Tasks whose registration was answered. */
  readonly acknowledged = new Set<number>();
  /** As they were registered, because the record of an ended task lacks its input. */
  readonly registered = new Map<number, TaskRecord>();
  /** The record that each task ended with. */
  readonly ended = new Map<number, TaskRecord>();
  readonly removed = new Set<number>();
  readonly counts = { succeeded: 0, failed: 0, canceled: 0, deleted: 0 };

  write(operations: readonly LedgerWrite[]): void {
    const removals: number[] = [];
    const ends: TaskRecord[] = [];
    const payloads = new Set(
      operations.filter(({ type, key }) => type === 'del' && key.startsWith('payload/')).map(({ key }) => key),
    );
    for (const { type, key, value } of operations) {
      const uid = Number(TASK.exec(key)?.[1] ?? -1);
      if (uid < 0) continue;
      // one that was refused in doubt goes before the next takes its number
      if (type === 'del' && !this.acknowledged.has(uid) && !this.ended.has(uid)) this.registered.delete(uid);
      else if (type === 'del') removals.push(uid);
      else this.#put(JSON.parse(value!.toString()) as TaskRecord, ends);
    }
    for (const record of ends) this.#end(record, ends, payloads, operations);
    for (const uid of removals) this.#remove(uid, ends);
  }

  /** The tasks that have ended, as they were registered. */
  get done(): { task: TaskRecord; succeeded: boolean }[] {
    return [...this.ended].map(([uid, { status }]) => ({ task: this.registered.get(uid)!, succeeded: status === 'succeeded' }));
  }

  #put(record: TaskRecord, ends: TaskRecord[]): void {
    const { uid, status } = record;
    const before = this.ended.get(uid);
    if (status !== 'enqueued') {
      if (before && before.batchUid !== record.batchUid)
        this.faults.push(`task ${uid} ends in batches ${before.batchUid} and ${record.batchUid}`);
      if (!before || before.batchUid !== record.batchUid) ends.push(record);
      return;
    }
    if (before) this.faults.push(`task ${uid} is ${before.status} and waits again`);
    // one that was refused leaves its number to the next
    if (this.acknowledged.has(uid)) this.faults.push(`task ${uid} is registered twice`);
    this.registered.set(uid, record);
  }

  #end(record: TaskRecord, ends: TaskRecord[], payloads: Set<string>, operations: readonly LedgerWrite[]): void {
    const { uid, status, enqueuedAt, startedAt, finishedAt } = record;
    this.ended.set(uid, record);
    this.counts[status as 'failed']++;
    const work = this.registered.get(uid)?.work;
    if (!(enqueuedAt < startedAt! && startedAt! < finishedAt!))
      this.faults.push(`task ${uid} does not begin and end after it was registered`);
    if (!operations.some(({ key }) => key === `announced/${uid}`)) this.faults.push(`the end of task ${uid} is not announced`);
    if (work?.kind === 'import' && !payloads.has(`payload/${String(uid).padStart(10, '0')}`))
      this.faults.push(`the payload of task ${uid} stays`);
    if (work?.kind === 'taskCancelation') {
      const canceled = ends.filter(({ canceledBy }) => canceledBy === uid);
      if (record.details?.canceledTasks !== canceled.length)
        this.faults.push(`task ${uid} counts ${record.details?.canceledTasks} canceled tasks, not ${canceled.length}`);
      for (const other of canceled)
        if (!inRanges(work.tasks, other.uid)) this.faults.push(`task ${uid} cancels ${other.uid}, which it does not name`);
    }
    if ((status === 'canceled') !== (record.canceledBy !== null))
      this.faults.push(`task ${uid} is ${status}, canceled by ${record.canceledBy}`);
  }

  #remove(uid: number, ends: TaskRecord[]): void {
    this.removed.add(uid);
    this.counts.deleted++;
    if (!this.ended.has(uid)) this.faults.push(`task ${uid} is deleted before it has ended`);
    const isMeant = ends.some(({ uid: by }) => {
      const work = this.registered.get(by)?.work;
      return work?.kind === 'taskDeletion' && inRanges(work.tasks, uid);
    });
    if (!isMeant) this.faults.push(`task ${uid} is deleted, and no task asked for it`);
  }
}
