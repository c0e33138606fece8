import { searchEmbedder } from '../../bindings/embedders/models.js';
import { ApiError, apiError } from '../../bindings/errors.js';
import type { EmbedderSettings } from '../../bindings/index-types.js';
import { own } from '../../bindings/own.js';
import type { EmbeddingNeed, QueryEmbedding } from '../../bindings/search/semantic/query-vector.js';
import type { IndexStore } from '../index/index-store.js';
import { type EmbeddingRequest, NEEDS_EMBEDDING, type SearchAnswer } from '../search/answer.js';
import { FragmentTemplate } from '../templates/fragment.js';
import type { SearchScope } from '../templates/scopes.js';
import type { Embedders } from './embedders.js';

/** Milliseconds that an embedder gets when the index sets no search cutoff. */
const DEFAULT_CUTOFF_MS = 1500;

/** Computes the vectors that searches turn out to need, without blocking a search thread. */
export class QueryEmbeddings {
  constructor(
    private readonly embedders: Pick<Embedders, 'embedQuery'>,
    private readonly indexStore: Pick<IndexStore, 'indexes'>,
  ) {}

  /**
   * Calls `ask` until it returns an answer.
   * @param ask asks a search thread, passing the vectors computed so far
   */
  async answer(ask: (embeddings?: readonly QueryEmbedding[]) => Promise<SearchAnswer>): Promise<SearchAnswer> {
    const first = await ask();
    return first.status === NEEDS_EMBEDDING ? this.completed(first, ask) : first;
  }

  /** Like {@link answer}, when `ask` has already been called once. */
  async completed(
    first: SearchAnswer,
    ask: (embeddings: readonly QueryEmbedding[]) => Promise<SearchAnswer>,
  ): Promise<SearchAnswer> {
    const made = new Map<string, QueryEmbedding>();
    const begun = new Map<string, Promise<QueryEmbedding>>();
    let answer = first;
    while (answer.status === NEEDS_EMBEDDING) {
      const { need, isEarly }: EmbeddingRequest = JSON.parse(answer.body.toString());
      answer.release();
      const key = JSON.stringify(need);
      const embedding = begun.get(key) ?? this.#embed(need);
      begun.set(key, embedding);
      // A search that turns out not to need the vector ignores the failure.
      embedding.catch(() => {});
      made.set(key, isEarly ? { need, vector: null, message: '', isComing: true } : await embedding);
      answer = await ask([...made.values()]);
    }
    return answer;
  }

  async #embed(need: EmbeddingNeed): Promise<QueryEmbedding> {
    try {
      const settings = this.indexStore.indexes.get(need.uid)?.settings;
      const embedder = settings && own(settings.embedders, need.embedder);
      if (!embedder) throw apiError('vector_embedding_error', 'gone', { embedder: need.embedder });
      const time = settings.searchCutoffMs ?? DEFAULT_CUTOFF_MS;
      const vector = await this.embedders.embedQuery(need.embedder, embedder, inputOf(embedder, need), AbortSignal.timeout(time));
      return { need, vector: [...vector], message: '' };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { need, vector: null, message: error.message };
    }
  }
}

/**
 * The input of the embedder: the text of the search, or the output of the one search fragment that matches. @throws {ApiError}
 */
function inputOf(embedder: EmbedderSettings, { embedder: name, q, media }: EmbeddingNeed): unknown {
  const { searchFragments } = searchEmbedder(embedder);
  if (!searchFragments) {
    if (q !== null && media === null) return q;
    throw apiError('vector_embedding_error', 'noSearchFragments', { name });
  }
  const scope: SearchScope = { ...(q !== null && { q }), ...(media !== null && { media }) };
  const fitting = Object.entries(searchFragments).flatMap(([fragment, { value }]) => {
    const rendered = new FragmentTemplate(value).tryRender(scope);
    return rendered ? [{ fragment, value: rendered.value }] : [];
  });
  const [first] = fitting;
  if (first && fitting.length === 1) return first.value;
  const found = fitting.length === 0 ? 'none fits' : `these fit: \`${fitting.map(({ fragment }) => fragment).join('`, `')}\``;
  throw apiError('vector_embedding_error', 'oneSearchFragment', { name, found });
}
