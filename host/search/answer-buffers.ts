import type { SearchAnswer } from './types.js';

/** Bytes of the smallest buffers; each next kind is twice as long. */
const MIN_BUFFER_BYTES = 4096;
/** Bytes of unused buffers of a kind that are kept. */
const KEPT_BYTES = 4 << 20;

/**
 * Buffers for answers on their way out, used again and again: V8 counts what lies outside its heap, and collected the whole heap
 * several times a second when each answer had a buffer of its own.
 */
export class AnswerBuffers {
  readonly #unused: Buffer[][] = [];

  /** An answer with a copy of these bytes, which may be in shared memory. */
  answer(status: number, bytes: Uint8Array): SearchAnswer {
    const kind = Math.max(0, Math.ceil(Math.log2(bytes.length / MIN_BUFFER_BYTES)));
    const buffer = this.#unused[kind]?.pop() ?? Buffer.allocUnsafeSlow(MIN_BUFFER_BYTES << kind);
    buffer.set(bytes);
    return { status, body: buffer.subarray(0, bytes.length), release: () => this.#keep(kind, buffer) };
  }

  #keep(kind: number, buffer: Buffer): void {
    this.#unused[kind] ??= [];
    const unused = this.#unused[kind];
    if (unused.length < KEPT_BYTES / buffer.length) unused.push(buffer);
  }
}
