/** Longest text whose embedding is cached, in bytes. */
const MAX_TEXT_BYTES = 2000;

/** A call of a model for several requests. */
interface SharedCall {
  vector: Promise<Float32Array>;
  /** Requests that wait for it; the call ends with the last one that gives up. */
  waiting: number;
  end: AbortController;
}

/** Query embeddings, evicted least recently used first. Concurrent requests for the same query share one call. */
export class QueryCache {
  readonly #vectors = new Map<string, Float32Array>();
  readonly #running = new Map<string, SharedCall>();

  constructor(private readonly entries: number) {}

  /**
   * @param signal of this request: others that wait for the same vector are not affected
   * @throws the abort reason of `signal`, and what `embed` throws
   */
  async get(key: string, signal: AbortSignal, embed: (signal: AbortSignal) => Promise<Float32Array>): Promise<Float32Array> {
    if (this.entries === 0 || Buffer.byteLength(key) > MAX_TEXT_BYTES) return embed(signal);
    const known = this.#vectors.get(key);
    if (known) {
      this.#put(key, known);
      return known;
    }
    const call = this.#running.get(key) ?? this.#begin(key, embed);
    call.waiting++;
    try {
      return await unlessAborted(call.vector, signal);
    } finally {
      call.waiting--;
      if (call.waiting === 0) this.#end(key, call);
    }
  }

  #begin(key: string, embed: (signal: AbortSignal) => Promise<Float32Array>): SharedCall {
    const end = new AbortController();
    const vector = embed(end.signal);
    const call = { vector, waiting: 0, end };
    this.#running.set(key, call);
    vector.then(
      (found) => {
        this.#put(key, found);
        this.#end(key, call);
      },
      () => this.#end(key, call),
    );
    return call;
  }

  #end(key: string, call: SharedCall): void {
    if (this.#running.get(key) === call) this.#running.delete(key);
    call.end.abort();
  }

  #put(key: string, vector: Float32Array): void {
    this.#vectors.delete(key);
    this.#vectors.set(key, vector);
    const [oldest] = this.#vectors.keys();
    if (this.#vectors.size > this.entries && oldest !== undefined) this.#vectors.delete(oldest);
  }
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const aborted = () => reject(signal.reason);
    if (signal.aborted) aborted();
    signal.addEventListener('abort', aborted, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', aborted));
  });
}
