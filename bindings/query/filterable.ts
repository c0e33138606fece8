import { sortedSet } from '../engine/utf8.js';
import type { FilterableRule, FilterFeatures, IndexSettings } from '../index-types.js';
import { covers, matchesPattern } from '../patterns.js';

/** What the rules of `filterableAttributes` permit for a field. */
export interface FilterableField {
  facetSearch: boolean;
  equality: boolean;
  comparison: boolean;
  /** Position of the matching rule. */
  rule: number;
}

const EVERYTHING: FilterFeatures = { facetSearch: true, filter: { equality: true, comparison: true } };

/** The first rule that matches a path decides, even if it permits nothing; null when none matches. */
export function filterableFeatures(settings: IndexSettings, path: string): FilterableField | null {
  const rule = settings.filterableAttributes.findIndex((entry) => matchesRule(entry, path));
  const entry = settings.filterableAttributes[rule];
  if (entry === undefined) return null;
  const { facetSearch, filter } = typeof entry === 'string' ? EVERYTHING : entry.features;
  return { facetSearch, ...filter, rule };
}

/** A sentence for messages: the rule that permits too little for a field. */
export function decidedBy(path: string, { rule }: FilterableField): string {
  return `\`${path}\` is decided by rule #${rule} of \`filterableAttributes\`.`;
}

function matchesRule(rule: FilterableRule, path: string): boolean {
  if (typeof rule === 'string') return covers(rule, path);
  return rule.attributePatterns.some((pattern) => matchesPattern(pattern, path));
}

/** Whether any filter feature is enabled: required for facets and `distinct`. */
export function isFilterable(settings: IndexSettings, path: string): boolean {
  const features = filterableFeatures(settings, path);
  return features !== null && (features.equality || features.comparison);
}

/** Sorted names and patterns of the rules that satisfy `keep`, for messages. */
export function filterablePatterns(settings: IndexSettings, keep: (features: FilterFeatures) => boolean): string[] {
  const patterns = settings.filterableAttributes.flatMap((rule) => {
    if (typeof rule === 'string') return [rule];
    return keep(rule.features) ? rule.attributePatterns : [];
  });
  return sortedSet(patterns);
}

/** Geo filters require the names `_geo` and `_geojson` themselves: patterns do not enable them. */
export function geoFilters(settings: IndexSettings): { points: boolean; shapes: boolean } {
  const rules = settings.filterableAttributes;
  return { points: rules.includes('_geo'), shapes: rules.includes('_geojson') };
}

/** Coordinates are only available to filters and facets when `_geo` itself is listed. */
export function hasValues(settings: IndexSettings, path: string): boolean {
  return !(path === '_geo.lat' || path === '_geo.lng') || geoFilters(settings).points;
}
