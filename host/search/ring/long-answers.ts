import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { FromWorker } from './messages.js';

/**
 * Answers that are longer than a slot arrive as messages. A message is posted before its slot is marked as done, but the event
 * loop may deliver it before or after the host looks at the slot.
 */
export class LongAnswers {
  readonly #bytes = new Map<number, Uint8Array>();

  /** Keeps an answer that arrived as a message. */
  keep(slot: number, bytes: Uint8Array): void {
    this.#bytes.set(slot, bytes);
  }

  /**
   * The answer of a slot that is done. Other messages found in the ports are passed to `onMessage`, which keeps answers among
   * them.
   */
  take(slot: number, ports: readonly MessagePort[], onMessage: (message: FromWorker, port: number) => void): Uint8Array {
    for (const [index, port] of ports.entries()) {
      if (this.#bytes.has(slot)) break;
      for (let entry = receiveMessageOnPort(port); entry; entry = receiveMessageOnPort(port)) {
        onMessage(entry.message as FromWorker, index);
      }
    }
    return this.#bytes.get(slot) as Uint8Array;
  }

  /** Drops the answer to a request that was given up, before its slot is reused. */
  drop(slot: number): void {
    this.#bytes.delete(slot);
  }
}
