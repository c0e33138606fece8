/** Which indexes have documents on their way: bodies that are being received, until their tasks are in the queue. */
export class Arrivals {
  readonly #bodies = new Map<string, number>();

  /** Whether a body for an index is being received. */
  has(indexUid: string): boolean {
    return this.#bodies.has(indexUid);
  }

  /** Receives a body, and whatever must follow before it no longer counts. */
  async during<T>(indexUid: string, receive: () => Promise<T>): Promise<T> {
    this.#bodies.set(indexUid, (this.#bodies.get(indexUid) ?? 0) + 1);
    try {
      return await receive();
    } finally {
      const left = (this.#bodies.get(indexUid) as number) - 1;
      if (left > 0) this.#bodies.set(indexUid, left);
      else this.#bodies.delete(indexUid);
    }
  }
}
