import type { FastifyBaseLogger } from 'fastify';

export interface TelemetryEvent {
  event: string;
  /** RFC 3339. */
  timestamp: string;
  properties: Record<string, unknown>;
}

/** Bytes of a batch at most. */
const BATCH_BYTES = 500_000;
/** Events that may wait; of more the newest are dropped. */
const MAX_WAITING_EVENTS = 1000;
const PATIENCE_MS = 10_000;

/** Events on their way to the endpoint, in batches. Without an endpoint nothing leaves the process. */
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

  /** Sends what waits first when the event would make the batch too large. */
  async add(event: TelemetryEvent): Promise<void> {
    const text = JSON.stringify(event);
    const bytes = Buffer.byteLength(text) + 1;
    const room = BATCH_BYTES - this.#head.length - 2;
    if (this.endpoint === null || bytes > room || this.#waiting.length >= MAX_WAITING_EVENTS) return;
    if (this.#bytes + bytes > room) await this.send();
    this.#waiting.push(text);
    this.#bytes += bytes;
  }

  /** Sends what waits. What cannot be delivered waits for the next time, as far as one batch goes. */
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
        signal: AbortSignal.timeout(PATIENCE_MS),
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
