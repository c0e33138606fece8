import type { Swap, TaskRecord } from './types.js';

/**
 * Renames and swaps give older tasks the new names of their indexes. Rewriting their records could touch a million
 * of them, so the ledger keeps the change instead and readers lay it over the tasks older than `before`.
 */
export interface NameChange {
  /** Uid of the task that made the change. */
  before: number;
  names: [from: string, to: string][];
}

export function nameChangeKey(change: NameChange): string {
  return `names/${String(change.before).padStart(10, '0')}`;
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

/** The record as it reads now: `indexUid` is the present name of its index, the swaps it lists have their present names. */
export function applyNames(record: TaskRecord, indexUid: string | null, changes: NameChange[]): TaskRecord {
  if (record.type === 'indexSwap') {
    const later = changes.filter(({ before }) => before > record.uid);
    if (later.length === 0) return record;
    const swaps = (record.details!.swaps as Swap[]).map(({ indexes, rename }) => ({
      indexes: indexes.map((name) => presentName(name, later)),
      rename,
    }));
    return { ...record, details: { ...record.details, swaps } };
  }
  // A rename task keeps the name under which it was asked for.
  return indexUid === null || indexUid === record.indexUid ? record : { ...record, indexUid };
}

function presentName(name: string, changes: NameChange[]): string {
  return changes.reduce((current, { names }) => names.find(([from]) => from === current)?.[1] ?? current, name);
}
