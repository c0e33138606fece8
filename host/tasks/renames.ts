import { linkedIndexes, type Swap, type TaskRecord } from './types.js';

/**
 * Renames and swaps give older tasks the new names of their indexes. Rewriting their records could touch a million
 * of them, so the ledger keeps the change instead and readers lay it over the tasks older than `before`. The next start
 * writes all changes into the records in one pass ({@link folded}), and forgets them.
 */
export interface NameChange {
  /** Uid of the task that made the change. */
  before: number;
  names: [from: string, to: string][];
}

export const NAMES_PREFIX = 'names/';

export function nameChangeKey(change: NameChange): string {
  return NAMES_PREFIX + String(change.before).padStart(10, '0');
}

/** Both ways for a swap, one way for a rename. */
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

/** All changes of names, ascending: what a name has become. */
export class NameHistory {
  /** By name: the changes that mention it, descending, and what it has become since. */
  #steps: Map<string, { change: number; now: string }[]> | null = null;

  constructor(readonly changes: NameChange[]) {}

  add(change: NameChange): void {
    this.changes.push(change);
    this.#steps = null;
  }

  /** What an index is called now that had this name when the changes up to that of task `since` had been made. */
  present(name: string, since: number): string {
    const first = firstAfter(this.changes, since);
    this.#steps ??= stepsOf(this.changes);
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
    // from the last to the first, so that what a name becomes is known before it is asked for
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

/** The first change that a task after `since` made. */
function firstAfter(changes: readonly NameChange[], since: number): number {
  let [low, high] = [0, changes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (changes[middle]!.before > since) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The record with the names of now and the note that it has them; the same record when no name of it has changed. */
export function folded(record: TaskRecord, history: NameHistory): TaskRecord {
  const since = record.named?.since ?? record.uid;
  const last = history.changes.at(-1)?.before ?? -1;
  const concerned = record.named?.indexes ?? linkedIndexes(record) ?? [record.indexUid ?? []].flat();
  const now = concerned.map((name) => history.present(name, since));
  if (last <= since || now.every((name, i) => name === concerned[i])) return record;
  if (record.type === 'indexSwap') return { ...withSwaps(record, now), named: { since: last } };
  // a rename keeps the names under which it was asked for, beside those that it is found by
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

/** The record as it reads now: `indexUid` is the present name of its index, the swaps it lists have their present names. */
export function applyNames(record: TaskRecord, indexUid: string | null, history: NameHistory): TaskRecord {
  if (record.type === 'indexSwap') {
    const since = record.named?.since ?? record.uid;
    return withSwaps(
      record,
      linkedIndexes(record)!.map((name) => history.present(name, since)),
    );
  }
  // A rename task keeps the name under which it was asked for.
  return indexUid === null || indexUid === record.indexUid ? record : { ...record, indexUid };
}
