import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, apiError, errorAs, messageOf } from '../../../bindings/errors.js';
import { type Federation, type MultiSearchQuery, parseMultiSearch, searchOf } from '../../../bindings/query/multi-search.js';
import { requestId } from '../../../bindings/request-ids.js';
import { inQuery } from '../../../bindings/search/query-position.js';
import type { QueryEmbedding } from '../../../bindings/search/semantic/query-vector.js';
import { PEER_HEADER } from '../../network/peer-client.js';
import { isNetworked } from '../../network/shares.js';
import { isRefusal, type SearchAnswer } from '../../search/answer.js';
import type { SearchCall } from '../../search/call.js';
import { withTokenFilter } from '../../search/token-filter.js';
import { jsonBytes } from '../body.js';
import { sendAnswer, wantsMetadata } from '../searches/answer.js';
import { askNetwork, searchAllInstances } from '../searches/network.js';
import { personalizedAnswer, personalizedFederation, plainFederation, plainSearch } from '../searches/personalized.js';
import { requireFeature, type Service } from '../service.js';

const OK = 200;

/** Several searches in one request: each with an answer of its own, or merged into one list. */
export function multiSearchRoutes(app: FastifyInstance, service: Service): void {
  const limit = service.options.httpPayloadSizeLimit;
  app.post('/multi-search', async (request, reply) => {
    const { queries, federation } = parseMultiSearch(await jsonBytes(request, limit));
    request.multiSearch = { queries, federation };
    return federation === null
      ? answerEach(service, request, reply, queries)
      : answerMerged(service, request, reply, queries, federation);
  });
}

/** One answer per query. Queries start in order, and the first error becomes the answer of the request. */
async function answerEach(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  queries: readonly MultiSearchQuery[],
): Promise<FastifyReply> {
  const { searches, features, embeddings, personalization } = service;
  const began = performance.now();
  const { admitted, refusal } = admit(service, request, queries);
  const requestUid = requestId();
  const uids = admitted.map(({ indexUid }) => indexUid);
  const begins: number[] = [];
  const callOf = (position: number, begun: number, made?: readonly QueryEmbedding[]): SearchCall => {
    begins[position] = begun;
    const query = admitted[position] as MultiSearchQuery;
    const search = searchOf(query);
    return {
      metadata: wantsMetadata(request),
      features: features.current,
      tokenFilter: request.access.filterOf(query.indexUid),
      scope: request.access.scope,
      ofMany: { position, requestUid, begun, search: personalization ? plainSearch(search) : search },
      embeddings: made,
    };
  };
  const { socket } = request.raw;
  const again = (position: number) => (made: readonly QueryEmbedding[]) =>
    searches.search('query', uids[position] as string, callOf(position, begins[position] as number, made), socket);
  const networked = features.current.network && admitted.some(isNetworked);
  const first = networked
    ? await answerNetworked(service, request, admitted, requestUid, callOf)
    : await searches.searchAll('query', uids, callOf, socket);
  const answers = await Promise.all(
    first.map(async (answer, position) => {
      const completed = await embeddings.completed(answer, again(position));
      if (!personalization) return completed;
      const search = searchOf(admitted[position] as MultiSearchQuery);
      return personalizedAnswer(service, personalization, uids[position] as string, search, began, completed);
    }),
  );
  const failed = answers.find(({ status }) => status !== OK);
  if (failed) return sendAnswer(reply, failed);
  if (refusal) throw refusal;
  const parts = answers.flatMap(({ body }, position) => [position === 0 ? OPEN : COMMA, body]);
  const body = Buffer.concat(parts.length === 0 ? [OPEN, CLOSE] : [...parts, CLOSE]);
  for (const { release } of answers) release();
  return reply.header('content-type', 'application/json').send(body);
}

/** One list of hits, reranked for the user if the request asks for it. */
async function answerMerged(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  queries: readonly MultiSearchQuery[],
  asked: Federation,
): Promise<FastifyReply> {
  const { access } = request;
  // Looking the others up would reveal whether they exist.
  const federation = { ...asked, facetsByIndex: asked.facetsByIndex.filter(([uid]) => access.allows(uid)) };
  const { personalization } = service;
  const began = performance.now();
  for (const [position, { indexUid }] of queries.entries()) inQuery(position, () => access.require(indexUid, '`.indexUid`'));
  const filtered = queries.map((query) => withTokenFilter(query, access.filterOf(query.indexUid)));
  if (!personalization) return sendAnswer(reply, await mergedAnswer(service, request, filtered, federation));
  const plain = plainFederation({ queries: filtered, federation });
  const answer = await mergedAnswer(service, request, plain.queries, plain.federation);
  return sendAnswer(
    reply,
    await personalizedFederation(service, personalization, { queries: filtered, federation }, began, answer),
  );
}

/**
 * One list of hits, from one search thread or merged from several instances. @param queries with the filters of the caller's
 * token
 */
async function mergedAnswer(
  service: Service,
  request: FastifyRequest,
  queries: MultiSearchQuery[],
  federation: Federation,
): Promise<SearchAnswer> {
  const forPeer = isPeer(request);
  if (forPeer) requireFeature(service, 'network', 'Answering searches of other instances');
  if (service.features.current.network && queries.some(isNetworked)) {
    if (forPeer) throw NO_FURTHER;
    return askNetwork(service, request, queries, federation);
  }
  const { searches, features, embeddings } = service;
  return embeddings.answer((made) => {
    const call: SearchCall = {
      metadata: wantsMetadata(request),
      features: features.current,
      scope: request.access.scope,
      federated: { queries, federation },
      forPeer,
      embeddings: made,
    };
    return searches.search('federation', queries[0]?.indexUid ?? '', call, request.raw.socket);
  });
}

/** Whether another instance sent the request, as its share of a search. */
function isPeer({ raw: { headers } }: FastifyRequest): boolean {
  return headers[PEER_HEADER] === 'true';
}

/** A remote must not forward to further remotes: instances that name each other would ask in circles. */
const NO_FURTHER = apiError('invalid_multi_search_remote', 'fromPeer');

/** One answer per query when some queries go to all instances: these run concurrently with the local ones. */
async function answerNetworked(
  service: Service,
  request: FastifyRequest,
  queries: readonly MultiSearchQuery[],
  requestUid: string,
  callOf: (position: number, begun: number) => SearchCall,
): Promise<SearchAnswer[]> {
  const queryAt = (position: number) => queries[position] as MultiSearchQuery;
  const here = [...queries.keys()].filter((position) => !isNetworked(queryAt(position)));
  const everywhere = [...queries.keys()].filter((position) => isNetworked(queryAt(position)));
  const local = service.searches.searchAll(
    'query',
    here.map((position) => queryAt(position).indexUid),
    (place, begun) => callOf(here[place] as number, begun),
    request.raw.socket,
  );
  const networked = everywhere.map(async (position): Promise<SearchAnswer> => {
    const { indexUid } = queryAt(position);
    const search = searchOf(queryAt(position));
    const asked = service.personalization ? plainSearch(search) : search;
    return namedAnswer(indexUid, await searchAllInstances(service, request, indexUid, asked, { requestUid, position }));
  });
  const [found, ...ends] = await Promise.allSettled([local, ...networked]);
  if (found.status === 'rejected') throw found.reason;
  const answers: SearchAnswer[] = [];
  for (const position of queries.keys()) {
    const answer = found.value[here.indexOf(position)];
    const end = ends[everywhere.indexOf(position)];
    if (end?.status === 'rejected') throw end.reason;
    const each = end ? end.value : answer;
    if (!each) break;
    answers.push(each);
    if (isRefusal(each)) break;
  }
  return answers;
}

/** The answer of a search over all instances, as one of several answers. */
function namedAnswer(indexUid: string, answer: SearchAnswer): SearchAnswer {
  if (answer.status !== OK) return answer;
  return { ...answer, body: Buffer.concat([Buffer.from(`{"indexUid":"${indexUid}",`), answer.body.subarray(1)]) };
}

const OPEN = Buffer.from('{"results":[');
const COMMA = Buffer.from(',');
const CLOSE = Buffer.from(']}');

/** The queries up to the first that the caller may not run. */
function admit(
  { indexStore }: Service,
  { access }: FastifyRequest,
  queries: readonly MultiSearchQuery[],
): { admitted: MultiSearchQuery[]; refusal: ApiError | null } {
  const admitted: MultiSearchQuery[] = [];
  for (const [position, query] of queries.entries()) {
    try {
      inQuery(position, () => {
        if (query.federationOptions !== null) throw NEEDS_FEDERATION;
        access.require(query.indexUid, '`.indexUid`');
      });
    } catch (error) {
      if (error instanceof ApiError) return { admitted, refusal: error };
      throw error;
    }
    // With a key limited to some indexes a missing index is reported as if the path had named it, otherwise as a bad request.
    if (access.restricted && !indexStore.indexes.has(query.indexUid)) {
      const message = messageOf('index_not_found', 'notFound', { uid: query.indexUid });
      return { admitted, refusal: errorAs('index_not_found', 'inQuery', { position, message }) };
    }
    admitted.push(query);
  }
  return { admitted, refusal: null };
}

const NEEDS_FEDERATION = apiError('invalid_multi_search_federation_options', 'noFederation');
