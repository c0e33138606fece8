import { DOCUMENT_MEMBERS, FETCH_MEMBERS } from '../../bindings/query/fetch-request.js';
import { MULTI_SEARCH_MEMBERS } from '../../bindings/query/multi-search.js';
import { FACET_SEARCH_MEMBERS, SEARCH_MEMBERS, SEARCH_PARAMETERS } from '../../bindings/query/request-table.js';
import { type MemberTable, nullable, objectSchema, type Schema } from '../../bindings/query/validate.js';
import { DELETE, DELETION, WRITE } from '../http/routes/documents.js';
import { EDITION, EDITION_PARAMETERS } from '../http/routes/edition.js';
import { FIELDS } from '../http/routes/fields.js';
import { INDEX_CREATION, INDEX_PAGE, INDEX_UPDATE } from '../http/routes/indexes.js';
import { FLAGS } from '../http/routes/instance.js';
import { KEY_CREATION, KEY_PAGE, KEY_UPDATE } from '../http/routes/keys.js';
import { STDERR, STREAM } from '../http/routes/logs.js';
import { RENDERING } from '../http/routes/render.js';
import { STATS_PARAMETERS } from '../http/routes/stats.js';
import { PAIR } from '../http/routes/swap.js';
import { FILTER_PARAMETERS, PAGE_PARAMETERS } from '../http/routes/task-parameters.js';
import { EXPORT } from '../http/routes/transfers.js';
import { WEBHOOK } from '../http/routes/webhooks.js';
import { SETTINGS } from '../index/settings/settings.js';
import { arrayOf, ref } from './schemas.js';

/** How a route is described. */
export interface Operation {
  summary: string;
  // biome-ignore lint/suspicious/noExplicitAny: tables of every shape
  parameters?: MemberTable<any>;
  body?: Schema;
  /** Media types of the body; JSON by default. */
  types?: readonly string[];
  /** Status of success and what it carries; null: no body. */
  answer: readonly [status: number, schema: Schema | null, type?: string];
}

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

/** Every route, by method and pattern: the bodies and parameters come from the tables that read them. */
export const OPERATIONS: Record<string, Operation> = {
  'GET /': { summary: 'Say that the service runs', answer: JSON_ANSWER('Status') },
  'GET /health': { summary: 'Tell whether the service serves', answer: JSON_ANSWER('Health') },
  'GET /version': { summary: 'Tell the versions', answer: JSON_ANSWER('Version') },
  'GET /docs/errors': { summary: 'Read what the error codes mean', answer: [200, { type: 'string' }, 'text/html'] },
  'GET /openapi.json': { summary: 'Read this description', answer: [200, { type: 'object' }] },
  'GET /stats': { summary: 'Read the statistics of all indexes', parameters: STATS_PARAMETERS, answer: JSON_ANSWER('Stats') },
  'GET /metrics': { summary: 'Read metrics for Prometheus', answer: [200, { type: 'string' }, 'text/plain'] },

  'GET /indexes': { summary: 'List the indexes', parameters: INDEX_PAGE, answer: JSON_ANSWER('IndexList') },
  'POST /indexes': { summary: 'Create an index', body: objectSchema(INDEX_CREATION), answer: TASK },
  'GET /indexes/:index_uid': { summary: 'Read an index', answer: JSON_ANSWER('Index') },
  'PATCH /indexes/:index_uid': {
    summary: 'Rename an index or set its primary key',
    body: objectSchema(INDEX_UPDATE),
    answer: TASK,
  },
  'DELETE /indexes/:index_uid': { summary: 'Delete an index', answer: TASK },
  'GET /indexes/:index_uid/stats': {
    summary: 'Read the statistics of an index',
    parameters: STATS_PARAMETERS,
    answer: JSON_ANSWER('IndexStats'),
  },
  'POST /indexes/:index_uid/fields': {
    summary: 'List the fields of an index',
    body: objectSchema(FIELDS),
    answer: JSON_ANSWER('FieldList'),
  },
  'POST /indexes/:index_uid/compact': { summary: 'Merge the segments of an index', answer: TASK },
  'POST /swap-indexes': { summary: 'Swap indexes', body: arrayOf(objectSchema(PAIR)), answer: TASK },

  'GET /indexes/:index_uid/search': {
    summary: 'Search, with parameters in the query string',
    parameters: SEARCH_PARAMETERS,
    answer: JSON_ANSWER('SearchAnswer'),
  },
  'POST /indexes/:index_uid/search': {
    summary: 'Search',
    body: objectSchema(SEARCH_MEMBERS),
    answer: JSON_ANSWER('SearchAnswer'),
  },
  'POST /multi-search': {
    summary: 'Search several times at once, with an answer for each query or one list of hits',
    body: objectSchema(MULTI_SEARCH_MEMBERS),
    answer: [200, { anyOf: [ref('MultiSearchAnswer'), ref('FederatedSearchAnswer')] }],
  },
  'POST /indexes/:index_uid/facet-search': {
    summary: 'Search the values of a facet',
    body: objectSchema(FACET_SEARCH_MEMBERS),
    answer: JSON_ANSWER('FacetSearchAnswer'),
  },

  'GET /indexes/:index_uid/documents': {
    summary: 'Read documents',
    parameters: FETCH_MEMBERS,
    answer: JSON_ANSWER('DocumentList'),
  },
  'POST /indexes/:index_uid/documents/fetch': {
    summary: 'Read documents, with parameters in the body',
    body: objectSchema(FETCH_MEMBERS),
    answer: JSON_ANSWER('DocumentList'),
  },
  'GET /indexes/:index_uid/documents/:document_id': {
    summary: 'Read a document',
    parameters: DOCUMENT_MEMBERS,
    answer: JSON_ANSWER('Document'),
  },
  'POST /indexes/:index_uid/documents': { summary: 'Add documents or replace them', ...DOCUMENTS },
  'PUT /indexes/:index_uid/documents': { summary: 'Add documents or update their members', ...DOCUMENTS },
  'POST /indexes/:index_uid/documents/edit': {
    summary: 'Edit documents by a function in JavaScript',
    parameters: EDITION_PARAMETERS,
    body: objectSchema(EDITION),
    answer: TASK,
  },
  'DELETE /indexes/:index_uid/documents': { summary: 'Delete all documents', parameters: DELETE, answer: TASK },
  'DELETE /indexes/:index_uid/documents/:document_id': { summary: 'Delete a document', parameters: DELETE, answer: TASK },
  'POST /indexes/:index_uid/documents/delete-batch': {
    summary: 'Delete documents by their ids',
    parameters: DELETE,
    body: arrayOf({ type: ['string', 'integer'] }),
    answer: TASK,
  },
  'POST /indexes/:index_uid/documents/delete': {
    summary: 'Delete documents by a filter',
    parameters: DELETE,
    body: objectSchema(DELETION),
    answer: TASK,
  },

  'GET /indexes/:index_uid/settings': { summary: 'Read all settings', answer: JSON_ANSWER('Settings') },
  'PATCH /indexes/:index_uid/settings': { summary: 'Change settings', body: ref('Settings'), answer: TASK },
  'DELETE /indexes/:index_uid/settings': { summary: 'Reset all settings', answer: TASK },
  ...settingOperations(),

  'GET /tasks': { summary: 'List tasks', parameters: PAGE_PARAMETERS, answer: JSON_ANSWER('TaskList') },
  'DELETE /tasks': { summary: 'Delete ended tasks', parameters: FILTER_PARAMETERS, answer: READ_TASK },
  'GET /tasks/:task_uid': { summary: 'Read a task', answer: JSON_ANSWER('Task') },
  'GET /tasks/:task_uid/documents': {
    summary: 'Read the documents of a waiting task',
    answer: [200, { type: 'string' }, 'application/x-ndjson'],
  },
  'POST /tasks/cancel': { summary: 'Cancel tasks', parameters: FILTER_PARAMETERS, answer: READ_TASK },
  'POST /tasks/compact': { summary: 'Compact the queue of tasks', answer: JSON_ANSWER('QueueCompaction') },
  'GET /batches': { summary: 'List batches', parameters: PAGE_PARAMETERS, answer: JSON_ANSWER('BatchList') },
  'GET /batches/:batch_uid': { summary: 'Read a batch', answer: JSON_ANSWER('Batch') },

  'GET /keys': { summary: 'List the keys', parameters: KEY_PAGE, answer: JSON_ANSWER('KeyList') },
  'POST /keys': { summary: 'Create a key', body: objectSchema(KEY_CREATION), answer: [201, ref('Key')] },
  'GET /keys/:uid_or_key': { summary: 'Read a key', answer: JSON_ANSWER('Key') },
  'PATCH /keys/:uid_or_key': { summary: 'Change a key', body: objectSchema(KEY_UPDATE), answer: JSON_ANSWER('Key') },
  'DELETE /keys/:uid_or_key': { summary: 'Delete a key', answer: NOTHING },

  'GET /webhooks': { summary: 'List the webhooks', answer: JSON_ANSWER('WebhookList') },
  'POST /webhooks': { summary: 'Create a webhook', body: objectSchema(WEBHOOK), answer: JSON_ANSWER('Webhook') },
  'GET /webhooks/:uuid': { summary: 'Read a webhook', answer: JSON_ANSWER('Webhook') },
  'PATCH /webhooks/:uuid': { summary: 'Change a webhook', body: objectSchema(WEBHOOK), answer: JSON_ANSWER('Webhook') },
  'DELETE /webhooks/:uuid': { summary: 'Delete a webhook', answer: NOTHING },

  'POST /dumps': { summary: 'Write a dump', answer: TASK },
  'POST /snapshots': { summary: 'Write a snapshot', answer: TASK },
  'POST /export': { summary: 'Send indexes to another instance', body: objectSchema(EXPORT), answer: READ_TASK },
  'GET /experimental-features': { summary: 'Read which features are on', answer: JSON_ANSWER('Features') },
  'PATCH /experimental-features': {
    summary: 'Switch features on and off',
    body: objectSchema(FLAGS),
    answer: JSON_ANSWER('Features'),
  },
  'POST /render-template': {
    summary: 'Show what a template makes of a document or a search',
    body: objectSchema(RENDERING),
    answer: JSON_ANSWER('RenderedTemplate'),
  },
  'POST /logs/stream': {
    summary: 'Listen to the log',
    body: objectSchema(STREAM),
    answer: [200, { type: 'string' }, 'text/plain'],
  },
  'DELETE /logs/stream': { summary: 'End the stream of the log', answer: NOTHING },
  'POST /logs/stderr': { summary: 'Change the level of the log', body: objectSchema(STDERR), answer: NOTHING },
};

function settingOperations(): Record<string, Operation> {
  return Object.fromEntries(
    Object.entries(SETTINGS).flatMap(([name, { route, verb, kind }]): [string, Operation][] => {
      const url = `/indexes/:index_uid/settings/${route}`;
      return [
        [`GET ${url}`, { summary: `Read the setting ${name}`, answer: [200, kind.schema ?? {}] }],
        [`${verb} ${url}`, { summary: `Change the setting ${name}`, body: nullable(kind).schema!, answer: TASK }],
        [`DELETE ${url}`, { summary: `Reset the setting ${name}`, answer: TASK }],
      ];
    }),
  );
}
