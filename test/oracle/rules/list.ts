import type { Point } from '../facet-values.js';
import type { Direction } from './sort.js';
import type { MatchingStrategy } from './words.js';

export type SortItem = { field: string; direction: Direction } | { point: Point; direction: Direction };

export type Rule =
  | { kind: 'words' | 'typo' | 'proximity' | 'exactAttribute' | 'exactWords' }
  /** `merged`: both halves of the rule `attribute`, shown as one. */
  | { kind: 'attributeRank' | 'wordPosition'; merged: boolean }
  | { kind: 'field'; field: string; direction: Direction }
  | { kind: 'geo'; point: Point; direction: Direction };

const RELEVANCY = ['words', 'typo', 'proximity', 'attribute', 'attributeRank', 'wordPosition', 'exactness'];

/** The rules a search runs, from the rules of the index. A placeholder search runs only what sorts. */
export function ruleList(
  names: readonly string[],
  sort: readonly SortItem[],
  strategy: MatchingStrategy,
  isPlaceholder: boolean,
): Rule[] {
  const rules: Rule[] = [];
  const seen = new Set<string>();
  const sorted = new Set<string>();

  const add = (item: SortItem): void => {
    if ('point' in item) rules.push({ kind: 'geo', ...item });
    else if (!sorted.has(item.field)) {
      sorted.add(item.field);
      rules.push({ kind: 'field', ...item });
    }
  };
  const relevancy = (name: string): void => {
    if (name !== 'words' && !seen.has('words')) relevancy('words');
    if (seen.has(name) || isCovered(name, seen)) return;
    seen.add(name);
    if (name === 'words') {
      if (strategy !== 'all') rules.push({ kind: 'words' });
    } else if (name === 'attribute') {
      rules.push({ kind: 'attributeRank', merged: true }, { kind: 'wordPosition', merged: true });
    } else if (name === 'attributeRank' || name === 'wordPosition') rules.push({ kind: name, merged: false });
    else if (name === 'exactness') rules.push({ kind: 'exactAttribute' }, { kind: 'exactWords' });
    else if (name === 'typo' || name === 'proximity') rules.push({ kind: name });
  };

  for (const name of names) {
    const custom = /^(.+):(asc|desc)$/s.exec(name);
    if (custom) add({ field: custom[1] as string, direction: custom[2] as Direction });
    else if (name === 'sort' && !seen.has('sort')) {
      seen.add('sort');
      for (const item of sort) add(item);
    } else if (RELEVANCY.includes(name) && !isPlaceholder) relevancy(name);
  }
  return rules;
}

/** `attribute` is its two halves: whichever comes first wins. */
function isCovered(name: string, seen: ReadonlySet<string>): boolean {
  if (name === 'attribute') return seen.has('attributeRank') || seen.has('wordPosition');
  return (name === 'attributeRank' || name === 'wordPosition') && seen.has('attribute');
}
