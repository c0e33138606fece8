import { ATTRIBUTE_EXACT, ATTRIBUTE_SEARCHED } from '../engine/exports.js';
import type { IndexReader } from '../engine/segments.js';
import { ApiError } from '../errors.js';
import type { IndexSettings, IndexView } from '../index-types.js';
import { covers, matchesPattern } from '../query/patterns.js';

/** Bits of one byte a field id, as engine-as/assembly/ranking/sources.ts reads them. */

/** Members that are never searchable, nor what is nested in them. */
const RESERVED = ['_vectors', '_geo', '_geojson'];

export function isSearchable(settings: IndexSettings, path: string): boolean {
  if (RESERVED.some((name) => covers(name, path))) return false;
  const { searchableAttributes } = settings;
  return searchableAttributes === null || searchableAttributes.some((entry) => covers(entry, path));
}

/** What the fields of an index are for one query: the tables that the engine reads, one entry a field id. */
export interface AttributeTable {
  /** Address of u8[fields]. */
  kinds: number;
  /** Address of u16[fields]: 0 is the best weight. */
  weights: number;
  /** Only some attributes are searched. */
  restricted: boolean;
  /** Nothing can match: the restriction selects no attribute. */
  empty: boolean;
  maxWeight: number;
  /** Names the weights: equal names, equal weights. */
  scheme: string;
}

/** What does not depend on the request: worked out once for each state of an index. */
interface SettingsTable {
  kinds: Uint8Array;
  weights: Uint8Array;
  maxWeight: number;
  scheme: string;
}

const tables = new WeakMap<IndexView, SettingsTable>();

function settingsTable(view: IndexView): SettingsTable {
  const known = tables.get(view);
  if (known) return known;
  const { settings, fields } = view;
  const entries = settings.searchableAttributes;
  const exact = settings.typoTolerance.disableOnAttributes;
  const kinds = new Uint8Array(fields.length);
  const weights = new Uint16Array(fields.length);
  for (const [id, path] of fields.entries()) {
    const weight = entries ? entries.findIndex((entry) => covers(entry, path)) : 0;
    weights[id] = Math.max(0, weight);
    if (exact.some((entry) => covers(entry, path))) kinds[id] = ATTRIBUTE_EXACT;
  }
  const table = {
    kinds,
    weights: new Uint8Array(weights.buffer),
    scheme: (entries ?? ['*']).join('\u0000'),
    maxWeight: entries ? Math.max(0, entries.length - 1) : 0,
  };
  tables.set(view, table);
  return table;
}

export function attributeTable(reader: IndexReader, searchOn: readonly string[] | null): AttributeTable {
  const { kinds, weights, scheme, maxWeight } = settingsTable(reader.view);
  const searched = searchOn ? searchedFields(reader, searchOn) : null;
  return {
    kinds: reader.instance.put(
      kinds.map((kind, id) => (searched === null || searched.has(id) ? kind | ATTRIBUTE_SEARCHED : kind)),
    ),
    weights: reader.instance.put(weights),
    restricted: searched !== null,
    empty: searched !== null && searched.size === 0,
    scheme,
    maxWeight,
  };
}

/** Field ids that `attributesToSearchOn` selects; null when it restricts nothing. Unknown names are an error. */
export function searchedFields(reader: IndexReader, searchOn: readonly string[]): Set<number> | null {
  const { settings, fields } = reader.view;
  const entries = settings.searchableAttributes;
  const chosen = new Set<number>();
  for (const entry of searchOn) {
    if (entry === '*') continue;
    const id = reader.fieldId(entry);
    if (id >= 0 && isSearchable(settings, entry)) {
      chosen.add(id);
      continue;
    }
    const before = chosen.size;
    let matched = false;
    if (entry.includes('*')) {
      for (const [field, path] of fields.entries()) {
        if (!matchesPattern(entry, path) || !isSearchable(settings, path)) continue;
        chosen.add(field);
        matched = true;
      }
    }
    if (matched || chosen.size > before || entries === null || entries.includes(entry)) continue;
    throw new ApiError(
      'invalid_search_attributes_to_search_on',
      `Attribute \`${entry}\` is not searchable. ${searchableList(settings)}`,
    );
  }
  return searchOn.includes('*') ? null : chosen;
}

function searchableList(settings: IndexSettings): string {
  const shown = settings.displayedAttributes;
  const entries = settings.searchableAttributes ?? [];
  const visible = entries.filter((entry) => shown === null || shown.some((name) => covers(name, entry)));
  const names = visible.map((name) => `\`${name}\``);
  if (visible.length < entries.length) names.push('<..hidden-attributes>');
  return `Searchable attributes are: ${names.join(', ')}.`;
}
