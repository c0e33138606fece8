import { v4 as uuidv4 } from 'uuid';
import { apiError } from '../../bindings/errors.js';
import { readUuid } from '../auth/uuids.js';
import type { Options } from '../options/launch.js';
import type { Ledger } from '../storage/ledger/ledger.js';
import { Serial } from '../storage/serial.js';
import { checkHeaderCount, checkHeaders, checkUrl, checkUrlGiven, type Webhook } from './checks.js';

/** Uuid of the webhook configured by launch options. */
export const RESERVED = '00000000-0000-0000-0000-000000000000';
const MAX_WEBHOOKS = 20;
const PREFIX = 'webhook/';

/** A change of a webhook: `undefined` keeps a member; null as `headers` removes all, null as a header removes that one. */
export interface WebhookChange {
  url: string | null | undefined;
  headers: Record<string, string | null> | null | undefined;
}

export interface StoredWebhook extends Webhook {
  uuid: string;
}

/** The webhook configured by launch options, with its URL normalised; null when there is none. */
export function reservedWebhook(options: Pick<Options, 'taskWebhookUrl' | 'taskWebhookAuthorizationHeader'>): Webhook | null {
  const { taskWebhookUrl: url, taskWebhookAuthorizationHeader: authorization } = options;
  if (url === null) return null;
  return { url: new URL(url).href, headers: authorization === null ? {} : { Authorization: authorization } };
}

/** The webhooks: those created by requests, in the ledger, and the one of the launch options. */
export class WebhookStore {
  readonly #webhooks = new Map<string, Webhook>();
  readonly #changes = new Serial();

  private constructor(private readonly ledger: Ledger) {}

  static async load(ledger: Ledger, reserved: Webhook | null): Promise<WebhookStore> {
    const store = new WebhookStore(ledger);
    if (reserved) store.#webhooks.set(RESERVED, reserved);
    for await (const [key, value] of ledger.iterate(PREFIX))
      store.#webhooks.set(key.slice(PREFIX.length), JSON.parse(value.toString()) as Webhook);
    return store;
  }

  /** By uuid, so that the reserved one is first. */
  list(): StoredWebhook[] {
    return [...this.#webhooks.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([uuid, webhook]) => ({ uuid, ...webhook }));
  }

  has(uuid: string): boolean {
    return this.#webhooks.has(uuid);
  }

  /** @param text a uuid. @throws ApiError invalid_webhook_uuid, webhook_not_found */
  find(text: string): StoredWebhook {
    const uuid = uuidOf(text);
    const webhook = this.#webhooks.get(uuid);
    if (!webhook) throw apiError('webhook_not_found', 'notFound', { uuid });
    return { uuid, ...webhook };
  }

  /** @throws ApiError invalid_webhooks, invalid_webhook_url, invalid_webhook_headers */
  create(change: WebhookChange): Promise<StoredWebhook> {
    return this.#changes.run(async () => {
      const uuid = uuidv4();
      const headers = mergedHeaders({}, change.headers, true);
      checkHeaderCount(uuid, headers);
      const count = this.#webhooks.size - (this.#webhooks.has(RESERVED) ? 1 : 0);
      if (count >= MAX_WEBHOOKS) throw apiError('invalid_webhooks', 'tooMany', { count, most: MAX_WEBHOOKS });
      const url = checkUrlGiven(uuid, change.url ?? null);
      return this.#store({ uuid, url, headers });
    });
  }

  /** @throws ApiError for an unknown uuid, then for an invalid result */
  update(text: string, change: WebhookChange): Promise<StoredWebhook> {
    return this.#changes.run(async () => {
      const old = this.#editable(text);
      const headers = mergedHeaders(old.headers, change.headers, false);
      checkHeaderCount(old.uuid, headers);
      const url = checkUrlGiven(old.uuid, change.url === undefined ? old.url : change.url);
      return this.#store({ uuid: old.uuid, url, headers });
    });
  }

  /** @throws ApiError for an unknown uuid */
  delete(text: string): Promise<void> {
    return this.#changes.run(async () => {
      const { uuid } = this.#editable(text);
      await this.ledger.write([{ type: 'del', key: PREFIX + uuid }], true);
      this.#webhooks.delete(uuid);
    });
  }

  #editable(text: string): StoredWebhook {
    if (uuidOf(text) === RESERVED) throw apiError('immutable_webhook', 'reserved', { uuid: RESERVED });
    return this.find(text);
  }

  async #store({ uuid, ...webhook }: StoredWebhook): Promise<StoredWebhook> {
    checkHeaders(webhook.headers);
    checkUrl(webhook.url);
    await this.ledger.write([{ type: 'put', key: PREFIX + uuid, value: Buffer.from(JSON.stringify(webhook)) }], true);
    this.#webhooks.set(uuid, webhook);
    return { uuid, ...webhook };
  }
}

function uuidOf(text: string): string {
  const uuid = readUuid(text);
  if (uuid === null) throw apiError('invalid_webhook_uuid', 'form', { text });
  return uuid;
}

/** @param keepNull whether a null header becomes an empty one instead of being removed */
function mergedHeaders(old: Record<string, string>, change: WebhookChange['headers'], keepNull: boolean): Record<string, string> {
  if (change === null) return {};
  const merged = new Map(Object.entries(old));
  for (const [name, value] of Object.entries(change ?? {})) {
    if (value !== null) merged.set(name, value);
    else if (keepNull) merged.set(name, '');
    else merged.delete(name);
  }
  return Object.fromEntries(merged);
}
