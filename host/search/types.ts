import type { IndexView } from '../../bindings/index-types.js';
import type { MultiSearch } from '../../bindings/query/multi-search.js';
import type { SearchRequest } from '../../bindings/query/request.js';
import type { EmbeddingNeed, QueryEmbedding } from '../../bindings/search/semantic/query-vector.js';
import type { AccessScope } from '../auth/access.js';

/** What a query of a multi-search is told of the request that it belongs to. */
export interface QueryOfMany {
  /** Among the queries as sent. */
  position: number;
  requestUid: string;
  /** When the first query began to be answered, in milliseconds on the clock that threads share: all have one deadline. */
  begun: number;
  /** Checked already. */
  search: SearchRequest;
}

/** For `page`: a search that is read page by page, over the index as it was when it began. */
export interface PageCall {
  /** Checked already. */
  search: SearchRequest;
  /** null: an ordinary search. */
  cursor: { view: IndexView; seen: number /** Base64. */; remaining: string | null; token: string } | null;
}

/** A request as HTTP brought it; bytes and parameters are parsed by the worker. */
export interface SearchCall {
  query?: [string, string][] | undefined;
  body?: Uint8Array | undefined;
  /** The id in the path, for `document`. */
  documentId?: string | undefined;
  /** For `query`: one of the queries of a multi-search. */
  ofMany?: QueryOfMany | undefined;
  /** For `federation`: queries that are merged, checked already. */
  federated?: MultiSearch | undefined;
  /** For `federation`: the answer is merged with those of other instances. */
  forPeer?: boolean | undefined;
  /** For `page`. */
  page?: PageCall | undefined;
  /** Answer with a `metadata` object. */
  metadata?: boolean | undefined;
  /** The vectors that embedders have made for this request: see {@link NEEDS_EMBEDDING}. */
  embeddings?: readonly QueryEmbedding[] | undefined;
  /** A filter that the token of the caller adds: JSON as in the member `filter`. */
  tokenFilter?: unknown;
  /** The indexes that the caller is limited to: others are not joined. */
  scope?: AccessScope | undefined;
  /** There are other instances, of which a request may want answers too. */
  remotes?: boolean | undefined;
  /** Experimental features that are switched on. */
  features?: Readonly<Record<string, boolean>>;
}

/**
 * Status of an answer that is none yet: its body is the {@link EmbeddingOrder} of the search, which is to be asked again with what the
 * embedder has made of it. Threads do not wait for embedders.
 */
export const NEEDS_EMBEDDING = 299;

export interface EmbeddingOrder {
  need: EmbeddingNeed;
  /** The search is to be asked again at once, while the embedding is made. */
  isEarly: boolean;
}

export interface SearchAnswer {
  status: number;
  body: Buffer;
  /** To be called when nobody reads the body any more: its memory may then be written over. It need not be called. */
  release(): void;
}

/** Is an answer an error? */
export function isRefusal({ status }: SearchAnswer): boolean {
  return status >= 400;
}
