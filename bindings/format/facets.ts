/** `facetDistribution` and `facetStats` of a search: the engine counts them and writes their JSON. */
import {
  FACET_BY_COUNT,
  FACET_BY_TEXT,
  FacetField,
  FacetSearch,
  FacetsPlan,
  NO_FIELD,
  WrittenFacets,
  type WrittenFacetsFields,
} from '../engine/exports.js';
import { RecordWriter } from '../engine/record-writer.js';
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

/** Fields whose values are counted, in the order of the answer. */
export interface FacetList {
  paths: readonly string[];
  /** A FacetField of each, whose name is at an offset, and the names. */
  bytes: Uint8Array;
}

const lists = new StateCache<FacetList>(({ bytes }) => bytes.length);

/** The fields that entries of `facets` (names with what is nested under them, or patterns) report, in alphabetical order. */
export function facetFields(reader: IndexReader, facets: readonly string[]): FacetList {
  const { view } = reader;
  return lists.of(view, JSON.stringify(facets), () => facetList(reader, selectedFields(view, facets)));
}

/** @param byText the order of values that do not come by their counts */
export function facetList(reader: IndexReader, paths: readonly string[], byText = FACET_BY_TEXT): FacetList {
  const { settings } = reader.view;
  const record = new RecordWriter(paths.length * FacetField.bytes);
  for (const path of paths) {
    const { at: name, length: nameLength } = record.text(JSON.stringify(path));
    const field = hasValues(settings, path) ? reader.fieldId(path) : NO_FIELD;
    const order = facetOrder(settings, path) === 'count' ? FACET_BY_COUNT : byText;
    const limit = settings.faceting.maxValuesPerFacet;
    record.put(FacetField, { name, nameLength, field, candidates: 0, spelling: 0, order, limit });
  }
  return { paths, bytes: record.finish().slice() };
}

function selectedFields({ fields, settings }: IndexView, facets: readonly string[]): string[] {
  const matches = (path: string) =>
    facets.some((entry) => (entry.includes('*') && matchesPattern(entry, path)) || covers(entry, path));
  return fields.filter((path) => path !== '_vectors' && matches(path) && isFilterable(settings, path)).sort(compareTexts);
}

/**
 * Counts the values of fields. Fields that cannot be counted before the deadline have no values.
 * @param candidates bitmaps over slots, in the scratch of the reader's instance: for each field the documents among which its values
 *   are counted, or one for all
 */
export function countFacets(
  reader: IndexReader,
  list: FacetList,
  candidates: number | readonly number[],
  limit: TimeLimit = NO_LIMIT,
): Facets {
  const sets = typeof candidates === 'number' ? list.paths.map(() => candidates) : candidates;
  return writeFacets(reader, list, sets, sets, limit, FacetSearch.at(0));
}

/**
 * Has the engine count the values of fields, or search those of one.
 * @param spelling for each field the documents that decide how its values are spelt
 * @param search 0: all values are counted
 */
export function writeFacets(
  reader: IndexReader,
  { bytes: fields }: FacetList,
  candidates: readonly number[],
  spelling: readonly number[],
  { deadline, onTimeout }: TimeLimit,
  search: FacetSearch,
): Facets {
  const { instance, bitmapBytes } = reader;
  const fieldCount = candidates.length;
  const plan = FacetsPlan.at(instance.alloc(FacetsPlan.bytes + fields.length));
  const first = plan + FacetsPlan.bytes;
  instance.bytes.set(fields, first);
  const { view } = instance;
  for (let place = 0; place < fieldCount; place++) {
    const field = first + place * FacetField.bytes;
    const { offset } = FacetField;
    view.setUint32(field + offset.name, first + view.getUint32(field + offset.name, true), true);
    view.setUint32(field + offset.candidates, candidates[place] as number, true);
    view.setUint32(field + offset.spelling, spelling[place] as number, true);
  }
  FacetsPlan.write(view, plan, { deadline, segments: reader.inPlan(), bitmapBytes, fields: first, fieldCount, search });
  const facets = instance.read(WrittenFacets, instance.exports.writeFacets(plan));
  if (facets.isTimedOut) onTimeout();
  return facets;
}

export function facetOrder({ faceting }: IndexSettings, field: string): 'alpha' | 'count' {
  return own(faceting.sortFacetValuesBy, field) ?? faceting.sortFacetValuesBy['*'] ?? 'alpha';
}
