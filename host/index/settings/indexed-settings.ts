import { builderConfig } from '../../../bindings/engine/builder-config.js';
import type { IndexSettings } from '../../../bindings/index-types.js';

/**
 * Do stored documents have to be built anew for new settings? Only when what is built for them differs: ranking, typo sizes,
 * synonyms, displayed attributes, facet and page limits apply at once. The order of searchable attributes is a matter of
 * weights, which searches work out.
 */
export function needsRebuild(before: IndexSettings, after: IndexSettings): boolean {
  return built(before) !== built(after);
}

function built(settings: IndexSettings): string {
  const { fields: _, searchable, exactAttributes, columnsUnder, columnPatterns, ...rest } = builderConfig(settings, [], '');
  const sets = [searchable, exactAttributes, columnsUnder, columnPatterns].map((list) => list && [...new Set(list)].sort());
  return JSON.stringify([sets, rest]);
}
