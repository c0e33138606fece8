/** Concurrent requests for document texts, all indexes together. */
const REQUESTS = 40;
/** Bytes that these requests may take: eight requests for 512 vectors of 1,536 dimensions. */
const BYTES = 128 << 20;

/** Work that waits, and what it needs. */
interface Waiting {
  bytes: number;
  go(): void;
}

/**
 * Limits the embedding of documents across all indexes, in requests and in memory. First come, first served; an index waits with
 * one request at a time, so every index makes progress.
 */
export class SharedWork {
  #requests = 0;
  #bytes = 0;
  readonly #waiting: Waiting[] = [];

  constructor(
    readonly requests = REQUESTS,
    readonly bytes = BYTES,
  ) {}

  /**
   * Waits until the limits allow the work. Work larger than the whole limit runs alone.
   * @returns to be called when the work is done
   * @throws the abort reason of `signal`
   */
  async enter(bytes: number, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#waiting.length > 0 || !this.#hasRoom(bytes)) await this.#room(bytes, signal);
    else this.#take(bytes);
    return () => {
      this.#requests--;
      this.#bytes -= bytes;
      this.#wake();
    };
  }

  #hasRoom(bytes: number): boolean {
    return this.#requests === 0 || (this.#requests < this.requests && this.#bytes + bytes <= this.bytes);
  }

  #take(bytes: number): void {
    this.#requests++;
    this.#bytes += bytes;
  }

  #room(bytes: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(signal.reason);
        this.#wake();
      };
      const waiting: Waiting = {
        bytes,
        go: () => {
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      this.#waiting.push(waiting);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  #wake(): void {
    for (let [next] = this.#waiting; next && this.#hasRoom(next.bytes); [next] = this.#waiting) {
      this.#waiting.shift();
      this.#take(next.bytes);
      next.go();
    }
  }
}
