/** Requests for texts of documents that are under way at most, of all indexes together. */
const REQUESTS = 40;
/** Bytes that these take at most: eight requests for 512 vectors of 1,536 dimensions. */
const BYTES = 128 << 20;

/** A piece of work that waits, and what it takes. */
interface Waiting {
  bytes: number;
  go(): void;
}

/**
 * Bounds what indexes that are embedded at the same time take together, in requests and in memory. Whoever came first goes first; an index
 * waits with one request at a time, so all of them go on.
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
   * Waits until there is room. What takes more than all of it goes alone.
   * @returns to be called when the work is done
   * @throws what `signal` is aborted with
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
