import { apiError } from '../../bindings/errors.js';
import { own } from '../../bindings/own.js';
import { type Federation, type MultiSearch, type MultiSearchQuery, positionOf } from '../../bindings/query/multi-search.js';
import { SEARCH_MEMBERS, type SearchRequest } from '../../bindings/query/request.js';
import { listed } from '../../bindings/query/validate.js';
import { inQuery } from '../../bindings/search/query-position.js';
import { windowOf } from '../../bindings/search/window.js';
import type { Network } from './store.js';

/** The queries of a federated search, by the instance that answers them. */
export interface Shares {
  /** The queries of this instance. */
  own: MultiSearch;
  /** By name of the remote, in the order of names. */
  others: Map<string, MultiSearch>;
  /** Whether any query names an instance, even this one: hits then say where they were found. */
  networked: boolean;
  /** Hits requested from each instance. */
  needed: number;
}

/** Whether other instances are configured. */
export function hasOthers({ self, remotes }: Network): boolean {
  for (const name of remotes.keys()) if (name !== self) return true;
  return false;
}

/** Whether the query may involve other instances. */
export function isNetworked({ federationOptions, useNetwork }: MultiSearchQuery): boolean {
  return useNetwork === true || (federationOptions?.remote ?? null) !== null;
}

/**
 * Assigns each query to its instances. Each instance returns the beginning of its list, because the page of the merged list
 * depends on what the others find.
 * @throws {ApiError} invalid_multi_search_remote
 */
export function shareOut(queries: readonly MultiSearchQuery[], federation: Federation, network: Network): Shares {
  const shares = new Map<string | null, MultiSearchQuery[]>([[null, []]]);
  let networked = false;
  const positioned = queries.map((query, index) => ({ query, position: positionOf(query, index) }));
  for (const { query, position } of positioned.sort((a, b) => a.position - b.position)) {
    const names = inQuery(position, () => instancesOf(query, network));
    const weight = query.federationOptions?.weight ?? 1;
    for (const name of names) {
      networked ||= isNetworked(query);
      const share = shares.get(name) ?? [];
      shares.set(name, share);
      share.push({ ...query, useNetwork: null, federationOptions: { weight, remote: null, queryPosition: position } });
    }
  }
  const { exhaustive, to: needed } = windowOf(federation, Number.MAX_SAFE_INTEGER);
  const pagination = exhaustive ? { page: 1, hitsPerPage: needed } : { page: null, hitsPerPage: null };
  const named = new Set(queries.map(({ indexUid }) => indexUid));
  const shareOf = (share: MultiSearchQuery[], isOwn: boolean): MultiSearch => {
    const uids = new Set(share.map(({ indexUid }) => indexUid));
    // Facets of an index that no query names are reported as an error by this instance.
    const facetsByIndex = federation.facetsByIndex.filter(([uid]) => uids.has(uid) || (isOwn && !named.has(uid)));
    const parts = { offset: 0, limit: needed, ...pagination, facetsByIndex, mergeFacets: null, showPerformanceDetails: false };
    return { queries: share, federation: { ...federation, ...parts } };
  };
  const remotes = [...shares].flatMap(([name, share]): [string, MultiSearchQuery[]][] => (name === null ? [] : [[name, share]]));
  return {
    own: shareOf(shares.get(null) as MultiSearchQuery[], true),
    others: new Map(remotes.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, share]) => [name, shareOf(share, false)])),
    networked,
    needed,
  };
}

/**
 * Turns a search of all instances into a federated one: its page and facets become those of the merged list.
 * @param position position of the search in its request, for messages
 */
export function networkWide(
  indexUid: string,
  search: SearchRequest,
  position: number,
): { query: MultiSearchQuery; federation: Federation } {
  const { offset, limit, page, hitsPerPage, facets, distinct, showPerformanceDetails, personalize } = search;
  const federationOptions = { weight: 1, remote: null, queryPosition: position };
  const own = { offset: null, limit: null, page: null, hitsPerPage: null, facets: null, showPerformanceDetails: null };
  return {
    query: { ...search, ...own, indexUid, distinct: null, personalize: null, useNetwork: true, federationOptions },
    federation: {
      offset,
      limit,
      page,
      hitsPerPage,
      facetsByIndex: facets === null ? [] : [[indexUid, facets]],
      mergeFacets: { maxValuesPerFacet: null },
      distinct,
      showPerformanceDetails,
      personalize,
    },
  };
}

/** The remotes to which a query goes; null stands for this instance. */
function instancesOf({ federationOptions, useNetwork }: MultiSearchQuery, { self, remotes }: Network): (string | null)[] {
  if (useNetwork === true) return [...remotes.keys()].map((name) => (name === self ? null : name));
  const remote = federationOptions?.remote ?? null;
  if (remote === null || remote === self) return [null];
  if (remotes.has(remote)) return [remote];
  const known = listed([...remotes.keys()]);
  throw apiError('invalid_multi_search_remote', 'unknown', {
    remote,
    known: known === '' ? ': none is configured' : `; there are ${known}`,
  });
}

/**
 * The body of the request for a share. Members with their default value are left out, so that instances of other versions accept
 * it.
 */
export function shareBody({ queries, federation }: MultiSearch): object {
  const { offset, limit, page, hitsPerPage, facetsByIndex, distinct } = federation as Federation;
  return {
    federation: {
      ...(hitsPerPage === null ? { offset, limit } : { page, hitsPerPage }),
      ...(facetsByIndex.length === 0 ? {} : { facetsByIndex: Object.fromEntries(facetsByIndex) }),
      ...(distinct === null ? {} : { distinct }),
    },
    queries: queries.map(({ indexUid, federationOptions, ...search }) => {
      const { weight, queryPosition } = federationOptions ?? {};
      const given = Object.entries(search).filter(
        ([name, value]) => value !== null && value !== own(SEARCH_MEMBERS, name)?.initial,
      );
      return { indexUid, ...Object.fromEntries(given), federationOptions: { weight, queryPosition } };
    }),
  };
}
