import type { Distribution, EmbedderSettings, IndexSettings } from '../index-types.js';

/**
 * Known models of OpenAI: their dimensions, whether fewer dimensions can be requested, and the distribution of their
 * similarities.
 */
export const OPEN_AI_MODELS = new Map([
  ['text-embedding-3-small', { dimensions: 1536, adjustable: true, distribution: { mean: 0.75, sigma: 0.1 } }],
  ['text-embedding-3-large', { dimensions: 3072, adjustable: true, distribution: { mean: 0.7, sigma: 0.1 } }],
  ['text-embedding-ada-002', { dimensions: 1536, adjustable: false, distribution: { mean: 0.9, sigma: 0.08 } }],
]);
export const DEFAULT_OPEN_AI_MODEL = 'text-embedding-3-small';

export const DEFAULT_LOCAL_MODEL = 'BAAI/bge-base-en-v1.5';
/** Git revision of {@link DEFAULT_LOCAL_MODEL}. */
export const DEFAULT_LOCAL_REVISION = '617ca489d9e86b49b8167676d8220688b99db36e';

/** The embedder for documents: in a composite embedder the nested one. */
export function indexingEmbedder(embedder: EmbedderSettings): EmbedderSettings {
  return embedder.indexingEmbedder ?? embedder;
}

export function searchEmbedder(embedder: EmbedderSettings): EmbedderSettings {
  return embedder.searchEmbedder ?? embedder;
}

/** Dimensions of its vectors; undefined if they can only be found by calling the model. */
export function dimensionsOf(embedder: EmbedderSettings): number | undefined {
  const { source, dimensions, inferredDimensions, model } = embedder;
  if (source === 'composite') return dimensionsOf(indexingEmbedder(embedder)) ?? dimensionsOf(searchEmbedder(embedder));
  const known = source === 'openAi' ? OPEN_AI_MODELS.get(model ?? DEFAULT_OPEN_AI_MODEL)?.dimensions : undefined;
  return dimensions ?? inferredDimensions ?? known;
}

/** A text that identifies everything on which the vector of a text depends; the key under which embeddings are cached. */
export function modelKey(embedder: EmbedderSettings): string {
  const { source, model, revision, pooling, url, request, response } = indexingEmbedder(embedder);
  const dimensions = source === 'openAi' ? dimensionsOf(embedder) : undefined;
  const where = source === 'openAi' ? undefined : url;
  return JSON.stringify([source, model, revision, pooling, dimensions, where, request, response]);
}

/** Whether an index generates vectors for documents that do not provide them. */
export function generatesVectors({ embedders }: IndexSettings): boolean {
  return Object.values(embedders).some(({ source }) => source !== 'userProvided');
}

/** Distribution of the similarities of {@link DEFAULT_LOCAL_MODEL}. */
const LOCAL_DISTRIBUTION: Distribution = { mean: 0.85, sigma: 0.1 };

/**
 * The distribution of an embedder's similarities: as configured, otherwise that of a known model; in composite embedders the one
 * for searches comes first.
 */
export function distributionOf(embedder: EmbedderSettings | undefined): Distribution | null {
  if (!embedder) return null;
  const { source, model, distribution } = embedder;
  if (distribution) return distribution;
  if (source === 'composite') return distributionOf(embedder.searchEmbedder) ?? distributionOf(embedder.indexingEmbedder);
  if (source === 'openAi') return OPEN_AI_MODELS.get(model ?? DEFAULT_OPEN_AI_MODEL)?.distribution ?? null;
  return source === 'huggingFace' && (model ?? DEFAULT_LOCAL_MODEL) === DEFAULT_LOCAL_MODEL ? LOCAL_DISTRIBUTION : null;
}
