import { distinctValues } from '../../engine/columns.js';
import type { IndexReader } from '../../engine/segments.js';
import type { RankedHit } from '../../ranking/ranked.js';
import type { SortRule } from '../../ranking/rules.js';
import { sortedDocuments } from '../../ranking/sorted-documents.js';
import type { Step } from '../../ranking/step.js';

/** Documents that are equal by the sort rules, in internal order. */
export interface SortedGroup {
  slots: readonly number[];
  steps: readonly Step[];
}

/** The documents of a bitmap, group by group, ordered by some rules; `before` are the results of earlier rules. */
export function* sortedGroups(
  reader: IndexReader,
  bitmap: number,
  rules: readonly SortRule[],
  before: readonly Step[] = [],
): Generator<SortedGroup> {
  const count = reader.count(bitmap);
  if (count === 0) return;
  const hits = sortedDocuments(reader, bitmap, rules, count, true);
  for (let from = 0; from < hits.length; ) {
    const { steps } = hits[from] as RankedHit;
    let end = from;
    while (end < hits.length && sameValues((hits[end] as RankedHit).steps, steps)) end++;
    yield { slots: hits.slice(from, end).map(({ slot }) => slot), steps: [...before, ...steps] };
    from = end;
  }
}

function sameValues(left: readonly Step[], right: readonly Step[]): boolean {
  return (
    left === right ||
    left.every(({ value, distance }, place) => value === right[place]?.value && distance === right[place]?.distance)
  );
}

/** The values of a document that make it a duplicate of another. */
export function valuesOf(reader: IndexReader, path: string): (slot: number) => readonly (number | string)[] {
  const field = reader.fieldId(path);
  return field < 0 ? () => [] : (slot) => distinctValues(reader, field, slot);
}

/** The documents of a bitmap in internal order. */
export function inOrder(reader: IndexReader, bitmap: number): number[] {
  const count = reader.count(bitmap);
  return count === 0 ? [] : sortedDocuments(reader, bitmap, [], count).map(({ slot }) => slot);
}
