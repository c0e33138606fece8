import type { EncodedRequest } from '../request-bytes.js';
import { levelOf } from './queue.js';

/** Expensive requests whose costs are remembered: the newest ones. */
const REMEMBERED = 1000;

/**
 * Milliseconds that the last three requests of a client took; 0 in place of requests that were not sent yet. Clients are told apart by
 * their connections. After three expensive requests in a row the next one is expected to be expensive too. Time is measured by the
 * clock, because Node.js 20 does not report the CPU time of a thread. On a busy machine one search may be interrupted and look
 * expensive, but seldom three in a row.
 */
class Recent {
  #first = 0;
  #second = 0;
  #third = 0;

  get least(): number {
    return Math.min(this.#first, this.#second, this.#third);
  }

  add(milliseconds: number): void {
    this.#first = this.#second;
    this.#second = this.#third;
    this.#third = milliseconds;
  }
}

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
    return recent ? recent.least : 0;
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
      recent = new Recent();
      this.#clients.set(client, recent);
    }
    recent.add(milliseconds);
  }
}
