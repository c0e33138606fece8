import { errorAs } from '../../../bindings/errors.js';
import { fetchDocument, fetchDocuments } from '../../../bindings/fetch.js';
import { checkNetwork, DOCUMENT_MEMBERS, FETCH_MEMBERS, prepareFetch } from '../../../bindings/query/fetch-request.js';
import { checkedUid } from '../../../bindings/query/index-uid.js';
import { type MultiSearch, searchOf } from '../../../bindings/query/multi-search.js';
import { parseFacetSearchBody, parseSearchParameters, readSearch, sentSearch } from '../../../bindings/query/request.js';
import { SIMILAR_MEMBERS } from '../../../bindings/query/similar-request.js';
import { readRequest } from '../../../bindings/query/validate.js';
import { searchPage } from '../../../bindings/search/cursor.js';
import { searchFacet } from '../../../bindings/search/facet-search.js';
import { searchFederated } from '../../../bindings/search/federation/federation.js';
import { prepareSearch } from '../../../bindings/search/plan.js';
import { inQuery } from '../../../bindings/search/query-position.js';
import { search } from '../../../bindings/search/search.js';
import type { SearchSession } from '../../../bindings/search/session.js';
import { searchSimilar } from '../../../bindings/search/similar.js';
import type { PageCall, QueryOfMany, SearchCall } from '../call.js';
import { framedPage } from '../page-frame.js';
import { withTokenFilter } from '../token-filter.js';
import { countSearch, type SearchUsage } from '../usage.js';

/** A request as passed to its handler, which runs in one scope of scratch memory. */
export interface Reading {
  uid: string;
  call: SearchCall;
  usage: SearchUsage;
  /** The request's access to indexes, and the writer of its answer. */
  session: SearchSession;
}

/** Returns the body of a successful answer; errors are thrown as ApiErrors. */
export type Handler = (reading: Reading) => Uint8Array;
export type Handlers = Record<string, Handler>;

/**
 * What search threads answer, by kind of request. Each handler makes its checks in the documented order: the members of the
 * request, the uid, errors of filters that need no index, the existence of the index, and errors that depend on its settings.
 */
export const HANDLERS: Handlers = {
  search({ uid, call, usage, session }) {
    const sent = call.body ? readSearch(call.body) : sentSearch(parseSearchParameters(call.query ?? []));
    countSearch(usage, sent);
    checkUid(uid);
    const answer = search(session, uid, prepareSearch(sent, session.features, call.tokenFilter));
    usage.count('degraded', session.degraded);
    return answer;
  },

  /** The body of a page, followed by its cursor position: see page-frame.ts. */
  page({ uid, call, usage, session }) {
    const { search: request, cursor } = call.page as PageCall;
    const sent = sentSearch(request);
    countSearch(usage, sent);
    const prepared = prepareSearch(sent, session.features, call.tokenFilter);
    if (cursor === null) return search(session, uid, prepared);
    const remaining = cursor.remaining === null ? null : Uint8Array.from(Buffer.from(cursor.remaining, 'base64'));
    const { answer, next } = searchPage(session, uid, prepared, { seen: cursor.seen, remaining }, cursor.token);
    usage.count('degraded', session.degraded);
    return framedPage(session.out, answer.length, next);
  },

  query({ uid, call, usage, session }) {
    const { search: request, position } = call.ofMany as QueryOfMany;
    const sent = sentSearch(request);
    countSearch(usage, sent);
    const answer = inQuery(position, () => search(session, uid, prepareSearch(sent, session.features, call.tokenFilter), true));
    usage.count('degraded', session.degraded);
    return answer;
  },

  federation({ call, usage, session }) {
    const request = call.federated as MultiSearch;
    for (const query of request.queries) countSearch(usage, sentSearch(searchOf(query)));
    const answer = searchFederated(session, request, call.forPeer === true);
    usage.count('degraded', session.degraded);
    return answer;
  },

  'facet-search'({ uid, call, usage, session }) {
    const request = parseFacetSearchBody(call.body ?? new Uint8Array(0));
    usage.count('facetSearches');
    usage.count('facetSearchesWithMore', request.q !== null || request.filter !== null || request.attributesToSearchOn !== null);
    checkUid(uid);
    refuseRemotes(call, request, 'invalid_search_use_network');
    return searchFacet(session, uid, withTokenFilter(request, call.tokenFilter));
  },

  similar({ uid, call, session }) {
    const request = readRequest(SIMILAR_MEMBERS, call);
    checkUid(uid);
    return searchSimilar(session, uid, request, call.tokenFilter);
  },

  documents({ uid, call, session }) {
    const request = readRequest(FETCH_MEMBERS, call);
    checkUid(uid);
    const prepared = prepareFetch(request);
    checkNetwork(request, session.features.network === true);
    refuseRemotes(call, request, 'invalid_document_use_network');
    return fetchDocuments(session, uid, prepared);
  },

  document({ uid, call, session }) {
    const request = readRequest(DOCUMENT_MEMBERS, call);
    checkUid(uid);
    checkNetwork(request, session.features.network === true);
    refuseRemotes(call, request, 'invalid_document_use_network');
    return fetchDocument(session, uid, call.documentId ?? '', request);
  },
};

/**
 * Only searches can use other instances. Elsewhere `useNetwork` is refused, because a local answer would be mistaken for that of
 * all instances.
 */
function refuseRemotes({ remotes }: SearchCall, { useNetwork }: { useNetwork: boolean | null }, code: string): void {
  if (!remotes || useNetwork !== true) return;
  throw errorAs(code, 'networkElsewhere');
}

function checkUid(uid: string): void {
  checkedUid(uid);
}
