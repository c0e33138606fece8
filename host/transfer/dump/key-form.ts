import type { KeyRecord } from '../../auth/key-record.js';
import type { LedgerWrite } from '../../storage/ledger/ledger.js';
import { readMoment, readOptionalMoment, writeMoment } from './dates.js';

/** A line of `keys.jsonl`. The secret is not included: it is derived from the uid and the master key. */
export interface DumpKey {
  uid: string;
  name?: string | null;
  description?: string | null;
  actions: string[];
  indexes: string[];
  expires_at?: string | null;
  created_at: string;
  updated_at: string;
}

export function writeKey({ uid, name, description, actions, indexes, expiresAt, createdAt, updatedAt }: KeyRecord): DumpKey {
  return {
    uid,
    name,
    description,
    actions,
    indexes,
    expires_at: writeMoment(expiresAt),
    created_at: writeMoment(createdAt)!,
    updated_at: writeMoment(updatedAt)!,
  };
}

export function readKey({ uid, name, description, actions, indexes, ...dates }: DumpKey): KeyRecord {
  return {
    uid,
    name: name ?? null,
    description: description ?? null,
    actions,
    indexes,
    expiresAt: readOptionalMoment(dates.expires_at),
    createdAt: readMoment(dates.created_at),
    updatedAt: readMoment(dates.updated_at),
  };
}

const PREFIX = 'key/';

export function putKey(key: KeyRecord): LedgerWrite {
  return { type: 'put', key: PREFIX + key.uid, value: Buffer.from(JSON.stringify(key)) };
}
