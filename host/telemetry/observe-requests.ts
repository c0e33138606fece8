import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { own } from '../../bindings/own.js';
import { contentTypeOf } from '../http/body.js';
import { observeAnswers } from '../observe/answers.js';
import type { Tally } from './tally.js';

type Observer = (tally: Tally, request: FastifyRequest, reply: FastifyReply) => void;

const mark =
  (name: string): Observer =>
  (tally) =>
    tally.add(name);

const FILTERS: Record<string, string> = {
  uids: 'filtered_by_uid',
  indexUids: 'filtered_by_index_uid',
  types: 'filtered_by_type',
  statuses: 'filtered_by_status',
  canceledBy: 'filtered_by_canceled_by',
  beforeEnqueuedAt: 'filtered_by_before_enqueued_at',
  afterEnqueuedAt: 'filtered_by_after_enqueued_at',
  beforeStartedAt: 'filtered_by_before_started_at',
  afterStartedAt: 'filtered_by_after_started_at',
  beforeFinishedAt: 'filtered_by_before_finished_at',
  afterFinishedAt: 'filtered_by_after_finished_at',
};

const filters: Observer = (tally, request) => {
  for (const [name] of request.query as [string, string][]) {
    const metric = own(FILTERS, name);
    if (metric) tally.add(metric);
  }
};

const search: Observer = (tally, _request, reply) => {
  tally.add('requests.99th_response_time', reply.elapsedTime);
  tally.add(reply.statusCode < 400 ? 'requests.total_succeeded' : 'requests.total_failed');
};

const multiSearch: Observer = (tally, { multiSearch: asked }) => {
  if (!asked) return;
  const { queries, federation } = asked;
  const indexes = new Set(queries.map(({ indexUid }) => indexUid)).size;
  const remotes = new Set(queries.flatMap(({ federationOptions }) => federationOptions?.remote ?? [])).size;
  for (const [kind, count] of [
    ['searches.%_search_count', queries.length],
    ['indexes.%_distinct_index_count', indexes],
    ['remotes.%_distinct_remote_count', remotes],
  ] as const) {
    for (const fold of ['avg', 'total']) tally.add(kind.replace('%', fold), count);
  }
  if (indexes === 1) tally.add('indexes.total_single_index');
  if (federation) tally.add('federation.use_federation');
};

const primaryKey: Observer = (tally, request) => {
  const given = (request.query as [string, string][]).find(([name]) => name === 'primaryKey');
  if (given) tally.add('primary_key', given[1]);
};

/** By route: what is recorded of a request. */
const OBSERVERS: Record<string, Observer> = {
  'GET /tasks': filters,
  'GET /tasks/:task_uid': mark('per_task_uid'),
  'GET /indexes/:index_uid': mark('per_index_uid'),
  'GET /indexes/:index_uid/search': search,
  'POST /indexes/:index_uid/search': search,
  'POST /multi-search': multiSearch,
  'POST /indexes/:index_uid/documents': primaryKey,
  'PUT /indexes/:index_uid/documents': primaryKey,
  'DELETE /indexes/:index_uid/documents': mark('clear_all'),
  'DELETE /indexes/:index_uid/documents/:document_id': mark('per_document_id'),
  'POST /indexes/:index_uid/documents/delete': mark('per_filter'),
  'POST /indexes/:index_uid/documents/delete-batch': mark('per_batch'),
  'POST /swap-indexes': mark('swap_operation_number'),
  'POST /webhooks': mark('webhooks_created'),
  'PATCH /webhooks/:uuid': mark('webhooks.updated'),
};

/** Records which features requests use and which clients send them; never who they are or what they search for. */
export function observeRequests(app: FastifyInstance, tally: Tally): void {
  observeAnswers(app, (request, reply) => {
    const { headers } = request.raw;
    const client = headers['x-meilisearch-client'] ?? headers['user-agent'];
    for (const agent of String(client ?? '').split(';')) if (agent.trim() !== '') tally.add('user_agent', agent.trim());
    const contentType = contentTypeOf(request);
    if (contentType !== undefined) tally.add('payload_type', contentType);
    own(OBSERVERS, `${request.method} ${request.routeOptions.url}`)?.(tally, request, reply);
  });
}
