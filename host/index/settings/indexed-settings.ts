import { dimensionsOf, generatesVectors, indexingEmbedder, modelKey } from '../../../bindings/embedders/models.js';
import { builderConfig } from '../../../bindings/engine/builder-config.js';
import type { EmbedderSettings, IndexSettings } from '../../../bindings/index-types.js';

/**
 * Do stored documents have to be built anew for new settings? Only when what is built for them differs: ranking, typo sizes,
 * synonyms, displayed attributes, facet and page limits apply at once. The order of searchable attributes is a matter of
 * weights, which searches work out.
 */
export function needsRebuild(before: IndexSettings, after: IndexSettings): boolean {
  return built(before) !== built(after);
}

/**
 * Does nothing differ of what is built but the texts and models that vectors are made by? Then documents stay as they are whose vectors do.
 */
export function changesTextsAlone(before: IndexSettings, after: IndexSettings): boolean {
  const others = (settings: IndexSettings) => JSON.stringify([withoutEmbedders(settings), vectorForms(settings)]);
  return others(before) === others(after);
}

function built(settings: IndexSettings): string {
  return JSON.stringify([withoutEmbedders(settings), embeddersBuilt(settings)]);
}

function withoutEmbedders(settings: IndexSettings): unknown[] {
  const { fields: _, searchable, exactAttributes, columnsUnder, columnPatterns, ...rest } = builderConfig(settings, [], '');
  const sets = [searchable, exactAttributes, columnsUnder, columnPatterns].map((list) => list && [...new Set(list)].sort());
  return [sets, rest];
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
    const model = modelKey(embedder);
    return [vectorForm(name, embedder), model, documentTemplate, documentTemplateMaxBytes, indexingFragments];
  });
}

function vectorForms({ embedders }: IndexSettings): unknown[] {
  return Object.entries(embedders).map(([name, embedder]) => vectorForm(name, embedder));
}

/** How the vectors of an embedder are stored. */
function vectorForm(name: string, embedder: EmbedderSettings): unknown[] {
  return [name, embedder.id, dimensionsOf(embedder), embedder.binaryQuantized ?? false];
}
