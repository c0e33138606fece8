import { completeSettings } from '../../test/oracle/settings.js';
import { Step, Steps } from '../engine/exports.js';
import type { IndexReader } from '../engine/segments.js';
import type { SortValue } from '../engine/sort-values.js';
import type { IndexSettings } from '../index-types.js';
import type { SortItem } from '../query/sort.js';
import { sortedDocuments } from '../ranking/sorted-documents.js';
import { scoreEntries } from '../search/federation/scores.js';
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

interface Group {
  /** Of a field. */
  value: SortValue;
  /** Of a distance. */
  point: { lat: number; lng: number };
  slots: number[];
}

/** The groups of tied documents, with the steps of the rule. */
export function groupsOf(reader: IndexReader, members: Alive, rule: SortItem): Group[] {
  const groups: Group[] = [];
  let last: Steps | null = null;
  for (const hit of sortedDocuments(reader, bitmapOf(reader, slotsIn(members)), [rule], members.length, true).list) {
    const { slot, steps } = hit;
    if (steps === last) groups.at(-1)?.slots.push(slot);
    else {
      const { lat, lng } = reader.instance.read(Step, reader.instance.read(Steps, steps).steps);
      const [entry] = scoreEntries(reader, hit, 1);
      groups.push({ value: entry?.kind === 'sort' ? entry.value : null, point: { lat, lng }, slots: [slot] });
    }
    last = steps;
  }
  return groups;
}
