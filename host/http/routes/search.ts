import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type CursorSearch, parseCursorSearch } from '../../../bindings/query/cursor-request.js';
import { parseSearchBody, parseSearchParameters, type SearchRequest } from '../../../bindings/query/request.js';
import type { CursorPosition } from '../../../bindings/search/cursor.js';
import type { PageCall } from '../../search/call.js';
import { readPage } from '../../search/page-frame.js';
import { jsonBytes } from '../body.js';
import { answerOf, ask, sendAnswer, wantsMetadata } from '../searches/answer.js';
import { searchAllInstances } from '../searches/network.js';
import { askPersonalized, personalizedAnswer, plainSearch } from '../searches/personalized.js';
import { parametersOf, type Service, uidOf } from '../service.js';

const OK = 200;
/** A body without this text has no member `cursor`, so its bytes can be passed on unparsed. */
const CURSOR = '"cursor"';

/** Where a body contains this text it is parsed here, to find out whether other instances are asked. */
const USE_NETWORK = 'useNetwork';

/** Where a body contains one of these, and a reranking service is configured, it is parsed here too. */
const [PERSONALIZE, USER_CONTEXT] = ['"personalize"', 'personalizeUserContext'];

/**
 * Search requests are passed to a search thread unparsed, and answers come back as finished bytes. Only the exceptions below are
 * parsed here.
 */
export function searchRoutes(app: FastifyInstance, service: Service): void {
  const limit = service.options.httpPayloadSizeLimit;
  const { personalization } = service;
  app.get('/indexes/:index_uid/search', async (request, reply) => {
    const query = parametersOf(request);
    if (service.features.current.network && query.some(([name]) => name === USE_NETWORK)) {
      const search = parseSearchParameters(query);
      if (search.useNetwork) return askEverywhere(service, request, reply, search);
    }
    const call = { query, metadata: wantsMetadata(request) };
    if (personalization && query.some(([name]) => name === USER_CONTEXT)) {
      return askPersonalized(service, personalization, request, reply, call, parseSearchParameters(query));
    }
    return ask(service, 'search', request, reply, call);
  });
  app.post('/indexes/:index_uid/search', async (request, reply) => {
    const body = await jsonBytes(request, limit);
    if (service.features.current.network && body.includes(USE_NETWORK) && !body.includes(CURSOR)) {
      const search = parseSearchBody(body);
      if (search.useNetwork) return askEverywhere(service, request, reply, search);
    }
    if (body.includes(CURSOR)) return askPage(service, request, reply, parseCursorSearch(body));
    const call = { body, metadata: wantsMetadata(request) };
    if (personalization && body.includes(PERSONALIZE)) {
      const search = parseSearchBody(body);
      if (search.personalize) return askPersonalized(service, personalization, request, reply, call, search);
    }
    return sendAnswer(reply, await answerOf(service, 'search', request, call));
  });
  app.get('/indexes/:index_uid/similar', (request, reply) =>
    ask(service, 'similar', request, reply, { query: parametersOf(request) }),
  );
  app.post('/indexes/:index_uid/similar', async (request, reply) =>
    ask(service, 'similar', request, reply, { body: await jsonBytes(request, limit) }),
  );
  app.post('/indexes/:index_uid/facet-search', async (request, reply) =>
    ask(service, 'facet-search', request, reply, { body: await jsonBytes(request, limit) }),
  );
}

/** Sends a search to all instances. */
async function askEverywhere(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  search: SearchRequest,
): Promise<FastifyReply> {
  const { personalization } = service;
  const began = performance.now();
  const uid = uidOf(request);
  if (!personalization) return sendAnswer(reply, await searchAllInstances(service, request, uid, search));
  const answer = await searchAllInstances(service, request, uid, plainSearch(search));
  return sendAnswer(reply, await personalizedAnswer(service, personalization, uid, search, began, answer));
}

/** Reads one page of a cursor search, and remembers where the next page begins. */
async function askPage(
  { searches, cursors, features, embeddings }: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  search: CursorSearch,
): Promise<FastifyReply> {
  const uid = uidOf(request);
  const tokenFilter = request.access.filterOf(uid);
  const { scope } = request.access;
  const call = { tokenFilter, scope, metadata: wantsMetadata(request), features: features.current };
  const { cursor, ...plain } = search;
  const { socket } = request.raw;
  const read = (page: PageCall) =>
    embeddings.answer((made) => searches.search('page', uid, { ...call, page, embeddings: made }, socket));
  if (cursor === null) return sendAnswer(reply, await read({ search: plain, cursor }));
  const { page, ended } = cursors.read(uid, search, tokenFilter);
  let next: CursorPosition | null = null;
  try {
    const remaining = page.remaining && Buffer.from(page.remaining).toString('base64');
    const answer = await read({ search: plain, cursor: { ...page, remaining } });
    if (answer.status !== OK) return sendAnswer(reply, answer);
    const { body, next: position } = readPage(answer.body);
    next = position;
    return sendAnswer(reply, { ...answer, body });
  } finally {
    ended(next);
  }
}
