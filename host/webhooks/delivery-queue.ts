import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Webhook } from './checks.js';
import type { Refusal } from './post.js';

/** A notice for one webhook: its number in the ledger, and the size of its lines. */
export interface Notice {
  number: number;
  bytes: number;
}

export interface QueueContext {
  uuid: string;
  /** Milliseconds before each further attempt. */
  pauses: readonly number[];
  signal: AbortSignal;
  log: FastifyBaseLogger;
  /** Whether the webhook still exists. */
  exists(): boolean;
  /** The lines and the destination of a notice, as of the end of its tasks; null when the ledger has lost it. */
  read(notice: Notice): Promise<{ webhook: Webhook; lines: Buffer } | null>;
  /** One attempt. Throws when the signal is aborted. */
  send(webhook: Webhook, lines: Buffer): Promise<Refusal | null>;
  /** Removes notices from the ledger. */
  forget(notices: Notice[]): Promise<void>;
}

export type Outcome = 'delivered' | 'failed' | 'dropped';

/** Counts since the launch. */
export type DeliveryCounts = Record<Outcome, number> & {
  /** Attempts after the first. */
  retried: number;
};

/** Limits of the notices that wait for one webhook, by number and bytes; beyond them the oldest are dropped. */
const MAX_NOTICES = 10_000;
const MAX_BYTES = 512 * 2 ** 20;

/** Delivers notices to one webhook, in order and one at a time; webhooks have separate queues, so a slow one delays no other. */
export class DeliveryQueue {
  readonly counts: DeliveryCounts = { delivered: 0, failed: 0, dropped: 0, retried: 0 };
  readonly #waiting: Notice[] = [];
  #bytes = 0;
  #sending = false;
  #loop: Promise<void> = Promise.resolve();

  constructor(private readonly context: QueueContext) {}

  get length(): number {
    return this.#waiting.length;
  }

  add(notice: Notice): void {
    this.#waiting.push(notice);
    this.#bytes += notice.bytes;
    if (this.#waiting.length > MAX_NOTICES || this.#bytes > MAX_BYTES) this.#trim();
    if (this.#sending) return;
    this.#sending = true;
    this.#loop = this.#run();
  }

  /** Resolves when no delivery is under way. */
  async ended(): Promise<void> {
    await this.#loop;
  }

  /** Drops the oldest notices, except the one being sent and the newest. */
  #trim(): void {
    const dropped: Notice[] = [];
    while (this.#waiting.length > 2 && (this.#waiting.length > MAX_NOTICES || this.#bytes > MAX_BYTES)) {
      const [notice] = this.#waiting.splice(1, 1);
      this.#bytes -= notice!.bytes;
      dropped.push(notice!);
    }
    if (dropped.length === 0) return;
    this.#warn(`${dropped.length} notices were dropped: too many wait`);
    this.#forget(dropped, 'dropped').catch(() => {});
  }

  async #run(): Promise<void> {
    const { signal, exists } = this.context;
    try {
      for (let notice = this.#waiting[0]; notice; notice = this.#waiting[0]) {
        const delivered = await this.#deliver(notice);
        await this.#forget([notice], delivered ? 'delivered' : 'failed');
        this.#take(1);
        // A deleted webhook still gets the notices from before its deletion, as long as it accepts them.
        if (!delivered && !exists()) await this.#forget(this.#take(this.#waiting.length), 'dropped');
      }
    } catch (error) {
      // After an abort the waiting notices stay in the ledger for the next launch.
      if (!signal.aborted) this.#warn(`deliveries stopped: ${(error as Error).message}`);
    } finally {
      this.#sending = false;
    }
  }

  async #deliver(notice: Notice): Promise<boolean> {
    const { read, send, pauses, signal, exists } = this.context;
    const content = await read(notice);
    if (!content) return false;
    for (let attempt = 0; ; attempt++) {
      const refusal = await send(content.webhook, content.lines);
      if (!refusal) return true;
      const wait = pauses[attempt];
      if (wait === undefined || !refusal.temporary || !exists()) {
        this.#warn(`a notice was given up after attempt ${attempt + 1}: ${refusal.reason}`);
        return false;
      }
      await pause(wait, undefined, { signal, ref: false });
      this.counts.retried++;
    }
  }

  #take(count: number): Notice[] {
    const taken = this.#waiting.splice(0, count);
    for (const { bytes } of taken) this.#bytes -= bytes;
    return taken;
  }

  async #forget(notices: Notice[], outcome: Outcome): Promise<void> {
    await this.context.forget(notices);
    this.counts[outcome] += notices.length;
  }

  #warn(problem: string): void {
    const { log, uuid } = this.context;
    log.warn({ webhook: uuid }, problem);
  }
}
