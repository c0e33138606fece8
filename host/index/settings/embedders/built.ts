import { dimensionsOf, indexingEmbedder, modelKey } from '../../../../bindings/embedders/models.js';
import type { EmbedderSettings, IndexSettings } from '../../../../bindings/index-types.js';

/** The members of embedder settings on which the vectors of documents depend. */
export function embeddersBuilt(embedders: Record<string, EmbedderSettings>): unknown[] {
  return Object.entries(embedders).map(([name, embedder]) => {
    const { documentTemplate, documentTemplateMaxBytes, indexingFragments } = indexingEmbedder(embedder);
    const model = modelKey(embedder);
    return [vectorForm(name, embedder), model, documentTemplate, documentTemplateMaxBytes, indexingFragments];
  });
}

/**
 * Whether the form of stored vectors stays the same, so that only texts or models change. Then documents with unchanged vectors
 * need not be rebuilt.
 */
export function keepsVectorForms(before: IndexSettings, after: IndexSettings): boolean {
  const forms = ({ embedders }: IndexSettings) => Object.entries(embedders).map(([name, embedder]) => vectorForm(name, embedder));
  return JSON.stringify(forms(before)) === JSON.stringify(forms(after));
}

/** How the vectors of an embedder are stored. */
function vectorForm(name: string, embedder: EmbedderSettings): unknown[] {
  return [name, embedder.id, dimensionsOf(embedder), embedder.binaryQuantized ?? false];
}
