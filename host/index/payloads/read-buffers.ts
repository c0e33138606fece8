/** Payloads of a batch that have a read buffer at once: one document may be put together from several. */
const MAX_BUFFERS = 8;

/** A payload that is read through a buffer. */
interface BufferOwner {
  /** Another payload takes the buffer over. */
  dropBuffer(): void;
}

/** Read buffers shared by the payloads of a batch. */
export class ReadBuffers {
  readonly #held = new Map<BufferOwner, Buffer>();

  /** A read buffer for a payload: its own, a new one, or that of the payload that filled its own longest ago. */
  take(owner: BufferOwner, length: number): Buffer {
    let buffer = this.#held.get(owner);
    this.#held.delete(owner);
    if (!buffer && this.#held.size >= MAX_BUFFERS) {
      const [oldest, itsBuffer] = this.#held.entries().next().value as [BufferOwner, Buffer];
      this.#held.delete(oldest);
      oldest.dropBuffer();
      buffer = itsBuffer;
    }
    if (!buffer || buffer.length < length) buffer = Buffer.allocUnsafeSlow(length);
    this.#held.set(owner, buffer);
    return buffer;
  }
}
