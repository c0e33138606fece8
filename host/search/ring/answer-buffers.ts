import type { SearchAnswer } from '../answer.js';

/** Bytes of the smallest buffers; each size class is twice the one before. */
const MIN_BUFFER_BYTES = 4096;
/** Bytes of unused buffers that are kept per size class. */
const MAX_UNUSED_BYTES = 4 << 20;

/**
 * A pool of buffers for answers on their way to clients. With a buffer allocated per answer, V8's accounting of external memory
 * triggered several full garbage collections per second.
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
    if (unused.length < MAX_UNUSED_BYTES / buffer.length) unused.push(buffer);
  }
}
