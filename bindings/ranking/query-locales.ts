import type { IndexReader } from '../engine/segments.js';
import { attributeLocales } from '../query/localized.js';
import type { SearchRequest } from '../query/request.js';
import { isSearchable, searchedFields } from './attributes.js';

const ANY: readonly string[] = [];

/** Possible languages of a query: those of the request, otherwise those of the searched attributes; empty: any. */
export function queryLocales(
  reader: IndexReader,
  { locales: named, attributesToSearchOn }: Pick<SearchRequest, 'locales' | 'attributesToSearchOn'>,
): readonly string[] {
  if (named !== null) return named;
  const { settings, fields } = reader.view;
  if (!settings.localizedAttributes) return ANY;
  const searched = attributesToSearchOn && searchedFields(reader, attributesToSearchOn);
  const locales = new Set<string>();
  for (const [id, path] of fields.entries()) {
    if (!(searched?.has(id) ?? isSearchable(settings, path))) continue;
    for (const locale of attributeLocales(settings, path) ?? []) locales.add(locale);
  }
  return [...locales];
}
