import { compareTexts } from './utf8.js';

/** The sort value of a document; null: it has none. */
export type SortValue = number | string | null;

/**
 * Compares sort values: numbers, then texts by code points, then documents without value. `ascending` only affects the order
 * within numbers and within texts.
 */
export function compareSortValues(left: SortValue, right: SortValue, ascending: boolean): number {
  const kind = (value: SortValue) => (value === null ? 2 : typeof value === 'string' ? 1 : 0);
  if (kind(left) !== kind(right)) return kind(left) - kind(right);
  const order =
    typeof left === 'string' ? compareTexts(left, right as string) : ((left as number) ?? 0) - ((right as number | null) ?? 0);
  return ascending ? order : -order;
}
