import { linkedIndexes, type Swap, type TaskRecord } from '../task.js';
import type { TaskRow } from './table.js';

/**
 * Renames and swaps give older tasks the new names of their indexes. Rewriting a million records would take too long, so the
 * ledger stores the change, and tasks are shown with the names that {@link IndexNames} knows. The next start applies all changes to
 * the records in one pass ({@link renamed}), and drops them.
 */
export interface NameChange {
  /** Uid of the rename or swap task. */
  before: number;
  names: [from: string, to: string][];
}

export const NAMES_PREFIX = 'names/';

export function nameChangeKey(change: NameChange): string {
  return NAMES_PREFIX + String(change.before).padStart(10, '0');
}

/** Both directions for a swap, one for a rename. */
export function namesOfSwaps(swaps: Swap[]): [string, string][] {
  return swaps.flatMap(({ indexes: [a, b], rename }): [string, string][] =>
    rename
      ? [[a, b]]
      : [
          [a, b],
          [b, a],
        ],
  );
}

/** The changes of names that a start finds, ascending, as a map from old names to present ones. */
export class NameHistory {
  /** By name: the changes that mention it, descending, and the present name after each. */
  readonly #steps: Map<string, { change: number; now: string }[]>;

  constructor(readonly changes: readonly NameChange[]) {
    this.#steps = stepsOf(changes);
  }

  /** The present name of the index that had this name after the renames up to task `since`. */
  present(name: string, since: number): string {
    const first = firstAfter(this.changes, since);
    const steps = this.#steps.get(name);
    if (!steps) return name;
    let [low, high] = [0, steps.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (steps[middle]!.change >= first) low = middle + 1;
      else high = middle;
    }
    return steps[low - 1]?.now ?? name;
  }
}

function stepsOf(changes: readonly NameChange[]) {
  const steps = new Map<string, { change: number; now: string }[]>();
  const latest = new Map<string, string>();
  for (let change = changes.length - 1; change >= 0; change--) {
    // From the last change to the first, so that the final name of a target is known before it is needed.
    const found = changes[change]!.names.map(([from, to]) => [from, latest.get(to) ?? to] as const);
    for (const [from, now] of found) {
      latest.set(from, now);
      const earlier = steps.get(from);
      if (earlier) earlier.push({ change, now });
      else steps.set(from, [{ change, now }]);
    }
  }
  return steps;
}

/** Position of the first rename by a task after `since`. */
function firstAfter(changes: readonly NameChange[], since: number): number {
  let [low, high] = [0, changes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (changes[middle]!.before > since) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The record with the present names, marked as up to date; the same object when none of its names has changed. */
export function renamed(record: TaskRecord, history: NameHistory): TaskRecord {
  const since = record.named?.since ?? record.uid;
  const last = history.changes.at(-1)?.before ?? -1;
  const concerned = record.named?.indexes ?? linkedIndexes(record) ?? [record.indexUid ?? []].flat();
  const now = concerned.map((name) => history.present(name, since));
  if (last <= since || now.every((name, i) => name === concerned[i])) return record;
  if (record.type === 'indexSwap') return { ...withSwaps(record, now), named: { since: last } };
  // A rename task keeps the names in its request, besides the present names by which it is found.
  if (concerned.length > 1) return { ...record, named: { since: last, indexes: now } };
  return { ...record, indexUid: now[0]!, named: { since: last } };
}

function withSwaps(record: TaskRecord, names: string[]): TaskRecord {
  const swaps = (record.details!.swaps as Swap[]).map(({ rename }, i) => ({
    indexes: [names[2 * i]!, names[2 * i + 1]!],
    rename,
  }));
  return { ...record, details: { ...record.details, swaps } };
}

/** The record as it is shown: `indexUid` and the swaps in its details have the present names. @param row of the task */
export function withPresentNames(record: TaskRecord, row: Pick<TaskRow, 'indexUid' | 'indexUids'>): TaskRecord {
  if (record.type === 'indexSwap') return withSwaps(record, row.indexUids);
  // A rename task keeps the name in its request.
  const { indexUid } = row;
  return indexUid === null || indexUid === record.indexUid ? record : { ...record, indexUid };
}
