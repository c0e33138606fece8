import type { Ledger, LedgerWrite } from '../storage/ledger/ledger.js';

const PREFIX = 'embedding/';
const SIZE_KEY = 'embeddings-size';
/** Bytes of embeddings in the cache. */
const MAX_BYTES = 2 ** 30;
/**
 * Factor by which the cache may exceed {@link MAX_BYTES} while a batch embeds texts: until the batch ends, its embeddings are
 * nowhere else.
 */
const HELD_FACTOR = 16;
/** Share of the limit that is left after dropping entries. */
const LEFT_SHARE = 0.9;
/** Entries dropped in one write to the ledger. */
const DROPPED_AT_ONCE = 1000;

/**
 * A cache of embeddings of document texts, by index and by hash of model and text, so that nothing is embedded twice: not when a
 * batch is retried after a crash, and not when documents or settings return to an earlier state. The vectors of documents
 * themselves are in segments. Each index has its own entries, so that the `embedderRequests` of a task do not depend on other
 * indexes.
 */
export class EmbeddingCache {
  #holds = 0;

  private constructor(
    private readonly ledger: Ledger,
    private bytes: number,
    private readonly limit: number,
  ) {}

  static async load(ledger: Ledger, limit = MAX_BYTES): Promise<EmbeddingCache> {
    const size = await ledger.get(SIZE_KEY);
    return new EmbeddingCache(ledger, size ? Number(size.toString()) : 0, limit);
  }

  /**
   * Postpones dropping entries as far as possible until the returned function is called, because the batch has not yet stored
   * them in segments.
   */
  hold(): () => void {
    this.#holds++;
    let held = true;
    return () => {
      if (held) this.#holds--;
      held = false;
    };
  }

  /** null when the embedding is not cached or has other dimensions. */
  async get(uid: string, hash: string, dimensions: number): Promise<Float32Array | null> {
    const value = await this.ledger.get(`${PREFIX + uid}/${hash}`);
    if (!value || value.length !== dimensions * Float32Array.BYTES_PER_ELEMENT) return null;
    return new Float32Array(Uint8Array.from(value).buffer);
  }

  /** Not synced: embeddings that a power failure loses are computed again. */
  async put(uid: string, vectors: readonly { hash: string; vector: Float32Array }[]): Promise<void> {
    const puts = vectors.map(({ hash, vector }): LedgerWrite => {
      const value = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
      return { type: 'put', key: `${PREFIX + uid}/${hash}`, value: Buffer.from(value) };
    });
    this.bytes += puts.reduce((sum, { value }) => sum + (value as Buffer).length, 0);
    if (this.bytes > this.limit * (this.#holds > 0 ? HELD_FACTOR : 1)) await this.#drop();
    await this.ledger.write([...puts, this.#size()], false);
  }

  #size(): LedgerWrite {
    return { type: 'put', key: SIZE_KEY, value: Buffer.from(String(this.bytes)) };
  }

  /** Hashes are random, so dropping the first entries of an index drops arbitrary ones. */
  async #drop(): Promise<void> {
    let dropped: LedgerWrite[] = [];
    for await (const [key, value] of this.ledger.iterate(PREFIX)) {
      if (this.bytes <= this.limit * LEFT_SHARE) break;
      this.bytes -= value.length;
      dropped.push({ type: 'del', key });
      if (dropped.length < DROPPED_AT_ONCE) continue;
      await this.ledger.write(dropped, false);
      dropped = [];
    }
    await this.ledger.write(dropped, false);
  }
}
