/** What a key must be allowed to do for a route; `null`: the route is open to all. */
export type Action = string | null;

const SETTINGS_READ = 'settings.get';
const SETTINGS_WRITE = 'settings.update';

/** Every route and its action. A route that is missing here cannot be registered. */
export const ROUTE_ACTIONS: Readonly<Record<string, Action>> = {
  'GET /': null,
  'GET /health': null,
  'GET /docs/errors': null,
  'GET /version': 'version',
  'GET /stats': 'stats.get',
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
  'GET /experimental-features': 'experimental.get',
  'PATCH /experimental-features': 'experimental.update',
};

/** The action of a route; `undefined` for one that nobody has thought of. */
export function actionOf(method: string, url: string): Action | undefined {
  const known = ROUTE_ACTIONS[`${method} ${url}`];
  if (known !== undefined) return known;
  if (url.startsWith('/indexes/:index_uid/settings/')) return method === 'GET' ? SETTINGS_READ : SETTINGS_WRITE;
  return undefined;
}
