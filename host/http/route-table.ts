import { own } from '../../bindings/own.js';
import { CURSOR_SEARCH_MEMBERS } from '../../bindings/query/cursor-request.js';
import { DOCUMENT_MEMBERS, FETCH_MEMBERS } from '../../bindings/query/fetch-request.js';
import { MULTI_SEARCH_MEMBERS } from '../../bindings/query/multi-search.js';
import { FACET_SEARCH_MEMBERS, SEARCH_PARAMETERS } from '../../bindings/query/request.js';
import { SIMILAR_MEMBERS } from '../../bindings/query/similar-request.js';
import { type MemberTable, nullable, objectSchema, type Schema } from '../../bindings/query/validate.js';
import { type Action, MASTER_KEY_ONLY, OPEN } from '../auth/actions.js';
import { COMPLETION } from '../chats/completion-request.js';
import { WORKSPACE } from '../chats/settings.js';
import { SETTINGS } from '../index/settings/settings.js';
import { NETWORK } from '../network/members.js';
import { RULE, RULE_LISTING } from '../rules/members.js';
import { FILTER_PARAMETERS, PAGE_PARAMETERS } from '../tasks/parameters.js';
import { arrayOf, ref } from './openapi/schemas.js';
import { DELETE, DELETION, WRITE } from './routes/documents.js';
import { EDITION, EDITION_PARAMETERS } from './routes/edition.js';
import { FIELDS } from './routes/fields.js';
import { INDEX_CREATION, INDEX_PAGE, INDEX_UPDATE } from './routes/indexes.js';
import { FLAGS } from './routes/instance.js';
import { KEY_CREATION, KEY_PAGE, KEY_UPDATE } from './routes/keys.js';
import { STDERR, STREAM } from './routes/logs.js';
import { RENDERING } from './routes/render.js';
import { RULE_PARAMETERS } from './routes/rules.js';
import { STATS_PARAMETERS } from './routes/stats.js';
import { PAIR } from './routes/swap.js';
import { EXPORT } from './routes/transfers.js';
import { WEBHOOK } from './routes/webhooks.js';

/** Everything about a route except its handler. */
export interface Route {
  /** What a key must be allowed to do. */
  action: Action;
  summary: string;
  // biome-ignore lint/suspicious/noExplicitAny: tables of every shape
  parameters?: MemberTable<any>;
  body?: Schema;
  /** Media types of the body; JSON by default. */
  types?: readonly string[];
  /** Status of a successful answer, and its schema; null: no body. */
  answer: readonly [status: number, schema: Schema | null, type?: string];
}

const SETTINGS_READ = 'settings.get';
const SETTINGS_WRITE = 'settings.update';

const TASK = [202, ref('SummarizedTask')] as const;
const READ_TASK = [200, ref('SummarizedTask')] as const;
const JSON_ANSWER = (name: string) => [200, ref(name)] as const;
const NOTHING = [204, null] as const;

const DOCUMENTS = {
  body: { anyOf: [ref('Document'), arrayOf(ref('Document'))] },
  types: ['application/json', 'application/x-ndjson', 'text/csv'],
  parameters: WRITE,
  answer: TASK,
};

export const SETTINGS_SCHEMA: Schema = {
  type: 'object',
  properties: Object.fromEntries(Object.entries(SETTINGS).map(([name, { kind }]) => [name, nullable(kind).schema])),
  additionalProperties: false,
};

/**
 * Every route, by method and pattern. Registration fails for a route that is not in this table, and for an entry without a
 * handler; authorisation and the OpenAPI description are derived from it. Bodies and parameters are described by the member
 * tables that read them.
 */
export const ROUTES: Readonly<Record<string, Route>> = {
  'GET /': { action: OPEN, summary: 'Say that the service runs', answer: JSON_ANSWER('Status') },
  'GET /health': { action: OPEN, summary: 'Tell whether the service serves', answer: JSON_ANSWER('Health') },
  'GET /version': { action: 'version', summary: 'Tell the versions', answer: JSON_ANSWER('Version') },
  'GET /docs/errors': { action: OPEN, summary: 'Read what the error codes mean', answer: [200, { type: 'string' }, 'text/html'] },
  'GET /openapi.json': { action: OPEN, summary: 'Read this description', answer: [200, { type: 'object' }] },
  'GET /stats': {
    action: 'stats.get',
    summary: 'Read the statistics of all indexes',
    parameters: STATS_PARAMETERS,
    answer: JSON_ANSWER('Stats'),
  },
  'GET /metrics': {
    action: 'metrics.get',
    summary: 'Read metrics for Prometheus',
    answer: [200, { type: 'string' }, 'text/plain'],
  },

  'GET /indexes': {
    action: 'indexes.get',
    summary: 'List the indexes',
    parameters: INDEX_PAGE,
    answer: JSON_ANSWER('IndexList'),
  },
  'POST /indexes': { action: 'indexes.create', summary: 'Create an index', body: objectSchema(INDEX_CREATION), answer: TASK },
  'GET /indexes/:index_uid': { action: 'indexes.get', summary: 'Read an index', answer: JSON_ANSWER('Index') },
  'PATCH /indexes/:index_uid': {
    action: 'indexes.update',
    summary: 'Rename an index or set its primary key',
    body: objectSchema(INDEX_UPDATE),
    answer: TASK,
  },
  'DELETE /indexes/:index_uid': { action: 'indexes.delete', summary: 'Delete an index', answer: TASK },
  'GET /indexes/:index_uid/stats': {
    action: 'stats.get',
    summary: 'Read the statistics of an index',
    parameters: STATS_PARAMETERS,
    answer: JSON_ANSWER('IndexStats'),
  },
  'POST /indexes/:index_uid/fields': {
    action: 'fields.post',
    summary: 'List the fields of an index',
    body: objectSchema(FIELDS),
    answer: JSON_ANSWER('FieldList'),
  },
  'POST /indexes/:index_uid/compact': { action: 'indexes.compact', summary: 'Merge the segments of an index', answer: TASK },
  'POST /swap-indexes': { action: 'indexes.swap', summary: 'Swap indexes', body: arrayOf(objectSchema(PAIR)), answer: TASK },

  'GET /indexes/:index_uid/search': {
    action: 'search',
    summary: 'Search, with parameters in the query string',
    parameters: SEARCH_PARAMETERS,
    answer: JSON_ANSWER('SearchAnswer'),
  },
  'POST /indexes/:index_uid/search': {
    action: 'search',
    summary: 'Search',
    body: objectSchema(CURSOR_SEARCH_MEMBERS),
    answer: JSON_ANSWER('SearchAnswer'),
  },
  'POST /multi-search': {
    action: 'search',
    summary: 'Search several times at once, with an answer for each query or one list of hits',
    body: objectSchema(MULTI_SEARCH_MEMBERS),
    answer: [200, { anyOf: [ref('MultiSearchAnswer'), ref('FederatedSearchAnswer')] }],
  },
  'GET /indexes/:index_uid/similar': {
    action: 'search',
    summary: 'Find similar documents, with parameters in the query string',
    parameters: SIMILAR_MEMBERS,
    answer: JSON_ANSWER('SimilarAnswer'),
  },
  'POST /indexes/:index_uid/similar': {
    action: 'search',
    summary: 'Find similar documents',
    body: objectSchema(SIMILAR_MEMBERS),
    answer: JSON_ANSWER('SimilarAnswer'),
  },
  'POST /indexes/:index_uid/facet-search': {
    action: 'search',
    summary: 'Search the values of a facet',
    body: objectSchema(FACET_SEARCH_MEMBERS),
    answer: JSON_ANSWER('FacetSearchAnswer'),
  },

  'GET /indexes/:index_uid/documents': {
    action: 'documents.get',
    summary: 'Read documents',
    parameters: FETCH_MEMBERS,
    answer: JSON_ANSWER('DocumentList'),
  },
  'POST /indexes/:index_uid/documents/fetch': {
    action: 'documents.get',
    summary: 'Read documents, with parameters in the body',
    body: objectSchema(FETCH_MEMBERS),
    answer: JSON_ANSWER('DocumentList'),
  },
  'GET /indexes/:index_uid/documents/:document_id': {
    action: 'documents.get',
    summary: 'Read a document',
    parameters: DOCUMENT_MEMBERS,
    answer: JSON_ANSWER('Document'),
  },
  'POST /indexes/:index_uid/documents': { action: 'documents.add', summary: 'Add documents or replace them', ...DOCUMENTS },
  'PUT /indexes/:index_uid/documents': {
    action: 'documents.add',
    summary: 'Add documents or update their members',
    ...DOCUMENTS,
  },
  'POST /indexes/:index_uid/documents/edit': {
    action: 'documents.*',
    summary: 'Edit documents by a function in JavaScript',
    parameters: EDITION_PARAMETERS,
    body: objectSchema(EDITION),
    answer: TASK,
  },
  'DELETE /indexes/:index_uid/documents': {
    action: 'documents.delete',
    summary: 'Delete all documents',
    parameters: DELETE,
    answer: TASK,
  },
  'DELETE /indexes/:index_uid/documents/:document_id': {
    action: 'documents.delete',
    summary: 'Delete a document',
    parameters: DELETE,
    answer: TASK,
  },
  'POST /indexes/:index_uid/documents/delete-batch': {
    action: 'documents.delete',
    summary: 'Delete documents by their ids',
    parameters: DELETE,
    body: arrayOf({ type: ['string', 'integer'] }),
    answer: TASK,
  },
  'POST /indexes/:index_uid/documents/delete': {
    action: 'documents.delete',
    summary: 'Delete documents by a filter',
    parameters: DELETE,
    body: objectSchema(DELETION),
    answer: TASK,
  },

  'GET /indexes/:index_uid/settings': { action: SETTINGS_READ, summary: 'Read all settings', answer: JSON_ANSWER('Settings') },
  'PATCH /indexes/:index_uid/settings': {
    action: SETTINGS_WRITE,
    summary: 'Change settings',
    body: ref('Settings'),
    answer: TASK,
  },
  'DELETE /indexes/:index_uid/settings': { action: SETTINGS_WRITE, summary: 'Reset all settings', answer: TASK },
  ...settingRoutes(),

  'GET /tasks': { action: 'tasks.get', summary: 'List tasks', parameters: PAGE_PARAMETERS, answer: JSON_ANSWER('TaskList') },
  'DELETE /tasks': { action: 'tasks.delete', summary: 'Delete ended tasks', parameters: FILTER_PARAMETERS, answer: READ_TASK },
  'GET /tasks/:task_uid': { action: 'tasks.get', summary: 'Read a task', answer: JSON_ANSWER('Task') },
  'GET /tasks/:task_uid/documents': {
    action: 'tasks.get',
    summary: 'Read the documents of a waiting task',
    answer: [200, { type: 'string' }, 'application/x-ndjson'],
  },
  'POST /tasks/cancel': { action: 'tasks.cancel', summary: 'Cancel tasks', parameters: FILTER_PARAMETERS, answer: READ_TASK },
  'POST /tasks/compact': {
    action: 'tasks.compact',
    summary: 'Compact the queue of tasks',
    answer: JSON_ANSWER('QueueCompaction'),
  },
  'GET /batches': { action: 'tasks.get', summary: 'List batches', parameters: PAGE_PARAMETERS, answer: JSON_ANSWER('BatchList') },
  'GET /batches/:batch_uid': { action: 'tasks.get', summary: 'Read a batch', answer: JSON_ANSWER('Batch') },

  'GET /keys': { action: MASTER_KEY_ONLY, summary: 'List the keys', parameters: KEY_PAGE, answer: JSON_ANSWER('KeyList') },
  'POST /keys': { action: MASTER_KEY_ONLY, summary: 'Create a key', body: objectSchema(KEY_CREATION), answer: [201, ref('Key')] },
  'GET /keys/:uid_or_key': { action: MASTER_KEY_ONLY, summary: 'Read a key', answer: JSON_ANSWER('Key') },
  'PATCH /keys/:uid_or_key': {
    action: MASTER_KEY_ONLY,
    summary: 'Change a key',
    body: objectSchema(KEY_UPDATE),
    answer: JSON_ANSWER('Key'),
  },
  'DELETE /keys/:uid_or_key': { action: MASTER_KEY_ONLY, summary: 'Delete a key', answer: NOTHING },

  'GET /webhooks': { action: 'webhooks.get', summary: 'List the webhooks', answer: JSON_ANSWER('WebhookList') },
  'POST /webhooks': {
    action: 'webhooks.create',
    summary: 'Create a webhook',
    body: objectSchema(WEBHOOK),
    answer: JSON_ANSWER('Webhook'),
  },
  'GET /webhooks/:uuid': { action: 'webhooks.get', summary: 'Read a webhook', answer: JSON_ANSWER('Webhook') },
  'PATCH /webhooks/:uuid': {
    action: 'webhooks.update',
    summary: 'Change a webhook',
    body: objectSchema(WEBHOOK),
    answer: JSON_ANSWER('Webhook'),
  },
  'DELETE /webhooks/:uuid': { action: 'webhooks.delete', summary: 'Delete a webhook', answer: NOTHING },

  'POST /dynamic-search-rules': {
    action: 'dynamicSearchRules.get',
    summary: 'List dynamic search rules',
    body: objectSchema(RULE_LISTING),
    answer: JSON_ANSWER('SearchRuleList'),
  },
  'DELETE /dynamic-search-rules': {
    action: 'dynamicSearchRules.delete',
    summary: 'Delete all dynamic search rules',
    parameters: RULE_PARAMETERS,
    answer: TASK,
  },
  'GET /dynamic-search-rules/:rule_uid': {
    action: 'dynamicSearchRules.get',
    summary: 'Read a dynamic search rule',
    answer: JSON_ANSWER('SearchRule'),
  },
  'PATCH /dynamic-search-rules/:rule_uid': {
    action: 'dynamicSearchRules.update',
    summary: 'Create a dynamic search rule or change it',
    parameters: RULE_PARAMETERS,
    body: objectSchema(RULE),
    answer: TASK,
  },
  'DELETE /dynamic-search-rules/:rule_uid': {
    action: 'dynamicSearchRules.delete',
    summary: 'Delete a dynamic search rule',
    parameters: RULE_PARAMETERS,
    answer: TASK,
  },

  'GET /network': {
    action: 'network.get',
    summary: 'Read which other instances searches can ask',
    answer: JSON_ANSWER('Network'),
  },
  'PATCH /network': {
    action: 'network.update',
    summary: 'Change which other instances searches can ask',
    body: objectSchema(NETWORK),
    answer: JSON_ANSWER('Network'),
  },
  'POST /network/control': { action: 'network.update', summary: 'Refused: there are no leaders', answer: NOTHING },

  'GET /chats': {
    action: 'chats.get',
    summary: 'List the workspaces of chats',
    parameters: INDEX_PAGE,
    answer: JSON_ANSWER('ChatWorkspaceList'),
  },
  'GET /chats/:workspace_uid': {
    action: 'chats.get',
    summary: 'Read a workspace of chats',
    answer: JSON_ANSWER('ChatWorkspace'),
  },
  'DELETE /chats/:workspace_uid': { action: 'chats.delete', summary: 'Delete a workspace of chats', answer: NOTHING },
  'GET /chats/:workspace_uid/settings': {
    action: 'chatsSettings.get',
    summary: 'Read how a workspace reaches its model',
    answer: JSON_ANSWER('ChatWorkspaceSettings'),
  },
  'PATCH /chats/:workspace_uid/settings': {
    action: 'chatsSettings.update',
    summary: 'Change how a workspace reaches its model, or make one',
    body: objectSchema(WORKSPACE),
    answer: JSON_ANSWER('ChatWorkspaceSettings'),
  },
  'DELETE /chats/:workspace_uid/settings': {
    action: 'chatsSettings.update',
    summary: 'Reset the settings of a workspace of chats',
    answer: JSON_ANSWER('ChatWorkspaceSettings'),
  },
  'POST /chats/:workspace_uid/chat/completions': {
    action: 'chatCompletions',
    summary: 'Have a model answer, which searches the indexes',
    body: { ...objectSchema(COMPLETION), additionalProperties: true },
    answer: [200, { type: 'string' }, 'text/event-stream'],
  },

  'POST /dumps': { action: 'dumps.create', summary: 'Write a dump', answer: TASK },
  'POST /snapshots': { action: 'snapshots.create', summary: 'Write a snapshot', answer: TASK },
  'POST /export': {
    action: 'export',
    summary: 'Send indexes to another instance',
    body: objectSchema(EXPORT),
    answer: READ_TASK,
  },
  'GET /experimental-features': {
    action: 'experimental.get',
    summary: 'Read which features are on',
    answer: JSON_ANSWER('Features'),
  },
  'PATCH /experimental-features': {
    action: 'experimental.update',
    summary: 'Switch features on and off',
    body: objectSchema(FLAGS),
    answer: JSON_ANSWER('Features'),
  },
  'POST /render-template': {
    action: ['settings.get', 'documents.get'],
    summary: 'Show what a template makes of a document or a search',
    body: objectSchema(RENDERING),
    answer: JSON_ANSWER('RenderedTemplate'),
  },
  'POST /logs/stream': {
    action: 'metrics.get',
    summary: 'Listen to the log',
    body: objectSchema(STREAM),
    answer: [200, { type: 'string' }, 'text/plain'],
  },
  'DELETE /logs/stream': { action: 'metrics.get', summary: 'End the stream of the log', answer: NOTHING },
  'POST /logs/stderr': {
    action: 'metrics.get',
    summary: 'Change the level of the log',
    body: objectSchema(STDERR),
    answer: NOTHING,
  },
};

function settingRoutes(): Record<string, Route> {
  return Object.fromEntries(
    Object.entries(SETTINGS).flatMap(([name, { route, verb, kind }]): [string, Route][] => {
      const url = `/indexes/:index_uid/settings/${route}`;
      return [
        [`GET ${url}`, { action: SETTINGS_READ, summary: `Read the setting ${name}`, answer: [200, kind.schema ?? {}] }],
        [
          `${verb} ${url}`,
          { action: SETTINGS_WRITE, summary: `Change the setting ${name}`, body: nullable(kind).schema!, answer: TASK },
        ],
        [`DELETE ${url}`, { action: SETTINGS_WRITE, summary: `Reset the setting ${name}`, answer: TASK }],
      ];
    }),
  );
}

/** @throws Error for a route that is not in the table */
export function routeOf(method: string, url: string): Route {
  const route = own(ROUTES, `${method} ${url}`);
  if (!route) throw new Error(`${method} ${url} is not in the table of routes`);
  return route;
}
