import type { IndexView } from '../../bindings/index-types.js';
import type { MultiSearch } from '../../bindings/query/multi-search.js';
import type { SearchRequest } from '../../bindings/query/request.js';
import type { QueryEmbedding } from '../../bindings/search/semantic/query-vector.js';
import type { AccessScope } from '../auth/access.js';

/** The context of a query in a multi-search. */
export interface QueryOfMany {
  /** Position among the queries as sent. */
  position: number;
  requestUid: string;
  /** When the first query began to run, in milliseconds on the clock shared by threads: all queries have one deadline. */
  begun: number;
  /** Already validated. */
  search: SearchRequest;
}

/** For `page`: a page of a cursor search, over the index as it was when the search began. */
export interface PageCall {
  /** Already validated. */
  search: SearchRequest;
  /** null: a search without a cursor. */
  cursor: { view: IndexView; seen: number /** Base64. */; remaining: string | null; token: string } | null;
}

/** A request as received over HTTP; the worker parses bytes and parameters. */
export interface SearchCall {
  query?: [string, string][] | undefined;
  body?: Uint8Array | undefined;
  /** For `document`: the id in the path. */
  documentId?: string | undefined;
  /** For `query`: the context of one query of a multi-search. */
  ofMany?: QueryOfMany | undefined;
  /** For `federation`: already validated queries whose hits are merged. */
  federated?: MultiSearch | undefined;
  /** For `federation`: the answer will be merged with those of other instances. */
  forPeer?: boolean | undefined;
  /** For `page`. */
  page?: PageCall | undefined;
  /** Whether the answer has a `metadata` object. */
  metadata?: boolean | undefined;
  /** The vectors that embedders have made for this request: see {@link NEEDS_EMBEDDING}. */
  embeddings?: readonly QueryEmbedding[] | undefined;
  /** The filter of the caller's token: JSON as in the member `filter`. */
  tokenFilter?: unknown;
  /** The indexes that the caller is limited to: joins with others are skipped. */
  scope?: AccessScope | undefined;
  /** Whether other instances are configured, which requests may ask to be searched too. */
  remotes?: boolean | undefined;
  /** Enabled experimental features. */
  features?: Readonly<Record<string, boolean>>;
}
