import { linkedIndexes, type TaskRecord } from '../task.js';
import { TASK_STATUSES, TASK_TYPES, type TaskStatus, type TaskType } from '../task-types.js';
import { IndexNames } from './index-names.js';

const CHUNK = 1024;
const ABSENT = 255;

/** Columns for CHUNK tasks with consecutive uids: about 40 bytes per task, so that a queue of a million fits in memory. */
class Chunk {
  readonly type = new Uint8Array(CHUNK);
  readonly status = new Uint8Array(CHUNK).fill(ABSENT);
  readonly batch = new Int32Array(CHUNK).fill(-1);
  readonly canceledBy = new Int32Array(CHUNK).fill(-1);
  /** Number of the index name; 0 for none, and for tasks whose indexes are in `links`. */
  readonly index = new Uint32Array(CHUNK);
  /** By row: numbers of the index names of tasks that concern more than one. */
  readonly links = new Map<number, Uint32Array>();
  readonly enqueuedAt = new Float64Array(CHUNK);
  readonly startedAt = new Float64Array(CHUNK).fill(Number.NaN);
  readonly finishedAt = new Float64Array(CHUNK).fill(Number.NaN);
  count = 0;
}

/** One task as filters see it: a cursor moved by `scan`. Absent dates are NaN, absent uids -1. */
export class TaskRow {
  uid = 0;
  #chunk!: Chunk;
  #row = 0;

  constructor(private readonly table: TaskTable) {}

  at(uid: number, chunk: Chunk): this {
    this.uid = uid;
    this.#chunk = chunk;
    this.#row = uid % CHUNK;
    return this;
  }

  get type(): TaskType {
    return TASK_TYPES[this.#chunk.type[this.#row]!]!;
  }
  get status(): TaskStatus {
    return TASK_STATUSES[this.#chunk.status[this.#row]!]!;
  }
  get batchUid(): number {
    return this.#chunk.batch[this.#row]!;
  }
  get canceledBy(): number {
    return this.#chunk.canceledBy[this.#row]!;
  }
  get enqueuedAt(): number {
    return this.#chunk.enqueuedAt[this.#row]!;
  }
  get startedAt(): number {
    return this.#chunk.startedAt[this.#row]!;
  }
  get finishedAt(): number {
    return this.#chunk.finishedAt[this.#row]!;
  }
  /** The index shown for the task, under its present name. */
  get indexUid(): string | null {
    const id = this.#chunk.index[this.#row]!;
    return id === 0 ? null : this.table.presentName(id, this.uid);
  }
  /** Every index of the task under its present name: both of a rename, all of a swap. */
  get indexUids(): string[] {
    const linked = this.#chunk.links.get(this.#row);
    if (linked) return Array.from(linked, (id) => this.table.presentName(id, this.uid));
    return this.indexUid === null ? [] : [this.indexUid];
  }
}

/** The columns of all tasks in memory that filters, lists and the scheduler need. */
export class TaskTable {
  readonly #chunks: (Chunk | undefined)[] = [];
  readonly #names: string[] = [''];
  readonly #ids = new Map<string, number>();
  readonly #present = new IndexNames();
  count = 0;
  /** Highest uid; -1 when there is no task. */
  highest = -1;

  set(record: TaskRecord): void {
    const place = Math.floor(record.uid / CHUNK);
    this.#chunks[place] ??= new Chunk();
    const chunk = this.#chunks[place];
    const row = record.uid % CHUNK;
    if (chunk.status[row] === ABSENT) {
      chunk.count++;
      this.count++;
      this.highest = Math.max(this.highest, record.uid);
      const linked = record.named?.indexes ?? linkedIndexes(record);
      if (linked)
        chunk.links.set(
          row,
          Uint32Array.from(linked, (name) => this.#intern(name)),
        );
      chunk.index[row] = linked || record.indexUid === null ? 0 : this.#intern(record.indexUid);
    }
    chunk.type[row] = TASK_TYPES.indexOf(record.type);
    chunk.status[row] = TASK_STATUSES.indexOf(record.status);
    chunk.batch[row] = record.batchUid ?? -1;
    chunk.canceledBy[row] = record.canceledBy ?? -1;
    chunk.enqueuedAt[row] = record.enqueuedAt;
    chunk.startedAt[row] = record.startedAt ?? Number.NaN;
    chunk.finishedAt[row] = record.finishedAt ?? Number.NaN;
  }

  get(uid: number): TaskRow | null {
    const chunk = this.#chunks[Math.floor(uid / CHUNK)];
    if (!chunk || chunk.status[uid % CHUNK] === ABSENT) return null;
    return new TaskRow(this).at(uid, chunk);
  }

  remove(uid: number): void {
    const place = Math.floor(uid / CHUNK);
    const chunk = this.#chunks[place];
    const row = uid % CHUNK;
    if (!chunk || chunk.status[row] === ABSENT) return;
    chunk.status[row] = ABSENT;
    chunk.links.delete(row);
    this.count--;
    if (--chunk.count === 0) this.#chunks[place] = undefined;
    if (uid === this.highest) this.highest = this.#last();
  }

  /** Visits tasks by ascending (or descending) uid until `visit` returns false. The row is only valid during the visit. */
  scan(visit: (row: TaskRow) => unknown, descending = false): void {
    const row = new TaskRow(this);
    const step = descending ? -1 : 1;
    for (let place = descending ? this.#chunks.length - 1 : 0; place >= 0 && place < this.#chunks.length; place += step) {
      const chunk = this.#chunks[place];
      if (!chunk) continue;
      for (let i = descending ? CHUNK - 1 : 0; i >= 0 && i < CHUNK; i += step) {
        if (chunk.status[i] !== ABSENT && visit(row.at(place * CHUNK + i, chunk)) === false) return;
      }
    }
  }

  /** Gives the tasks older than task `before` the new names of their indexes; all names change at once, as a swap requires. */
  rename(before: number, names: ReadonlyMap<string, string>): void {
    this.#present.rename(before, names);
  }

  /** The present name of the index that task `uid` named by the name with this number. */
  presentName(id: number, uid: number): string {
    return this.#present.present(this.#names[id]!, uid);
  }

  #intern(name: string): number {
    let id = this.#ids.get(name);
    if (id === undefined) {
      id = this.#names.push(name) - 1;
      this.#ids.set(name, id);
    }
    return id;
  }

  #last(): number {
    let last = -1;
    this.scan((row) => {
      last = row.uid;
      return false;
    }, true);
    return last;
  }
}
