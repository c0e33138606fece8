/** Longest text whose embedding is cached, in bytes. */
const MAX_TEXT_BYTES = 2000;

/** Query embeddings, evicted least recently used first. Concurrent requests for the same query share one call. */
export class QueryCache {
  readonly #kept = new Map<string, Float32Array>();
  readonly #running = new Map<string, Promise<Float32Array>>();

  constructor(private readonly entries: number) {}

  async get(key: string, embed: () => Promise<Float32Array>): Promise<Float32Array> {
    if (this.entries === 0 || Buffer.byteLength(key) > MAX_TEXT_BYTES) return embed();
    const known = this.#kept.get(key);
    if (known) {
      this.#kept.delete(key);
      this.#kept.set(key, known);
      return known;
    }
    let running = this.#running.get(key);
    if (!running) {
      running = embed().finally(() => this.#running.delete(key));
      this.#running.set(key, running);
    }
    const vector = await running;
    this.#kept.set(key, vector);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > this.entries && oldest !== undefined) this.#kept.delete(oldest);
    return vector;
  }
}
