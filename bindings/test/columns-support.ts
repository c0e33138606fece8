import { completeSettings } from '../../test/oracle/settings.js';
import type { IndexReader } from '../engine/segments.js';
import type { IndexSettings } from '../index-types.js';
import type { SortRule } from '../ranking/rules.js';
import { sortedDocuments } from '../ranking/sorted-documents.js';
import type { Step } from '../ranking/step.js';
import { bitmapOf, type randomCase } from './column-case.js';

/** Seed of random documents and requests; printed with a failure. */
export const SEED = Number(process.env.SEED ?? 4711);
/** Random indexes per test. */
export const INDEXES = 25;
export const CODE = 'invalid_search_filter';

export const SETTINGS: IndexSettings = completeSettings({
  filterableAttributes: ['_geo', 'id', 'single', 'price', 'mixed', 'many', 'nested', 'never'],
  sortableAttributes: ['_geo', 'mixed'],
});

/** Documents of one index: {@link Case.alive}. */
export type Alive = ReturnType<typeof randomCase>['alive'];

/** In internal order. */
export const byId = (members: Alive) => [...members].sort((a, b) => Number(a.document.id) - Number(b.document.id));
export const slotsIn = (members: Alive) => members.map(({ slot }) => slot);

/** The groups of documents that tie, with what the rule said of them. */
export function groupsOf(reader: IndexReader, members: Alive, rule: SortRule): { step: Step; slots: number[] }[] {
  const groups: { step: Step; slots: number[] }[] = [];
  let last: readonly Step[] | null = null;
  for (const { slot, steps } of sortedDocuments(reader, bitmapOf(reader, slotsIn(members)), [rule], members.length, true)) {
    if (steps === last) groups.at(-1)?.slots.push(slot);
    else groups.push({ step: steps[0] as Step, slots: [slot] });
    last = steps;
  }
  return groups;
}
