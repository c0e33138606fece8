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
import { searchFacet } from '../../bindings/search/facet-search.js';
import { prepareSearch } from '../../bindings/search/plan.js';
import { search } from '../../bindings/search/search.js';
import type { SearchSession } from '../../bindings/search/session.js';
import type { SearchCall } from './types.js';
import { countSearch, type SearchUsage } from './usage.js';

/** A request as its handler gets it, inside one scope of the engine's scratch memory. */
export interface Reading {
  uid: string;
  call: SearchCall;
  usage: SearchUsage;
  /** What the request reads, and where its answer is written. */
  session: SearchSession;
}

/** Gives the body of a 200 answer; refusals are thrown as ApiErrors. */
export type Handler = (reading: Reading) => Uint8Array;
export type Handlers = Record<string, Handler>;

/**
 * What search threads answer, by the kind of request. Each handler makes its checks in the documented order: the request's own
 * members, the uid, what can be said of a filter without the index, the index, and then what its settings allow.
 */
export const HANDLERS: Handlers = {
  search({ uid, call, usage, session }) {
    const request = call.body ? parseSearchBody(call.body) : parseSearchParameters(call.query ?? []);
    countSearch(usage, request);
    checkUid(uid);
    const answer = search(session, uid, prepareSearch(withTokenFilter(request, call), session.features));
    usage.count('degraded', session.degraded);
    return answer;
  },

  'facet-search'({ uid, call, usage, session }) {
    const request = parseFacetSearchBody(call.body ?? new Uint8Array(0));
    usage.count('facetSearches');
    usage.count('facetSearchesWithMore', request.q !== null || request.filter !== null || request.attributesToSearchOn !== null);
    checkUid(uid);
    return searchFacet(session, uid, withTokenFilter(request, call));
  },

  documents({ uid, call, session }) {
    const request = call.body ? parseFetchBody(call.body) : parseFetchParameters(call.query ?? []);
    checkUid(uid);
    const prepared = prepareFetch(request);
    checkNetwork(request, session.features.network === true);
    return fetchDocuments(session, uid, prepared);
  },

  document({ uid, call, session }) {
    const request = parseDocumentParameters(call.query ?? []);
    checkUid(uid);
    checkNetwork(request, session.features.network === true);
    return fetchDocument(session, uid, call.documentId ?? '', request);
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
