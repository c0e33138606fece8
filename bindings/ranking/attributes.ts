import type { IndexReader } from '../engine/segments.js';
import { apiError } from '../errors.js';
import type { IndexSettings } from '../index-types.js';
import { covers, matchesPattern } from '../patterns.js';
import { visibleNames } from '../query/visible-names.js';

/** Members that are never searchable, nor is anything nested in them. */
const RESERVED = ['_vectors', '_geo', '_geojson'];

export function isSearchable(settings: IndexSettings, path: string): boolean {
  if (RESERVED.some((name) => covers(name, path))) return false;
  const { searchableAttributes } = settings;
  return searchableAttributes === null || searchableAttributes.some((entry) => covers(entry, path));
}

/** Field ids selected by `attributesToSearchOn`; null when it does not restrict. Unknown names are an error. */
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
    let matched = false;
    if (entry.includes('*')) {
      for (const [field, path] of fields.entries()) {
        if (!matchesPattern(entry, path) || !isSearchable(settings, path)) continue;
        chosen.add(field);
        matched = true;
      }
    }
    if (matched || entries === null || entries.includes(entry)) continue;
    throw apiError('invalid_search_attributes_to_search_on', 'notSearchable', {
      attribute: entry,
      searchable: `Searchable attributes are: ${visibleNames(entries, settings)}.`,
    });
  }
  return searchOn.includes('*') ? null : chosen;
}
