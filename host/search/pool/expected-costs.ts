import type { EncodedRequest } from '../request-bytes.js';
import { levelOf } from './queue.js';

/**
 * Expensive requests in a row after which the next request of a client is expected to be expensive too. Time is measured by the
 * clock, because Node.js 20 does not report the CPU time of a thread. On a busy machine one search may be interrupted and look
 * expensive, but seldom three in a row.
 */
const IN_A_ROW = 3;
/** Expensive requests whose costs are remembered: the newest ones. */
const REMEMBERED = 1000;

/**
 * Milliseconds that the last requests of a client took, the newest last; 0 in place of requests that were not sent yet. Clients
 * are told apart by their connections.
 */
type Recent = number[];

/**
 * Predicts the thread time of requests: that of the same request before, if it was expensive, or else that of the client's last
 * requests. A prediction decides how long a request waits, never what it is answered.
 */
export class ExpectedCosts {
  readonly #clients = new WeakMap<object, Recent>();
  /** Milliseconds by fingerprint. */
  readonly #remembered = new Map<number, number>();

  /** The predicted thread time in milliseconds. */
  of(request: EncodedRequest): number {
    const usual = this.ofClient(request.client);
    return this.#remembered.size === 0 ? usual : Math.max(usual, this.#remembered.get(request.fingerprint) ?? 0);
  }

  /** The least time that one of the client's last requests took, in milliseconds. */
  ofClient(client: object | undefined): number {
    const recent = client && this.#clients.get(client);
    return recent ? Math.min(...recent) : 0;
  }

  /** Records the thread time of a request. */
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
