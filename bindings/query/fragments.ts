import type { EmbedderSettings } from '../index-types.js';

/** Numbers of the fragments with which an embedder embeds documents. */
export function fragmentsOf({ fragmentIds, indexingEmbedder }: EmbedderSettings): Record<string, number> {
  return fragmentIds ?? indexingEmbedder?.fragmentIds ?? {};
}
