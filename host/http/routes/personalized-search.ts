import type { FastifyReply, FastifyRequest } from 'fastify';
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
  const cutoff = indexStore.indexes.get(uid)?.settings.searchCutoffMs ?? DEFAULT_CUTOFF_MS;
  const timeLeft = Math.floor(cutoff - (performance.now() - began));
  const { q, personalize, showRankingScoreDetails: showsDetails } = search;
  return personalization.personalized(answer, { q, userContext: personalize.userContext, showsDetails, timeLeft });
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
