/** `facetDistribution` and `facetStats` of a search: the engine counts them and writes their JSON. */
import {
  FACET_BY_COUNT,
  FACET_BY_TEXT,
  FacetField,
  type FacetsPlan,
  FacetsPlan as FacetsPlanLayout,
  NO_FIELD,
  WrittenFacets,
  type WrittenFacetsFields,
} from '../engine/exports.js';
import type { IndexReader } from '../engine/segments.js';
import { compareTexts } from '../engine/utf8.js';
import type { IndexSettings, IndexView } from '../index-types.js';
import { own } from '../own.js';
import { covers, matchesPattern } from '../patterns.js';
import { hasValues, isFilterable } from '../query/filterable.js';
import { StateCache } from '../state-cache.js';
import { NO_LIMIT, type TimeLimit } from '../time-limit.js';

/** JSON in the scratch of a reader's instance. */
export type Facets = WrittenFacetsFields;

/** A field of an answer, and the documents among which its values are counted. */
export interface CountedField {
  path: string;
  /** Bitmap over slots in the scratch of the reader's instance. */
  candidates: number;
}

/** The fields that entries of `facets` (names with what is nested under them, or patterns) report, in alphabetical order. */
export function facetFields({ view }: IndexReader, facets: readonly string[]): readonly string[] {
  return lists.of(view, JSON.stringify(facets), () => selectedFields(view, facets));
}

const lists = new StateCache<readonly string[]>(64);

function selectedFields({ fields, settings }: IndexView, facets: readonly string[]): string[] {
  const matches = (path: string) =>
    facets.some((entry) => (entry.includes('*') && matchesPattern(entry, path)) || covers(entry, path));
  return fields.filter((path) => path !== '_vectors' && matches(path) && isFilterable(settings, path)).sort(compareTexts);
}

/** Counts the values of fields, in the order of the answer. Fields that cannot be counted before the deadline have no values. */
export function countFacets(reader: IndexReader, fields: readonly CountedField[], limit: TimeLimit = NO_LIMIT): Facets {
  const { settings } = reader.view;
  const records = fields.map(({ path, candidates }) => ({
    path,
    field: hasValues(settings, path) ? reader.fieldId(path) : NO_FIELD,
    candidates,
    spelling: candidates,
    order: facetOrder(settings, path) === 'count' ? FACET_BY_COUNT : FACET_BY_TEXT,
  }));
  return timed(reader, reader.instance.exports.writeFacets(putFacets(reader, records, limit)), limit);
}

/** Reads what the engine has written. */
export function timed({ instance }: IndexReader, written: WrittenFacets, limit: TimeLimit): Facets {
  const facets = instance.read(WrittenFacets, written);
  if (facets.isTimedOut) limit.onTimeout();
  return facets;
}

/** Writes the plan of the counts into the engine's memory. */
export function putFacets(
  reader: IndexReader,
  fields: readonly { path: string; field: number; candidates: number; spelling: number; order: number }[],
  { deadline }: TimeLimit,
): FacetsPlan {
  const { instance, bitmapBytes } = reader;
  const { maxValuesPerFacet } = reader.view.settings.faceting;
  // Listed member by member: V8 makes objects copied by spreads slow.
  const records = fields.map(({ path, field, candidates, spelling, order }) => {
    const { pointer, length } = instance.putText(JSON.stringify(path));
    return { candidates, spelling, name: pointer, nameLength: length, field, order, limit: maxValuesPerFacet };
  });
  const first = instance.putStructures(FacetField, records);
  const plan = { deadline, segments: reader.inPlan(), bitmapBytes, fields: first, fieldCount: fields.length };
  return instance.putStructures(FacetsPlanLayout, [plan]);
}

export function facetOrder({ faceting }: IndexSettings, field: string): 'alpha' | 'count' {
  return own(faceting.sortFacetValuesBy, field) ?? faceting.sortFacetValuesBy['*'] ?? 'alpha';
}
