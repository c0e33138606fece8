import type { NewKey } from './key-record.js';

/** Clients of the interface compare these texts letter by letter. */
const CHAT = 'Use it to chat and search from the frontend';
const READ_ONLY_ADMIN =
  'Use it to read information across the whole database. Caution! Do not expose this key on a public frontend';
const ADMIN = 'Use it for anything that is not a search operation. Caution! Do not expose it on a public frontend';
const SEARCH = 'Use it to search from the frontend';

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
