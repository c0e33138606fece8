import { dimensionsOf, generatesVectors, indexingEmbedder, modelKey } from '../../../bindings/embedders/models.js';
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
  return JSON.stringify([sets, rest, embeddersBuilt(settings)]);
}

/** May new settings change the vectors of documents? Templates can see which attributes are searchable. */
export function changesVectors(before: IndexSettings, after: IndexSettings): boolean {
  const seen = (settings: IndexSettings) => {
    const searchable = generatesVectors(settings) ? settings.searchableAttributes : null;
    return JSON.stringify([embeddersBuilt(settings), searchable]);
  };
  return seen(before) !== seen(after);
}

/** What of embedders decides the vectors of documents. */
function embeddersBuilt({ embedders }: IndexSettings): unknown[] {
  return Object.entries(embedders).map(([name, embedder]) => {
    const { documentTemplate, documentTemplateMaxBytes, indexingFragments } = indexingEmbedder(embedder);
    const { id, binaryQuantized = false } = embedder;
    const form = [modelKey(embedder), dimensionsOf(embedder), binaryQuantized];
    return [name, id, form, documentTemplate, documentTemplateMaxBytes, indexingFragments];
  });
}
