import type { SearchRule } from '../../../bindings/rules/rule.js';
import { importedNetwork, networkWrite, storedNetwork } from '../../network/store.js';
import { FEATURES } from '../../options/features.js';
import { RULE_PREFIX, storedRules } from '../../rules/store.js';
import type { Ledger, LedgerWrite } from '../../storage/ledger/ledger.js';

/**
 * A dump is a gzipped tar. Lines end with a line feed, JSON is UTF-8.
 *
 *   metadata.json                     {dumpVersion, dbVersion, dumpDate}
 *   instance_uid.uuid                 text; may be absent
 *   keys.jsonl                        one API key a line
 *   experimental-features.json        flags by name
 *   webhooks.json                     {webhooks: {uuid: {url, headers}}}
 *   network.json                      {remotes, shards} by name; an instance has no name of its own in it
 *   dynamic-search-rules.json         {rules: […]}, in the order of their creation
 *   chat-completions-settings/<workspace>.json   settings of a workspace of chats
 *   tasks/queue.jsonl                 one task a line, by uid
 *   tasks/update_files/<uid>.jsonl    documents of a task that waits
 *   batches/queue.jsonl               one batch a line, by uid
 *   indexes/<uid>/metadata.json       {uid, primaryKey, createdAt, updatedAt}
 *   indexes/<uid>/settings.json       every setting
 *   indexes/<uid>/documents.jsonl     one document a line, in internal order
 */
export const DUMP = {
  version: 'V6',
  metadata: 'metadata.json',
  instanceUid: 'instance_uid.uuid',
  keys: 'keys.jsonl',
  tasks: 'tasks/queue.jsonl',
  batches: 'batches/queue.jsonl',
  workspace: (uid: string) => `chat-completions-settings/${uid}.json`,
  payload: (task: number) => `tasks/update_files/${task}.jsonl`,
  index: (uid: string) => ({
    metadata: `indexes/${uid}/metadata.json`,
    settings: `indexes/${uid}/settings.json`,
    documents: `indexes/${uid}/documents.jsonl`,
  }),
} as const;

/** A file of a dump with one JSON object, and its ledger entry. */
interface SingleFact {
  name: string;
  /** null: there is nothing to dump. */
  read(ledger: Ledger): Promise<object | null>;
  write(value: Record<string, unknown>): LedgerWrite[];
}

const FEATURES_KEY = 'meta/features';
const WEBHOOK_PREFIX = 'webhook/';

export const SINGLE_FACTS: readonly SingleFact[] = [
  {
    name: 'experimental-features.json',
    async read(ledger) {
      const stored = await ledger.get(FEATURES_KEY);
      const flags = stored ? JSON.parse(stored.toString()) : {};
      return Object.fromEntries(FEATURES.map((feature) => [feature, flags[feature] === true]));
    },
    write(flags) {
      const known = FEATURES.filter((feature) => typeof flags[feature] === 'boolean');
      return [put(FEATURES_KEY, Object.fromEntries(known.map((feature) => [feature, flags[feature]])))];
    },
  },
  {
    name: 'webhooks.json',
    async read(ledger) {
      const webhooks = new Map<string, unknown>();
      for await (const [key, value] of ledger.iterate(WEBHOOK_PREFIX)) {
        webhooks.set(key.slice(WEBHOOK_PREFIX.length), JSON.parse(value.toString()));
      }
      return { webhooks: Object.fromEntries(webhooks) };
    },
    write: ({ webhooks }) => Object.entries(webhooks ?? {}).map(([uuid, webhook]) => put(WEBHOOK_PREFIX + uuid, webhook)),
  },
  {
    name: 'network.json',
    async read(ledger) {
      const network = await storedNetwork(ledger);
      if (!network) return null;
      const shards = [...network.shards].map(([name, remotes]) => [name, { remotes }]);
      return { remotes: Object.fromEntries(network.remotes), shards: Object.fromEntries(shards), version: network.version };
    },
    write: ({ remotes, shards, version }) => [networkWrite(importedNetwork(remotes, shards, version))],
  },
  {
    name: 'dynamic-search-rules.json',
    read: async (ledger) => ({ rules: (await storedRules(ledger)).map(({ rule }) => rule) }),
    write: ({ rules }) =>
      (Array.isArray(rules) ? (rules as SearchRule[]) : []).map((rule, id) => put(RULE_PREFIX + rule.uid, { id, rule })),
  },
];

function put(key: string, value: unknown): LedgerWrite {
  return { type: 'put', key, value: Buffer.from(JSON.stringify(value)) };
}
