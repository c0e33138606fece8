import type { LedgerWrite } from '../index/types.js';
import type { Ledger } from '../storage/ledger.js';

const PREFIX = 'embedding/';
const SIZE_KEY = 'embeddings-size';
/** Bytes of embeddings that are kept. */
const MAX_BYTES = 2 ** 30;
/** So many times as many are kept while work that paid for them has not ended. */
const HELD = 16;
/** What is left when some are dropped. */
const LEFT_SHARE = 0.9;
/** Entries dropped in one write. */
const DROPPED_AT_ONCE = 1000;

/**
 * Embeddings of texts of documents by index and hash (model and text), so that nothing is embedded twice: not when a batch is tried again
 * after a crash, not when documents or settings come back to what they were. They are a cache: the vectors of documents are in segments.
 * Each index has its own, for what one costs is counted (`embedderRequests`) whatever the others have.
 */
export class KeptEmbeddings {
  #holds = 0;

  private constructor(
    private readonly ledger: Ledger,
    private bytes: number,
    private readonly limit: number,
  ) {}

  static async load(ledger: Ledger, limit = MAX_BYTES): Promise<KeptEmbeddings> {
    const size = await ledger.get(SIZE_KEY);
    return new KeptEmbeddings(ledger, size ? Number(size.toString()) : 0, limit);
  }

  /** Drops nothing as far as possible until the returned function is called: what is kept is not yet in segments. */
  hold(): () => void {
    this.#holds++;
    let held = true;
    return () => {
      if (held) this.#holds--;
      held = false;
    };
  }

  /** null: it is not kept, or has another length. */
  async get(uid: string, hash: string, dimensions: number): Promise<Float32Array | null> {
    const value = await this.ledger.get(`${PREFIX + uid}/${hash}`);
    if (!value || value.length !== dimensions * Float32Array.BYTES_PER_ELEMENT) return null;
    return new Float32Array(Uint8Array.from(value).buffer);
  }

  /** Not synced: what a failing machine loses is embedded again. */
  async put(uid: string, vectors: readonly { hash: string; vector: Float32Array }[]): Promise<void> {
    const puts = vectors.map(({ hash, vector }): LedgerWrite => {
      const value = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
      return { type: 'put', key: `${PREFIX + uid}/${hash}`, value: Buffer.from(value) };
    });
    this.bytes += puts.reduce((sum, { value }) => sum + (value as Buffer).length, 0);
    if (this.bytes > this.limit * (this.#holds > 0 ? HELD : 1)) await this.#drop();
    await this.ledger.write([...puts, this.#size()], false);
  }

  #size(): LedgerWrite {
    return { type: 'put', key: SIZE_KEY, value: Buffer.from(String(this.bytes)) };
  }

  /** Hashes are random, so the first of an index are as good as any. */
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
