import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { FromWorker } from './messages.js';

/**
 * Answers that are longer than a slot: they come as messages, each posted before its slot is marked as done. The loop of events may hand a
 * message over before the slot is looked at, or later than that.
 */
export class LongAnswers {
  readonly #bytes = new Map<number, Uint8Array>();

  /** A message has brought the answer of a slot. */
  keep(slot: number, bytes: Uint8Array): void {
    this.#bytes.set(slot, bytes);
  }

  /** The answer of a slot that is done. What else waits in the ports goes to `onMessage`, which keeps answers among it. */
  take(slot: number, ports: readonly MessagePort[], onMessage: (message: FromWorker, port: number) => void): Uint8Array {
    for (const [index, port] of ports.entries()) {
      if (this.#bytes.has(slot)) break;
      for (let entry = receiveMessageOnPort(port); entry; entry = receiveMessageOnPort(port)) {
        onMessage(entry.message as FromWorker, index);
      }
    }
    return this.#bytes.get(slot) as Uint8Array;
  }

  /** A slot is to be used again: what a thread answered whose request was given up must not go to the next one. */
  drop(slot: number): void {
    this.#bytes.delete(slot);
  }
}
