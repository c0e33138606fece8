import { compareTexts } from './utf8.js';

/** What a document is sorted by; null: it has no value. */
export type SortValue = number | string | null;

/** Orders values: numbers, then texts by their code points, then none; only within its kind an order is turned round. */
export function compareSortValues(left: SortValue, right: SortValue, ascending: boolean): number {
  const kind = (value: SortValue) => (value === null ? 2 : typeof value === 'string' ? 1 : 0);
  if (kind(left) !== kind(right)) return kind(left) - kind(right);
  const order =
    typeof left === 'string' ? compareTexts(left, right as string) : ((left as number) ?? 0) - ((right as number | null) ?? 0);
  return ascending ? order : -order;
}
