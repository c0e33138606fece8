import type { Distribution, EmbedderSettings, IndexSettings } from '../index-types.js';

/** The models of openAi that are known: their dimensions, whether fewer may be asked for, and how their similarities lie. */
export const OPEN_AI_MODELS = new Map([
  ['text-embedding-3-small', { dimensions: 1536, adjustable: true, distribution: { mean: 0.75, sigma: 0.1 } }],
  ['text-embedding-3-large', { dimensions: 3072, adjustable: true, distribution: { mean: 0.7, sigma: 0.1 } }],
  ['text-embedding-ada-002', { dimensions: 1536, adjustable: false, distribution: { mean: 0.9, sigma: 0.08 } }],
]);
export const DEFAULT_OPEN_AI_MODEL = 'text-embedding-3-small';

export const DEFAULT_LOCAL_MODEL = 'BAAI/bge-base-en-v1.5';
/** Of {@link DEFAULT_LOCAL_MODEL}. */
export const DEFAULT_LOCAL_REVISION = '617ca489d9e86b49b8167676d8220688b99db36e';

/** The one that embeds documents: in a composite embedder a nested one. */
export function indexingEmbedder(embedder: EmbedderSettings): EmbedderSettings {
  return embedder.indexingEmbedder ?? embedder;
}

export function searchEmbedder(embedder: EmbedderSettings): EmbedderSettings {
  return embedder.searchEmbedder ?? embedder;
}

/** How long its vectors are; undefined: only the model knows. */
export function dimensionsOf(embedder: EmbedderSettings): number | undefined {
  const { source, dimensions, inferredDimensions, model } = embedder;
  if (source === 'composite') return dimensionsOf(indexingEmbedder(embedder)) ?? dimensionsOf(searchEmbedder(embedder));
  const known = source === 'openAi' ? OPEN_AI_MODELS.get(model ?? DEFAULT_OPEN_AI_MODEL)?.dimensions : undefined;
  return dimensions ?? inferredDimensions ?? known;
}

/** What decides which vector a text gets, as a text: embeddings are kept by it. */
export function modelKey(embedder: EmbedderSettings): string {
  const { source, model, revision, pooling, url, request, response } = indexingEmbedder(embedder);
  const dimensions = source === 'openAi' ? dimensionsOf(embedder) : undefined;
  const where = source === 'openAi' ? undefined : url;
  return JSON.stringify([source, model, revision, pooling, dimensions, where, request, response]);
}

/** Do documents of an index get vectors that they do not bring? */
export function generatesVectors({ embedders }: IndexSettings): boolean {
  return Object.values(embedders).some(({ source }) => source !== 'userProvided');
}

/** Of {@link DEFAULT_LOCAL_MODEL}. */
const LOCAL_DISTRIBUTION: Distribution = { mean: 0.85, sigma: 0.1 };

/** How the similarities of an embedder lie: as it says itself, else as its models are known for, the one for searches first. */
export function distributionOf(embedder: EmbedderSettings | undefined): Distribution | null {
  if (!embedder) return null;
  const { source, model, distribution } = embedder;
  if (distribution) return distribution;
  if (source === 'composite') return distributionOf(embedder.searchEmbedder) ?? distributionOf(embedder.indexingEmbedder);
  if (source === 'openAi') return OPEN_AI_MODELS.get(model ?? DEFAULT_OPEN_AI_MODEL)?.distribution ?? null;
  return source === 'huggingFace' && (model ?? DEFAULT_LOCAL_MODEL) === DEFAULT_LOCAL_MODEL ? LOCAL_DISTRIBUTION : null;
}
