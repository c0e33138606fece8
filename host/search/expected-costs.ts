import type { EncodedRequest } from './request-bytes.js';

/** Weight of the newest request of a client: several in a row are needed to change what is expected. */
const NEWEST = 1 / 4;
/** Milliseconds from which on requests are remembered one by one. */
const REMEMBERED_FROM_MS = 32;
/** Requests that are remembered, those that were sent last. */
const REMEMBERED = 1000;

/** What clients' requests have taken. A client is its connection. */
interface Habit {
  milliseconds: number;
}

/**
 * What requests may be expected to take: what the same request took if that was much, else what its client's requests take. An expectation
 * decides how a request waits, never what it is answered.
 */
export class ExpectedCosts {
  readonly #habits = new WeakMap<object, Habit>();
  /** Milliseconds by fingerprint. */
  readonly #remembered = new Map<number, number>();

  /** Milliseconds of a thread. */
  of(request: EncodedRequest): number {
    const usual = this.ofClient(request.client);
    return this.#remembered.size === 0 ? usual : Math.max(usual, this.#remembered.get(request.fingerprint) ?? 0);
  }

  /** Milliseconds of a thread that a request of the client usually takes. */
  ofClient(client: object | undefined): number {
    return (client && this.#habits.get(client)?.milliseconds) ?? 0;
  }

  /** A request has taken so many milliseconds of a thread. */
  learn(request: EncodedRequest, milliseconds: number): void {
    const { client } = request;
    if (client) {
      const habit = this.#habits.get(client);
      if (habit) habit.milliseconds += (milliseconds - habit.milliseconds) * NEWEST;
      else this.#habits.set(client, { milliseconds: milliseconds * NEWEST });
    }
    if (milliseconds < REMEMBERED_FROM_MS && this.#remembered.size === 0) return;
    this.#remembered.delete(request.fingerprint);
    if (milliseconds < REMEMBERED_FROM_MS) return;
    this.#remembered.set(request.fingerprint, milliseconds);
    if (this.#remembered.size > REMEMBERED) this.#remembered.delete(this.#remembered.keys().next().value!);
  }
}
