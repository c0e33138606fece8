import type { NewKey } from './keys.js';

const CHAT = 'For the front end of an application: chat with and search in all indexes.';
const READ_ONLY_ADMIN = 'Reads everything in the service. Keep it on the server: no public front end should hold it.';
const ADMIN =
  'For everything but searches, for which there is a key of its own. Keep it on the server: no public front end should hold it.';
const SEARCH = 'For the front end of an application: search in all indexes.';

/** The keys of a new service in the order of their creation. Clients find them by name. */
export const DEFAULT_KEYS: readonly NewKey[] = [
  forAllIndexes('Default Chat API Key', CHAT, ['chatCompletions', 'search']),
  forAllIndexes('Default Read-Only Admin API Key', READ_ONLY_ADMIN, ['*.get', 'keys.get']),
  forAllIndexes('Default Admin API Key', ADMIN, ['*']),
  forAllIndexes('Default Search API Key', SEARCH, ['search']),
];

function forAllIndexes(name: string, description: string, actions: string[]): NewKey {
  return { name, description, actions, indexes: ['*'], expiresAt: null };
}
