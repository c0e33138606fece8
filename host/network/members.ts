import type { JsonValue } from '../../bindings/query/json.js';
import { arrayOf, STRING } from '../../bindings/query/request-values.js';
import {
  absent,
  changed,
  fromJson,
  immutable,
  type Kind,
  type Member,
  type MemberTable,
  objectSchema,
  type Place,
  readObject,
} from '../../bindings/query/validate.js';
import { urlProblem } from '../outgoing/targets.js';

/** The body of `PATCH /network`. In all members `undefined` keeps and null resets. */
export interface NetworkChange {
  remotes: ReadonlyMap<string, RemoteChange | null> | null | undefined;
  shards: ReadonlyMap<string, ShardChange | null> | null | undefined;
  previousShards: undefined;
  self: string | null | undefined;
  leader: string | null | undefined;
  previousRemotes: undefined;
}

export interface RemoteChange {
  /** Null is reported as missing when the remote is new, otherwise as invalid. */
  url: string | null | undefined;
  searchApiKey: string | null | undefined;
  writeApiKey: string | null | undefined;
}

/** Names of the remotes of a shard. */
export interface ShardChange {
  remotes: string[] | undefined;
  addRemotes: string[] | undefined;
  removeRemotes: string[] | undefined;
}

const REMOTES = 'invalid_network_remotes';
const SHARDS = 'invalid_network_shards';

/** An optional member; null counts as absent. */
function given<T>(kind: Kind<T>, code: string): Member<T | undefined> {
  return absent({ ...kind, json: (value, at) => (value === null ? undefined : kind.json(value, at)) }, code);
}

/** Members that the interface reserves: sending one is an error. */
const RESERVED = immutable('unexpected_network_previous_remotes', 'is reserved and cannot be given');

/** Whether null is possible depends on what is stored. */
const REMOTE_URL: Kind<string | null> = fromJson({ type: 'string', format: 'uri' }, (value, at) => {
  if (value === null) return null;
  return typeof value === 'string' && urlProblem(value) === null ? value : at.refuse('an absolute URL', value);
});

const REMOTE: MemberTable<RemoteChange> = {
  url: absent(REMOTE_URL, 'invalid_network_url'),
  searchApiKey: changed(STRING, 'invalid_network_search_api_key'),
  writeApiKey: changed(STRING, 'invalid_network_write_api_key'),
};

const NAMES = arrayOf(STRING, 'an array of names of remotes');

const SHARD: MemberTable<ShardChange> = {
  remotes: given(NAMES, SHARDS),
  addRemotes: given(NAMES, SHARDS),
  removeRemotes: given(NAMES, SHARDS),
};

/** A map from names to objects with these members, or null. */
function namedObjects<T>(table: MemberTable<T>, what: string): Kind<ReadonlyMap<string, T | null>> {
  const item = (value: JsonValue, at: Place): T | null => {
    if (value === null) return null;
    if (!(value instanceof Map)) return at.refuse(`an object that describes a ${what}, or null`, value);
    return readObject(table, value, { path: at.path, code: at.code });
  };
  const schema = { type: 'object', additionalProperties: { ...objectSchema(table), type: ['object', 'null'] } };
  return fromJson(schema, (value, at) => {
    if (!(value instanceof Map)) return at.refuse(`an object of names and ${what}s`, value);
    return new Map([...value].map(([name, each]) => [name, item(each, at.member(name))]));
  });
}

/** In the order in which messages list them. */
export const NETWORK: MemberTable<NetworkChange> = {
  remotes: changed(namedObjects(REMOTE, 'remote'), REMOTES),
  shards: changed(namedObjects(SHARD, 'shard'), SHARDS),
  previousShards: RESERVED,
  self: changed(STRING, 'invalid_network_self'),
  leader: changed(STRING, 'invalid_network_leader'),
  previousRemotes: RESERVED,
};
