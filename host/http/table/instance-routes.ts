import { objectSchema } from '../../../bindings/query/validate.js';
import { MASTER_KEY_ONLY, OPEN } from '../../auth/actions.js';
import { COMPLETION } from '../../chats/completion-request.js';
import { WORKSPACE } from '../../chats/settings.js';
import { NETWORK } from '../../network/members.js';
import { RULE, RULE_LISTING } from '../../rules/members.js';
import { FILTER_PARAMETERS, PAGE_PARAMETERS } from '../../tasks/parameters.js';
import { INDEX_PAGE } from '../routes/indexes.js';
import { FLAGS } from '../routes/instance.js';
import { KEY_CREATION, KEY_PAGE, KEY_UPDATE } from '../routes/keys.js';
import { STDERR, STREAM } from '../routes/logs.js';
import { RENDERING } from '../routes/render.js';
import { RULE_PARAMETERS } from '../routes/rules.js';
import { STATS_PARAMETERS } from '../routes/stats.js';
import { EXPORT } from '../routes/transfers.js';
import { WEBHOOK } from '../routes/webhooks.js';
import { JSON_ANSWER, NOTHING, type Route, TASK, TASK_AS_200 } from './route.js';
import { ref } from './schemas.js';

/** What can be read about the instance. */
export const STATUS_ROUTES: Readonly<Record<string, Route>> = {
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
};

/** The routes of everything that belongs to no single index. */
export const INSTANCE_ROUTES: Readonly<Record<string, Route>> = {
  'GET /tasks': { action: 'tasks.get', summary: 'List tasks', parameters: PAGE_PARAMETERS, answer: JSON_ANSWER('TaskList') },
  'DELETE /tasks': { action: 'tasks.delete', summary: 'Delete ended tasks', parameters: FILTER_PARAMETERS, answer: TASK_AS_200 },
  'GET /tasks/:task_uid': { action: 'tasks.get', summary: 'Read a task', answer: JSON_ANSWER('Task') },
  'GET /tasks/:task_uid/documents': {
    action: 'tasks.get',
    summary: 'Read the documents of a waiting task',
    answer: [200, { type: 'string' }, 'application/x-ndjson'],
  },
  'POST /tasks/cancel': { action: 'tasks.cancel', summary: 'Cancel tasks', parameters: FILTER_PARAMETERS, answer: TASK_AS_200 },
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
    answer: TASK_AS_200,
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
