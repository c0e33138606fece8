/** What a key must be allowed to do for a route, all of a list; `null`: the route is open to all. */
import { own } from '../../bindings/own.js';
export type Action = string | readonly string[] | null;

/** The action that no key has. */
export const MASTER_KEY_ONLY = 'master key';

const SETTINGS_READ = 'settings.get';
const SETTINGS_WRITE = 'settings.update';

/** Every route and its action. A route that is missing here cannot be registered. */
export const ROUTE_ACTIONS: Readonly<Record<string, Action>> = {
  'GET /': null,
  'GET /health': null,
  'GET /docs/errors': null,
  'GET /openapi.json': null,
  'GET /version': 'version',
  'GET /stats': 'stats.get',
  'GET /keys': MASTER_KEY_ONLY,
  'POST /keys': MASTER_KEY_ONLY,
  'GET /keys/:uid_or_key': MASTER_KEY_ONLY,
  'PATCH /keys/:uid_or_key': MASTER_KEY_ONLY,
  'DELETE /keys/:uid_or_key': MASTER_KEY_ONLY,
  'GET /webhooks': 'webhooks.get',
  'POST /webhooks': 'webhooks.create',
  'GET /webhooks/:uuid': 'webhooks.get',
  'PATCH /webhooks/:uuid': 'webhooks.update',
  'DELETE /webhooks/:uuid': 'webhooks.delete',
  'GET /indexes': 'indexes.get',
  'POST /indexes': 'indexes.create',
  'GET /indexes/:index_uid': 'indexes.get',
  'PATCH /indexes/:index_uid': 'indexes.update',
  'DELETE /indexes/:index_uid': 'indexes.delete',
  'GET /indexes/:index_uid/stats': 'stats.get',
  'POST /indexes/:index_uid/compact': 'indexes.compact',
  'POST /indexes/:index_uid/fields': 'fields.post',
  'POST /swap-indexes': 'indexes.swap',
  'GET /indexes/:index_uid/search': 'search',
  'POST /indexes/:index_uid/search': 'search',
  'POST /indexes/:index_uid/facet-search': 'search',
  'GET /indexes/:index_uid/documents': 'documents.get',
  'POST /indexes/:index_uid/documents': 'documents.add',
  'PUT /indexes/:index_uid/documents': 'documents.add',
  'DELETE /indexes/:index_uid/documents': 'documents.delete',
  'POST /indexes/:index_uid/documents/fetch': 'documents.get',
  'POST /indexes/:index_uid/documents/delete': 'documents.delete',
  'POST /indexes/:index_uid/documents/delete-batch': 'documents.delete',
  'POST /indexes/:index_uid/documents/edit': 'documents.*',
  'GET /indexes/:index_uid/documents/:document_id': 'documents.get',
  'DELETE /indexes/:index_uid/documents/:document_id': 'documents.delete',
  'GET /indexes/:index_uid/settings': SETTINGS_READ,
  'PATCH /indexes/:index_uid/settings': SETTINGS_WRITE,
  'DELETE /indexes/:index_uid/settings': SETTINGS_WRITE,
  'GET /tasks': 'tasks.get',
  'DELETE /tasks': 'tasks.delete',
  'GET /tasks/:task_uid': 'tasks.get',
  'GET /tasks/:task_uid/documents': 'tasks.get',
  'POST /tasks/cancel': 'tasks.cancel',
  'GET /batches': 'tasks.get',
  'GET /batches/:batch_uid': 'tasks.get',
  'GET /indexes/:index_uid/similar': 'search',
  'POST /indexes/:index_uid/similar': 'search',
  'POST /multi-search': 'search',
  'POST /tasks/compact': 'tasks.compact',
  'POST /dumps': 'dumps.create',
  'POST /snapshots': 'snapshots.create',
  'POST /export': 'export',
  'GET /experimental-features': 'experimental.get',
  'PATCH /experimental-features': 'experimental.update',
  'GET /metrics': 'metrics.get',
  'POST /logs/stream': 'metrics.get',
  'DELETE /logs/stream': 'metrics.get',
  'POST /logs/stderr': 'metrics.get',
  'GET /network': 'network.get',
  'PATCH /network': 'network.update',
  'POST /network/control': 'network.update',
  'GET /chats': 'chats.get',
  'GET /chats/:workspace_uid': 'chats.get',
  'DELETE /chats/:workspace_uid': 'chats.delete',
  'GET /chats/:workspace_uid/settings': 'chatsSettings.get',
  'PATCH /chats/:workspace_uid/settings': 'chatsSettings.update',
  'DELETE /chats/:workspace_uid/settings': 'chatsSettings.update',
  'POST /chats/:workspace_uid/chat/completions': 'chatCompletions',
  'POST /dynamic-search-rules': 'dynamicSearchRules.get',
  'DELETE /dynamic-search-rules': 'dynamicSearchRules.delete',
  'GET /dynamic-search-rules/:rule_uid': 'dynamicSearchRules.get',
  'PATCH /dynamic-search-rules/:rule_uid': 'dynamicSearchRules.update',
  'DELETE /dynamic-search-rules/:rule_uid': 'dynamicSearchRules.delete',
  'POST /render-template': ['settings.get', 'documents.get'],
};

/** The action of a route; `undefined` for one that nobody has thought of. */
export function actionOf(method: string, url: string): Action | undefined {
  const known = own(ROUTE_ACTIONS, `${method} ${url}`);
  if (known !== undefined) return known;
  if (url.startsWith('/indexes/:index_uid/settings/')) return method === 'GET' ? SETTINGS_READ : SETTINGS_WRITE;
  return undefined;
}
