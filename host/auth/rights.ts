/** Every action that a key can be given, in the order in which messages list them. */
export const ACTIONS: readonly string[] = `
  * search
  documents.* documents.add documents.get documents.delete
  indexes.* indexes.create indexes.get indexes.update indexes.delete indexes.swap
  tasks.* tasks.cancel tasks.delete tasks.get
  settings.* settings.get settings.update
  stats.* stats.get metrics.* metrics.get
  dumps.* dumps.create snapshots.* snapshots.create
  version
  keys.create keys.get keys.update keys.delete
  experimental.get experimental.update
  export
  network.get network.update
  chatCompletions chats.* chats.get chats.delete chatsSettings.* chatsSettings.get chatsSettings.update
  *.get
  webhooks.get webhooks.update webhooks.delete webhooks.create webhooks.*
  indexes.compact fields.post tasks.compact
  dynamicSearchRules.get dynamicSearchRules.create dynamicSearchRules.update dynamicSearchRules.delete dynamicSearchRules.*
`
  .trim()
  .split(/\s+/);

/** The actions that `*.get` stands for: everything that can be read except API keys. */
const READS = `
  search documents.get export indexes.get tasks.get settings.get stats.get metrics.get version experimental.get network.get
  chats.get chatsSettings.get webhooks.get fields.post dynamicSearchRules.get
`
  .trim()
  .split(/\s+/);

/** Actions that concern the whole service: families, named by the part before the dot, and single actions. */
const GLOBAL_FAMILIES = new Set(
  'metrics dumps snapshots keys experimental network chats chatsSettings webhooks dynamicSearchRules'.split(' '),
);
const GLOBAL_ACTIONS = new Set(['version', 'export', 'tasks.compact']);

/** Whether an action concerns the whole service, so that a key limited to some indexes cannot use it. */
export function isGlobal(action: string): boolean {
  return GLOBAL_ACTIONS.has(action) || GLOBAL_FAMILIES.has(action.split('.')[0]!);
}

/**
 * All actions that the actions of a key stand for. The name of a family stays in the set, because one route requires
 * `documents.*`.
 */
export function expandActions(actions: readonly string[]): ReadonlySet<string> {
  return new Set(actions.flatMap(membersOf));
}

function membersOf(action: string): readonly string[] {
  if (action === '*') return ACTIONS;
  if (action === '*.get') return READS;
  if (action.endsWith('.*')) return ACTIONS.filter((name) => name.startsWith(action.slice(0, -1)));
  return [action];
}
