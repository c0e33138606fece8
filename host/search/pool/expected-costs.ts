import type { EncodedRequest } from '../request-bytes.js';
import { levelOf } from './queue.js';

/**
 * Requests of a client that must have taken long, one after the other, before the next is expected to. Time is measured by the clock, as
 * Node.js 20 does not say how much of it a thread ran: on a busy machine any search may be interrupted, but seldom three in a row.
 */
const IN_A_ROW = 3;
/** Expensive requests that are remembered one by one, those that were sent last. */
const REMEMBERED = 1000;

/** Milliseconds that the last requests of a client have taken, the newest last; 0 for those that were not sent yet. A client is its connection. */
type Recent = number[];

/**
 * What requests may be expected to take: what the same request took if that was much, else what its client's requests take. An expectation
 * decides how a request waits, never what it is answered.
 */
export class ExpectedCosts {
  readonly #clients = new WeakMap<object, Recent>();
  /** Milliseconds by fingerprint. */
  readonly #remembered = new Map<number, number>();

  /** Milliseconds of a thread. */
  of(request: EncodedRequest): number {
    const usual = this.ofClient(request.client);
    return this.#remembered.size === 0 ? usual : Math.max(usual, this.#remembered.get(request.fingerprint) ?? 0);
  }

  /** Milliseconds that each of the client's last requests took at least. */
  ofClient(client: object | undefined): number {
    const recent = client && this.#clients.get(client);
    return recent ? Math.min(...recent) : 0;
  }

  /** A request has taken so many milliseconds of a thread. */
  learn(request: EncodedRequest, milliseconds: number): void {
    const { client } = request;
    if (client) this.#learnOfClient(client, milliseconds);
    if (this.#remembered.size > 0) this.#remembered.delete(request.fingerprint);
    if (levelOf(milliseconds) === 0) return;
    this.#remembered.set(request.fingerprint, milliseconds);
    if (this.#remembered.size > REMEMBERED) this.#remembered.delete(this.#remembered.keys().next().value!);
  }

  #learnOfClient(client: object, milliseconds: number): void {
    let recent = this.#clients.get(client);
    if (!recent) {
      recent = new Array<number>(IN_A_ROW).fill(0);
      this.#clients.set(client, recent);
    }
    recent.shift();
    recent.push(milliseconds);
  }
}
