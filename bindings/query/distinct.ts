import { apiError } from '../errors.js';
import type { IndexSettings } from '../index-types.js';
import { filterableFeatures, filterablePatterns } from './filterable.js';
import { visibleNames } from './visible-names.js';

/** Checks the `distinct` of a search: the attribute must be filterable, unlike that of the setting. */
export function checkDistinct(attribute: string, settings: IndexSettings): void {
  const features = filterableFeatures(settings, attribute);
  if (features?.equality || features?.comparison) return;
  const names = visibleNames(
    filterablePatterns(settings, ({ filter }) => filter.equality || filter.comparison),
    settings,
  );
  const available = names.length > 0 ? `Filterable attributes: ${names.join(', ')}` : 'This index has no filterable attributes';
  const rule = features ? ` \`${attribute}\` is decided by rule #${features.rule} of \`filterableAttributes\`.` : '';
  throw apiError('invalid_search_distinct', 'notFilterable', { attribute, available, rule });
}
