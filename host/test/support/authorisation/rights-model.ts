import { MASTER_KEY_ONLY } from '../../../auth/actions.js';

/** Who may do what, written from the documentation, independently of the code that it checks. */

const READS = new Set(
  `search documents.get export indexes.get tasks.get settings.get stats.get metrics.get version experimental.get network.get
  chats.get chatsSettings.get webhooks.get fields.post dynamicSearchRules.get`.split(/\s+/),
);

/** Prefixes of actions that do not concern single indexes. */
const GLOBAL =
  /^(?:metrics\.|dumps\.|snapshots\.|version$|keys\.|experimental\.|export$|network\.|chats\.|chatsSettings\.|webhooks\.|dynamicSearchRules\.|tasks\.compact$)/;

/** Whether a key with the action `given` may use routes that require `needed`. */
export function opens(given: string, needed: string): boolean {
  if (needed === MASTER_KEY_ONLY) return false;
  if (given === '*' || given === needed) return true;
  if (given === '*.get') return READS.has(needed);
  return given.endsWith('.*') && needed.startsWith(given.slice(0, -1));
}

export function isGlobalAction(action: string): boolean {
  return GLOBAL.test(action);
}

/** Whether a list of patterns matches an index. */
export function names(patterns: readonly string[], uid: string): boolean {
  return patterns.some((pattern) => (pattern.endsWith('*') ? uid.startsWith(pattern.slice(0, -1)) : uid === pattern));
}
