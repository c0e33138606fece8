import { NIL, v7 as uuidv7 } from 'uuid';
import { errorAs } from '../../bindings/errors.js';
import type { Ledger, LedgerWrite } from '../storage/ledger/ledger.js';
import { Serial } from '../storage/serial.js';
import type { NetworkChange, RemoteChange, ShardChange } from './members.js';

/** A remote instance. */
export interface Remote {
  url: string;
  searchApiKey: string | null;
  writeApiKey: string | null;
}

/** The instances over which searches can be distributed. */
export interface Network {
  /** The name of this instance among the remotes. */
  self: string | null;
  remotes: ReadonlyMap<string, Remote>;
  /** By shard: the names of its remotes. */
  shards: ReadonlyMap<string, readonly string[]>;
  /** Changes with each update; the nil UUID before the first. */
  version: string;
}

const KEY = 'meta/network';
const NONE: Network = { self: null, remotes: new Map(), shards: new Map(), version: NIL };

/** The network configuration, stored in the ledger. */
export class NetworkStore {
  readonly #changes = new Serial();

  private constructor(
    private readonly ledger: Ledger,
    private network: Network,
  ) {}

  static async load(ledger: Ledger): Promise<NetworkStore> {
    return new NetworkStore(ledger, (await storedNetwork(ledger)) ?? NONE);
  }

  get current(): Network {
    return this.network;
  }

  /** Applies a change completely or not at all. @throws ApiError missing_network_url, invalid_network_url */
  update(change: NetworkChange): Promise<Network> {
    return this.#changes.run(async () => {
      const network = changedNetwork(this.network, change);
      await this.ledger.write([networkWrite(network)], true);
      this.network = network;
      return network;
    });
  }
}

export async function storedNetwork(ledger: Ledger): Promise<Network | null> {
  const stored = await ledger.get(KEY);
  if (!stored) return null;
  const { self, remotes, shards, version } = JSON.parse(stored.toString());
  return { self, remotes: new Map(remotes), shards: new Map(shards), version };
}

/** The network in a dump of another instance, without that instance's own name. */
export function importedNetwork(remotes: unknown, shards: unknown, version: unknown): Network {
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  return {
    self: null,
    remotes: new Map(
      Object.entries((remotes ?? {}) as Record<string, Partial<Remote>>).flatMap(([name, { url, searchApiKey, writeApiKey }]) =>
        typeof url === 'string' ? [[name, { url, searchApiKey: text(searchApiKey), writeApiKey: text(writeApiKey) }]] : [],
      ),
    ),
    shards: new Map(
      Object.entries((shards ?? {}) as Record<string, { remotes?: string[] }>).map(([name, shard]) => [
        name,
        shard.remotes ?? [],
      ]),
    ),
    version: text(version) ?? NIL,
  };
}

export function networkWrite({ self, remotes, shards, version }: Network): LedgerWrite {
  const value = JSON.stringify({ self, remotes: [...remotes], shards: [...shards], version });
  return { type: 'put', key: KEY, value: Buffer.from(value) };
}

function changedNetwork(old: Network, { self, remotes, shards }: NetworkChange): Network {
  return {
    self: self === undefined ? old.self : self,
    remotes: remotes === null ? new Map() : withChanges(old.remotes, remotes, changedRemote),
    shards: shards === null ? new Map() : withChanges(old.shards, shards, changedShard),
    version: uuidv7(),
  };
}

/** The entries after a change; null removes one. */
function withChanges<T, Change>(
  old: ReadonlyMap<string, T>,
  changes: ReadonlyMap<string, Change | null> | undefined,
  change: (name: string, before: T | undefined, what: Change) => T | null,
): ReadonlyMap<string, T> {
  const entries = new Map(old);
  for (const [name, what] of changes ?? []) {
    const entry = what === null ? null : change(name, entries.get(name), what);
    if (entry === null) entries.delete(name);
    else entries.set(name, entry);
  }
  return entries;
}

function changedRemote(name: string, before: Remote | undefined, change: RemoteChange): Remote {
  const { url = before?.url ?? null, searchApiKey, writeApiKey } = change;
  if (url === null) {
    const code = before ? 'invalid_network_url' : 'missing_network_url';
    throw errorAs(code, 'remoteUrl', { name });
  }
  return {
    url,
    searchApiKey: searchApiKey === undefined ? (before?.searchApiKey ?? null) : searchApiKey,
    writeApiKey: writeApiKey === undefined ? (before?.writeApiKey ?? null) : writeApiKey,
  };
}

/** null: the shard has no remote left and is removed. */
function changedShard(_name: string, before: readonly string[] | undefined, change: ShardChange): readonly string[] | null {
  const { remotes = before ?? [], addRemotes = [], removeRemotes = [] } = change;
  const names = [...new Set([...remotes, ...addRemotes])].filter((name) => !removeRemotes.includes(name));
  return names.length > 0 ? names : null;
}
