/** The `sort` member of searches and document fetches: `attribute:asc`, `_geoPoint(latitude, longitude):desc`. */

import type { IndexReader } from '../engine/segments.js';
import { apiError, errorAs } from '../errors.js';
import type { IndexSettings } from '../index-types.js';
import { own } from '../own.js';
import { covers } from '../patterns.js';
import { decimalOf } from './decimal.js';
import { attributesHint, visibleNames } from './visible-names.js';

export type SortItem =
  | { kind: 'field'; path: string; ascending: boolean }
  | { kind: 'geo'; lat: number; lng: number; ascending: boolean };

export type SortCode = 'invalid_search_sort' | 'invalid_document_sort';

const DIRECTIONS: Record<string, boolean> = { asc: true, desc: false };
const GEO_POINT = /^_geoPoint\s*\(([^()]*)\)$/;
/** Names that cannot be sorted by, with or without arguments. */
const RESERVED = /^_geo(?:Point|Distance|Radius|BoundingBox|Polygon)?(?:\s*\(.*\))?$/s;

/** Parses the items of `sort`; whether the index permits them is checked separately. */
export function parseSort(items: readonly string[], code: SortCode): SortItem[] {
  return items.map((item) => parseItem(item, code));
}

function parseItem(item: string, code: SortCode): SortItem {
  const colon = item.lastIndexOf(':');
  const path = item.slice(0, Math.max(0, colon));
  const ascending = own(DIRECTIONS, item.slice(colon + 1));
  if (colon < 1 || ascending === undefined) {
    const form = 'an attribute or `_geoPoint(latitude, longitude)`, then `:asc` or `:desc`';
    throw errorAs(code, 'sortSyntax', { form, item });
  }
  const [lat, lng, ...more] =
    GEO_POINT.exec(path)?.[1]
      ?.split(',')
      .map((part) => part.trim()) ?? [];
  if (lat === undefined) {
    if (RESERVED.test(path)) {
      const advice = 'to sort by distance use `_geoPoint(latitude, longitude)`';
      throw errorAs(code, 'sortReserved', { path, advice });
    }
    return { kind: 'field', path, ascending };
  }
  if (lng === undefined || more.length > 0 || [lat, lng].some((text) => Number.isNaN(decimalOf(text)))) {
    throw errorAs(code, 'sortPoint', { path });
  }
  return { kind: 'geo', lat: coordinate(lat, 90, 'latitude', code), lng: coordinate(lng, 180, 'longitude', code), ascending };
}

function coordinate(text: string, limit: number, name: string, code: SortCode): number {
  const value = decimalOf(text);
  if (Math.abs(value) <= limit) return value;
  throw errorAs(code, 'sortCoordinate', { name, text, limit });
}

/** Checks that a search may be sorted by these items. */
export function checkSearchSort(items: readonly SortItem[], settings: IndexSettings): void {
  if (items.length === 0) return;
  if (!settings.rankingRules.includes('sort')) {
    throw apiError('invalid_search_sort', 'noSortRule');
  }
  checkSortable(items, settings, 'invalid_search_sort');
}

/** Checks that documents may be fetched in this order: no ranking rule is required, but `_geoPoint` needs locations. */
export function checkDocumentSort(items: readonly SortItem[], reader: IndexReader): void {
  checkSortable(items, reader.view.settings, 'invalid_document_sort');
  // The path is known as soon as a document has had a location.
  if (items.some(({ kind }) => kind === 'geo') && reader.fieldId('_geo.lat') < 0) {
    throw apiError('invalid_document_sort', 'noLocations');
  }
}

function checkSortable(items: readonly SortItem[], settings: IndexSettings, code: SortCode): void {
  for (const item of items) {
    const path = item.kind === 'geo' ? '_geo' : item.path;
    if (settings.sortableAttributes.some((field) => covers(field, path))) continue;
    const hint = attributesHint('Sortable', visibleNames(settings.sortableAttributes, settings));
    throw errorAs(code, 'notSortable', { path, hint });
  }
}
