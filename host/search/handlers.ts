import type { IndexReader } from '../../bindings/engine/segments.js';
import { ApiError } from '../../bindings/errors.js';
import { fetchDocument, fetchDocuments } from '../../bindings/fetch.js';
import {
  checkNetwork,
  parseDocumentParameters,
  parseFetchBody,
  parseFetchParameters,
  prepareFetch,
} from '../../bindings/query/fetch-request.js';
import { parseFacetSearchBody, parseSearchBody, parseSearchParameters } from '../../bindings/query/request.js';
import {
  DEFAULT_CUTOFF_MS,
  executeFacetSearch,
  executeSearch,
  prepareSearch,
  type SearchContext,
} from '../../bindings/search.js';
import type { SearchCall } from '../index/types.js';
import { threadClock } from './clock.js';
import { requestId } from './random-ids.js';
import { countSearch, type SearchUsage } from './usage.js';

/** A request as its handler gets it, inside one scope of the engine's scratch memory. */
export interface Reading {
  uid: string;
  call: SearchCall;
  /** When the request came, in milliseconds on the clock that threads share. */
  since: number;
  usage: SearchUsage;
  /**
   * The index as it stands now. Handlers call it when it is the index's turn in the order of their checks.
   * @throws {ApiError} index_not_found
   */
  open(): IndexReader;
}

/** Gives the body of a 200 answer; refusals are thrown as ApiErrors. */
export type Handler = (reading: Reading) => Uint8Array;
export type Handlers = Record<string, Handler>;

/**
 * What search threads answer, by the kind of request. Each handler makes its checks in the documented order: the request's own
 * members, the uid, what can be said of a filter without the index, the index, and then what its settings allow.
 */
export const HANDLERS: Handlers = {
  search({ uid, call, since, usage, open }) {
    const context = contextOf(call, since);
    const request = call.body ? parseSearchBody(call.body) : parseSearchParameters(call.query ?? []);
    countSearch(usage, request);
    checkUid(uid);
    const prepared = prepareSearch(withTokenFilter(request, call), call.features ?? {});
    const reader = open();
    const start = performance.now();
    const answer = executeSearch(reader, prepared, context);
    usage.count('degraded', performance.now() - start > (reader.view.settings.searchCutoffMs ?? DEFAULT_CUTOFF_MS));
    return answer;
  },

  'facet-search'({ uid, call, since, usage, open }) {
    const request = parseFacetSearchBody(call.body ?? new Uint8Array(0));
    usage.count('facetSearches');
    usage.count('facetSearchesWithMore', request.q !== null || request.filter !== null || request.attributesToSearchOn !== null);
    checkUid(uid);
    return executeFacetSearch(open(), withTokenFilter(request, call), contextOf(call, since));
  },

  documents({ uid, call, open }) {
    const request = call.body ? parseFetchBody(call.body) : parseFetchParameters(call.query ?? []);
    checkUid(uid);
    const prepared = prepareFetch(request);
    checkNetwork(request, call.features?.network === true);
    return fetchDocuments(open(), prepared, call.features ?? {});
  },

  document({ uid, call, open }) {
    const request = parseDocumentParameters(call.query ?? []);
    checkUid(uid);
    checkNetwork(request, call.features?.network === true);
    return fetchDocument(open(), call.documentId ?? '', request);
  },
};

const INDEX_UID = /^[A-Za-z0-9_-]{1,400}$/;

function checkUid(uid: string): void {
  if (INDEX_UID.test(uid)) return;
  throw new ApiError(
    'invalid_index_uid',
    `The index uid \`${uid}\` in the path must be 1 to 400 letters (a-z, A-Z), digits, \`-\` or \`_\`.`,
  );
}

/** Documents must pass the filter of the token as well as that of the request: the items of an array all hold. */
function withTokenFilter<Request extends { filter: unknown }>(request: Request, { tokenFilter }: SearchCall): Request {
  if (tokenFilter === undefined || tokenFilter === null) return request;
  const { filter } = request;
  return { ...request, filter: [...(filter === null ? [] : itemsOf(filter)), ...itemsOf(tokenFilter)] };
}

function itemsOf(filter: unknown): unknown[] {
  return Array.isArray(filter) ? filter : [filter];
}

function contextOf({ features, metadata }: SearchCall, since: number): SearchContext {
  const waited = Math.max(0, threadClock() - since);
  return { now: () => performance.now(), features: features ?? {}, metadata: metadata === true, uuid: requestId, waited };
}
