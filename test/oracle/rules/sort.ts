import type { IndexedDocument } from '../corpus.js';
import { distanceMetres, fieldValues, type Point, pointOf } from '../facet-values.js';
import type { JsonObject } from '../json.js';
import { compareBytes } from '../text.js';
import type { Bucket } from './bucket.js';

export type Direction = 'asc' | 'desc';
export type SortValue = number | string | null;

/** Points whose distances differ by no more than this tie. */
const GEO_MARGIN_METRES = 1;
const GEO_GROUP = 1000;

export interface SortedBucket extends Bucket {
  value: SortValue;
}

export interface GeoBucket extends Bucket {
  point: Point | null;
  metres: number | null;
}

/** By number, then by text, then those without a value, in both directions. */
const KIND_ORDER = (value: SortValue): number => (typeof value === 'number' ? 0 : typeof value === 'string' ? 1 : 2);

/** Values in the order of a sort. */
export function compareValues(a: SortValue, b: SortValue, direction: Direction): number {
  const byKind = KIND_ORDER(a) - KIND_ORDER(b);
  if (byKind !== 0) return byKind;
  const sign = direction === 'asc' ? 1 : -1;
  if (typeof a === 'number') return sign * (a - (b as number));
  return typeof a === 'string' ? sign * compareBytes(a, b as string) : 0;
}

/** The value a document is sorted by: the best of its numbers, else the best of its texts. */
function sortValue(json: JsonObject, field: string, direction: Direction): SortValue {
  const { numbers, strings } = fieldValues(json, field);
  const values: SortValue[] = numbers.length > 0 ? numbers : strings;
  return [...values].sort((a, b) => compareValues(a, b, direction))[0] ?? null;
}

export function* fieldRule(bucket: Bucket, field: string, direction: Direction): Generator<SortedBucket> {
  const groups = new Map<SortValue, IndexedDocument[]>();
  for (const document of bucket.documents) {
    const value = sortValue(document.json, field, direction);
    groups.set(value, [...(groups.get(value) ?? []), document]);
  }
  for (const value of [...groups.keys()].sort((a, b) => compareValues(a, b, direction))) {
    yield { documents: groups.get(value) as IndexedDocument[], live: bucket.live, value };
  }
}

export function* geoRule(bucket: Bucket, from: Point, direction: Direction): Generator<GeoBucket> {
  const sign = direction === 'asc' ? 1 : -1;
  const placed = bucket.documents.flatMap((document) => {
    const point = pointOf(document.json);
    return point ? [{ document, point, metres: distanceMetres(from, point) }] : [];
  });
  placed.sort((a, b) => sign * (a.metres - b.metres) || a.document.internalId - b.document.internalId);
  while (placed.length > 0) {
    const { point, metres } = placed[0] as (typeof placed)[number];
    const end = placed.findIndex((p, k) => k >= GEO_GROUP || Math.abs(p.metres - metres) > GEO_MARGIN_METRES);
    const group = placed.splice(0, end < 0 ? placed.length : end).map((p) => p.document);
    yield { documents: group.sort((a, b) => a.internalId - b.internalId), live: bucket.live, point, metres };
  }
  const rest = bucket.documents.filter((document) => !pointOf(document.json));
  if (rest.length > 0) yield { documents: rest, live: bucket.live, point: null, metres: null };
}
