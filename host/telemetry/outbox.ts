import type { FastifyBaseLogger } from 'fastify';

export interface TelemetryEvent {
  event: string;
  /** RFC 3339. */
  timestamp: string;
  properties: Record<string, unknown>;
}

/** Most bytes of one batch. */
const BATCH_BYTES = 500_000;
/** Most events that wait; further ones are dropped. */
const MAX_WAITING_EVENTS = 1000;
const TIMEOUT_MS = 10_000;

/** Sends events to the endpoint in batches. Without an endpoint nothing leaves the process. */
export class Outbox {
  #waiting: string[] = [];
  #bytes = 0;
  readonly #head: string;

  constructor(
    private readonly endpoint: string | null,
    instanceUid: string,
    private readonly log: FastifyBaseLogger,
  ) {
    this.#head = `{"instanceUid":${JSON.stringify(instanceUid)},"events":[`;
  }

  /** Adds an event; sends the waiting ones first if the batch would become too large. */
  async add(event: TelemetryEvent): Promise<void> {
    const text = JSON.stringify(event);
    const bytes = Buffer.byteLength(text) + 1;
    const room = BATCH_BYTES - this.#head.length - 2;
    if (this.endpoint === null || bytes > room || this.#waiting.length >= MAX_WAITING_EVENTS) return;
    if (this.#bytes + bytes > room) await this.send();
    this.#waiting.push(text);
    this.#bytes += bytes;
  }

  /** Sends the waiting events. If that fails they wait for the next attempt, up to one batch. */
  async send(): Promise<void> {
    if (this.endpoint === null || this.#waiting.length === 0) return;
    const events = this.#waiting;
    const bytes = this.#bytes;
    this.#waiting = [];
    this.#bytes = 0;
    try {
      const answer = await fetch(this.endpoint, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: `${this.#head}${events.join(',')}]}`,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await answer.body?.cancel();
      if (!answer.ok) throw new Error(`the endpoint answered ${answer.status}`);
    } catch (error) {
      this.log.debug({ err: error }, 'telemetry was not delivered');
      if (this.#waiting.length > 0) return;
      this.#waiting = events;
      this.#bytes = bytes;
    }
  }
}
