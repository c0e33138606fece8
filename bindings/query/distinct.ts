import { apiError } from '../errors.js';
import type { IndexSettings } from '../index-types.js';
import { decidedBy, filterableFeatures, filterablePatterns } from './filterable.js';
import { attributesHint, visibleNames } from './visible-names.js';

/** Checks the `distinct` of a search: the attribute must be filterable, unlike that of the setting. */
export function checkDistinct(attribute: string, settings: IndexSettings): void {
  const features = filterableFeatures(settings, attribute);
  if (features?.equality || features?.comparison) return;
  const patterns = filterablePatterns(settings, ({ filter }) => filter.equality || filter.comparison);
  const available = attributesHint('Filterable', visibleNames(patterns, settings));
  const rule = features ? ` ${decidedBy(attribute, features)}` : '';
  throw apiError('invalid_search_distinct', 'notFilterable', { attribute, available, rule });
}
