import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Federation, type MultiSearch, positionOf } from '../../../bindings/query/multi-search.js';
import type { SearchRequest } from '../../../bindings/query/request.js';
import { withoutMembers } from '../../personalization/json-ranges.js';
import type { Personalization } from '../../personalization/personalization.js';
import type { SearchAnswer } from '../../search/answer.js';
import type { SearchCall } from '../../search/call.js';
import type { Service } from '../service.js';
import { answerOf, sendAnswer } from './answer.js';

/** Milliseconds that a search may take when its index sets no cutoff. */
const DEFAULT_CUTOFF_MS = 1500;

/**
 * Members and parameters that are removed or replaced before a search thread gets the search. Score details are always requested,
 * because they show which hits are pinned.
 */
const REPLACED: ReadonlySet<string> = new Set(['personalize', 'personalizeUserContext', 'showRankingScoreDetails']);
const DETAILS = '"showRankingScoreDetails":true';

/** The search as search threads get it, without the members for personalization. */
export function plainSearch(search: SearchRequest): SearchRequest {
  return search.personalize === null ? search : { ...search, personalize: null, showRankingScoreDetails: true };
}

/** Reranks the hits of an answer for the user, if the search asks for it. @param began when the search did */
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

/** Like {@link plainSearch}, for federated searches. */
export function plainFederation({ queries, federation }: FederatedSearch): FederatedSearch {
  if (federation.personalize === null) return { queries, federation };
  return {
    queries: queries.map((query) => ({ ...query, showRankingScoreDetails: true })),
    federation: { ...federation, personalize: null },
  };
}

/** Like {@link personalizedAnswer}, for the merged hits of a federated search. */
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

/** Searches whose hits are merged into one list. */
interface FederatedSearch extends MultiSearch {
  federation: Federation;
}

/** Milliseconds that are left, by the longest cutoff of the indexes. */
function timeLeft({ indexes }: Service['indexStore'], uids: readonly string[], began: number): number {
  const cutoffs = uids.map((uid) => indexes.get(uid)?.settings.searchCutoffMs ?? DEFAULT_CUTOFF_MS);
  return Math.floor(Math.max(0, ...cutoffs) - (performance.now() - began));
}

/** Answers a search of the index in the path, with its hits reranked for the user. */
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
