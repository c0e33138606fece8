import type { FastifyBaseLogger } from 'fastify';
import type { Dispatcher } from 'undici';
import type { Ledger, LedgerWrite } from '../storage/ledger/ledger.js';
import type { Webhook } from './checks.js';
import { type DeliveryCounts, DeliveryQueue, type Notice } from './delivery-queue.js';
import { post } from './post.js';
import type { WebhookStore } from './store.js';

export interface DeliveryOptions {
  ledger: Ledger;
  webhooks: WebhookStore;
  /** Connects to permitted addresses only. */
  dispatcher: Dispatcher;
  log: FastifyBaseLogger;
  timeoutMs?: number;
  pauses?: readonly number[];
}

const TIMEOUT_MS = 30_000;
/** Milliseconds before the second to the sixth attempt. */
const PAUSES = [1000, 2000, 4000, 8000, 16_000];

/**
 * Delivers ended tasks to the webhooks. Deliveries are written to the ledger together with the end of the tasks:
 * `notice/<number>` has the lines, once for all webhooks, and `delivery/<uuid>/<number>` stands for a pending delivery, with the
 * URL and headers of that moment. The last completed delivery removes the lines.
 */
const LINES = 'notice/';
const DELIVERIES = 'delivery/';
const padded = (number: number) => String(number).padStart(12, '0');
const linesKey = (number: number) => LINES + padded(number);
const deliveryKey = (uuid: string, number: number) => `${DELIVERIES}${uuid}/${padded(number)}`;

interface StoredDelivery {
  webhook: Webhook;
  /** Size of the lines. */
  bytes: number;
}

/** The ledger writes for the end of some tasks; `adopt` must be called when they are stored. */
export interface Announcement {
  writes: LedgerWrite[];
  adopt(): void;
}

/** The counts of one webhook. */
export interface DeliveryMetrics extends DeliveryCounts {
  webhook: string;
  /** Notices that are waiting, including the one being sent. */
  waiting: number;
}

const NO_COUNTS: DeliveryCounts = { delivered: 0, failed: 0, dropped: 0, retried: 0 };
const NOTHING: Announcement = { writes: [], adopt() {} };

export class Deliveries {
  readonly #queues = new Map<string, DeliveryQueue>();
  /** By notice number: webhooks that have not received it yet. */
  readonly #due = new Map<number, number>();
  readonly #end = new AbortController();
  #next = 0;

  private constructor(private readonly options: DeliveryOptions) {}

  /** Resumes the deliveries that an earlier process left. */
  static async load(options: DeliveryOptions): Promise<Deliveries> {
    const deliveries = new Deliveries(options);
    const left: [string, Notice][] = [];
    for await (const [key, value] of options.ledger.iterate(DELIVERIES)) {
      const [, uuid, number] = key.split('/') as [string, string, string];
      const { bytes } = JSON.parse(value.toString()) as StoredDelivery;
      left.push([uuid, { number: Number(number), bytes }]);
      deliveries.#next = Math.max(deliveries.#next, Number(number) + 1);
    }
    for (const [uuid, notice] of left) deliveries.#add(uuid, notice);
    return deliveries;
  }

  /** @param tasks tasks that end together, as routes show them */
  announce(tasks: Record<string, unknown>[]): Announcement {
    const webhooks = this.options.webhooks.list();
    if (webhooks.length === 0) return NOTHING;
    const lines = Buffer.from(tasks.map((task) => `${JSON.stringify(task)}\n`).join(''));
    const notice = { number: this.#next++, bytes: lines.length };
    return {
      writes: [
        { type: 'put', key: linesKey(notice.number), value: lines },
        ...webhooks.map(({ uuid, ...webhook }): LedgerWrite => {
          const stored: StoredDelivery = { webhook, bytes: lines.length };
          return { type: 'put', key: deliveryKey(uuid, notice.number), value: Buffer.from(JSON.stringify(stored)) };
        }),
      ],
      adopt: () => {
        for (const { uuid } of webhooks) this.#add(uuid, notice);
      },
    };
  }

  /** The counts of each webhook, including those deleted since the launch, and how many notices wait. */
  get metrics(): DeliveryMetrics[] {
    const known = new Set([...this.options.webhooks.list().map(({ uuid }) => uuid), ...this.#queues.keys()]);
    return [...known].map((webhook) => {
      const queue = this.#queues.get(webhook);
      return { webhook, waiting: queue?.length ?? 0, ...(queue?.counts ?? NO_COUNTS) };
    });
  }

  /** Aborts the request under way; the notice is delivered after the next launch. */
  async close(): Promise<void> {
    this.#end.abort();
    await Promise.all([...this.#queues.values()].map((queue) => queue.ended()));
  }

  #add(uuid: string, notice: Notice): void {
    this.#due.set(notice.number, (this.#due.get(notice.number) ?? 0) + 1);
    let queue = this.#queues.get(uuid);
    if (!queue) {
      queue = this.#queueOf(uuid);
      this.#queues.set(uuid, queue);
    }
    queue.add(notice);
  }

  #queueOf(uuid: string): DeliveryQueue {
    const { webhooks, dispatcher, log, timeoutMs = TIMEOUT_MS, pauses = PAUSES } = this.options;
    const { signal } = this.#end;
    return new DeliveryQueue({
      uuid,
      pauses,
      signal,
      log,
      exists: () => webhooks.has(uuid),
      read: (notice) => this.#read(uuid, notice),
      send: (webhook, lines) => post(webhook, lines, { dispatcher, timeoutMs, signal }),
      forget: (notices) => this.#forget(uuid, notices),
    });
  }

  async #read(uuid: string, { number }: Notice): Promise<{ webhook: Webhook; lines: Buffer } | null> {
    const { ledger } = this.options;
    const [delivery, lines] = await Promise.all([ledger.get(deliveryKey(uuid, number)), ledger.get(linesKey(number))]);
    return delivery && lines && { webhook: (JSON.parse(delivery.toString()) as StoredDelivery).webhook, lines };
  }

  async #forget(uuid: string, notices: Notice[]): Promise<void> {
    const writes = notices.flatMap(({ number }): LedgerWrite[] => {
      const left = this.#due.get(number)! - 1;
      if (left > 0) this.#due.set(number, left);
      else this.#due.delete(number);
      const done: LedgerWrite = { type: 'del', key: deliveryKey(uuid, number) };
      return left > 0 ? [done] : [done, { type: 'del', key: linesKey(number) }];
    });
    // Not synced: after a crash at this moment a notice is delivered twice, but never lost.
    await this.options.ledger.write(writes, false);
  }
}
