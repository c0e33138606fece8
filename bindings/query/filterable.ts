import type { FilterableRule, FilterFeatures, IndexSettings } from '../index-types.js';
import { covers, matchesPattern } from './patterns.js';

/** What the rules of `filterableAttributes` let be done with a field. */
export interface FilterableField {
  facetSearch: boolean;
  equality: boolean;
  comparison: boolean;
  /** Position of the rule that decided. */
  rule: number;
}

const EVERYTHING: FilterFeatures = { facetSearch: true, filter: { equality: true, comparison: true } };

/** The first rule that matches a path decides, even one that allows nothing; null when none matches. */
export function filterableFeatures(settings: IndexSettings, path: string): FilterableField | null {
  const rule = settings.filterableAttributes.findIndex((entry) => matchesRule(entry, path));
  const entry = settings.filterableAttributes[rule];
  if (entry === undefined) return null;
  const { facetSearch, filter } = typeof entry === 'string' ? EVERYTHING : entry.features;
  return { facetSearch, ...filter, rule };
}

function matchesRule(rule: FilterableRule, path: string): boolean {
  if (typeof rule === 'string') return covers(rule, path);
  return rule.attributePatterns.some((pattern) => matchesPattern(pattern, path));
}

/** Whether any filter feature is on: what facets and `distinct` need. */
export function isFilterable(settings: IndexSettings, path: string): boolean {
  const features = filterableFeatures(settings, path);
  return features !== null && (features.equality || features.comparison);
}

/** Names and patterns of the rules for which `keep` holds, sorted: what messages offer. */
export function filterablePatterns(settings: IndexSettings, keep: (features: FilterFeatures) => boolean): string[] {
  const patterns = settings.filterableAttributes.flatMap((rule) => {
    if (typeof rule === 'string') return [rule];
    return keep(rule.features) ? rule.attributePatterns : [];
  });
  return [...new Set(patterns)].sort();
}

/** Geo filters need the plain names `_geo` and `_geojson`: patterns do not switch them on. */
export function geoFilters(settings: IndexSettings): { points: boolean; shapes: boolean } {
  const rules = settings.filterableAttributes;
  return { points: rules.includes('_geo'), shapes: rules.includes('_geojson') };
}

/** Coordinates have values for filters and facets only when the plain name `_geo` is listed. */
export function hasValues(settings: IndexSettings, path: string): boolean {
  return !(path === '_geo.lat' || path === '_geo.lng') || geoFilters(settings).points;
}
