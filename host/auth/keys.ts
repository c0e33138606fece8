import { createHmac } from 'node:crypto';
import { v4 as uuidv4 } from 'uuid';
import { apiError } from '../../bindings/errors.js';
import type { Ledger } from '../storage/ledger/ledger.js';
import { Serial } from '../storage/serial.js';
import { now, startAfter } from '../time/moments.js';
import { DEFAULT_KEYS } from './default-keys.js';
import { Digest } from './digest.js';
import type { KeyChange, KeyRecord, NewKey } from './key-record.js';
import { expandActions } from './rights.js';
import { readUuid } from './uuids.js';

/** A key with what requests are checked against. */
export interface Key {
  record: KeyRecord;
  /** The secret that clients send; empty while there is no master key. */
  value: string;
  digest: Digest;
  rights: ReadonlySet<string>;
}

const PREFIX = 'key/';

/** The API keys: in the ledger by uid, in memory by uid and by a digest of their values. */
export class KeyStore {
  readonly #keys = new Map<string, Key>();
  readonly #byDigest = new Map<string, Key>();
  readonly #changes = new Serial();

  private constructor(
    private readonly ledger: Ledger,
    private readonly masterKey: string | null,
  ) {}

  /** Reads the keys from the ledger. An empty ledger gets the default keys. */
  static async load(ledger: Ledger, masterKey: string | null): Promise<KeyStore> {
    const store = new KeyStore(ledger, masterKey);
    for await (const [, value] of ledger.iterate(PREFIX)) {
      const record = JSON.parse(value.toString()) as KeyRecord;
      startAfter(record.updatedAt);
      store.#adopt(record);
    }
    if (store.#keys.size === 0) for (const key of DEFAULT_KEYS) await store.create(key);
    return store;
  }

  /** Newest first. */
  list(): Key[] {
    return [...this.#keys.values()].sort((a, b) => b.record.createdAt - a.record.createdAt);
  }

  get(uid: string): Key | null {
    return this.#keys.get(uid) ?? null;
  }

  /** The key whose value has this digest. */
  byDigest(digest: Digest): Key | null {
    const key = this.#byDigest.get(digest.text);
    return key?.digest.equals(digest) ? key : null;
  }

  /** @param identifier a uid or a value. @throws ApiError api_key_not_found */
  find(identifier: string): Key {
    const uid = readUuid(identifier);
    const key = uid === null ? this.byDigest(new Digest(identifier)) : this.get(uid);
    if (!key) throw apiError('api_key_not_found', 'notFound', { identifier });
    return key;
  }

  /** @throws ApiError api_key_already_exists */
  create({ uid = uuidv4(), ...chosen }: NewKey): Promise<Key> {
    return this.#changes.run(async () => {
      if (this.#keys.has(uid)) throw apiError('api_key_already_exists', 'taken', { uid });
      const date = now();
      return this.#store({ uid, ...chosen, createdAt: date, updatedAt: date });
    });
  }

  /** @throws ApiError api_key_not_found */
  update(identifier: string, { name, description }: KeyChange): Promise<Key> {
    return this.#changes.run(async () => {
      const { record } = this.find(identifier);
      return this.#store({
        ...record,
        name: name === undefined ? record.name : name,
        description: description === undefined ? record.description : description,
        updatedAt: now(),
      });
    });
  }

  /** @throws ApiError api_key_not_found */
  delete(identifier: string): Promise<void> {
    return this.#changes.run(async () => {
      const { record, digest } = this.find(identifier);
      await this.ledger.write([{ type: 'del', key: PREFIX + record.uid }], true);
      this.#keys.delete(record.uid);
      this.#byDigest.delete(digest.text);
    });
  }

  async #store(record: KeyRecord): Promise<Key> {
    await this.ledger.write([{ type: 'put', key: PREFIX + record.uid, value: Buffer.from(JSON.stringify(record)) }], true);
    return this.#adopt(record);
  }

  #adopt(record: KeyRecord): Key {
    const value = this.masterKey === null ? '' : keyValue(this.masterKey, record.uid);
    const key = { record, value, digest: new Digest(value), rights: expandActions(record.actions) };
    this.#keys.set(record.uid, key);
    if (value !== '') this.#byDigest.set(key.digest.text, key);
    return key;
  }
}

/** What a client sends as the key: HMAC-SHA256 of the uid under the master key, in hexadecimal. */
export function keyValue(masterKey: string, uid: string): string {
  return createHmac('sha256', masterKey).update(uid).digest('hex');
}

export function hasExpired({ record: { expiresAt } }: Key): boolean {
  return expiresAt !== null && expiresAt <= Date.now() * 1000;
}
