import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Federation, type MultiSearch, positionOf } from '../../../bindings/query/multi-search.js';
import type { SearchRequest } from '../../../bindings/query/request.js';
import { withoutMembers } from '../../personalization/json-ranges.js';
import type { Personalization } from '../../personalization/personalization.js';
import type { SearchAnswer, SearchCall } from '../../search/types.js';
import type { Service } from '../service.js';
import { answerOf, sendAnswer } from './search.js';

/** Milliseconds of a search where its index does not say. */
const DEFAULT_CUTOFF_MS = 1500;

/** Members and parameters that threads get otherwise than they came: which hits are pinned stands in the details of scores. */
const REPLACED: ReadonlySet<string> = new Set(['personalize', 'personalizeUserContext', 'showRankingScoreDetails']);
const DETAILS = '"showRankingScoreDetails":true';

/** A search as threads are to answer it, without what concerns them not. */
export function plainSearch(search: SearchRequest): SearchRequest {
  return search.personalize === null ? search : { ...search, personalize: null, showRankingScoreDetails: true };
}

/** Has the hits of an answer put in order for the user, where the search asks for it. @param began when the search did */
export async function personalizedAnswer(
  { indexStore }: Pick<Service, 'indexStore'>,
  personalization: Personalization,
  uid: string,
  search: SearchRequest,
  began: number,
  answer: SearchAnswer,
): Promise<SearchAnswer> {
  if (search.personalize === null) return answer;
  const { q, personalize, showRankingScoreDetails } = search;
  return personalization.personalized(answer, {
    texts: [q ?? ''],
    userContext: personalize.userContext,
    showsDetails: () => showRankingScoreDetails,
    timeLeft: timeLeft(indexStore, [uid], began),
  });
}

/** As {@link plainSearch}, for searches that are merged. */
export function plainFederation({ queries, federation }: FederatedSearch): FederatedSearch {
  if (federation.personalize === null) return { queries, federation };
  return {
    queries: queries.map((query) => ({ ...query, showRankingScoreDetails: true })),
    federation: { ...federation, personalize: null },
  };
}

/** As {@link personalizedAnswer}, for the one list of hits of several searches. */
export async function personalizedFederation(
  { indexStore }: Pick<Service, 'indexStore'>,
  personalization: Personalization,
  { queries, federation }: FederatedSearch,
  began: number,
  answer: SearchAnswer,
): Promise<SearchAnswer> {
  if (federation.personalize === null) return answer;
  const detailed = new Set(queries.flatMap((query, place) => (query.showRankingScoreDetails ? [positionOf(query, place)] : [])));
  const uids = queries.map(({ indexUid }) => indexUid);
  return personalization.personalized(answer, {
    texts: queries.map(({ q }) => q ?? ''),
    userContext: federation.personalize.userContext,
    showsDetails: (position) => position !== null && detailed.has(position),
    timeLeft: timeLeft(indexStore, uids, began),
  });
}

/** Searches whose hits become one list. */
interface FederatedSearch extends MultiSearch {
  federation: Federation;
}

/** Milliseconds that are left of the time of the index that allows most. */
function timeLeft({ indexes }: Service['indexStore'], uids: readonly string[], began: number): number {
  const cutoffs = uids.map((uid) => indexes.get(uid)?.settings.searchCutoffMs ?? DEFAULT_CUTOFF_MS);
  return Math.floor(Math.max(0, ...cutoffs) - (performance.now() - began));
}

/** Answers a search of the index in the path whose hits are to be in order for a user. */
export async function askPersonalized(
  service: Service,
  personalization: Personalization,
  request: FastifyRequest,
  reply: FastifyReply,
  call: SearchCall,
  search: SearchRequest,
): Promise<FastifyReply> {
  const began = performance.now();
  const { index_uid: uid } = request.params as { index_uid: string };
  const answer = await answerOf(service, 'search', request, { ...call, ...withDetails(call) });
  return sendAnswer(reply, await personalizedAnswer(service, personalization, uid, search, began, answer));
}

function withDetails({ query, body }: SearchCall): Pick<SearchCall, 'query' | 'body'> {
  if (query) return { query: [...query.filter(([name]) => !REPLACED.has(name)), ['showRankingScoreDetails', 'true']] };
  const rest = withoutMembers(body as Uint8Array, REPLACED).subarray(1);
  return { body: Buffer.concat([Buffer.from(rest.length > 1 ? `{${DETAILS},` : `{${DETAILS}`), rest]) };
}
