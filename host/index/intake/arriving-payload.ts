import { bytesOf, type Ids, payloadHeader, payloadIds } from '../payloads/payload-format.js';
import type { ScannedPiece } from '../payloads/spooled-payload.js';
import type { IndexJobs } from '../threads/jobs.js';

/** Bytes of a text that are scanned at once; more when a document is longer. */
const PIECE_BYTES = 1 << 20;

/**
 * Scans a JSON body while it is still being written to its file: index threads read what is there piece by piece, each in about a
 * millisecond, so that a slow sender keeps no thread busy.
 */
export class ArrivingPayload {
  readonly #pieces: ScannedPiece[] = [];
  #written = 0;
  #state: 'arriving' | 'complete' | 'abandoned' = 'arriving';
  #arrived: () => void = () => {};
  readonly #scanned: Promise<void>;

  /** @param primaryKey under which the ids of documents are read too; null: not known yet */
  constructor(
    private readonly jobs: Pick<IndexJobs, 'scanPiece'>,
    private readonly file: string,
    private readonly format: 'json' | 'ndjson',
    private readonly primaryKey: string | null,
  ) {
    this.#scanned = this.#scan();
    // A fault is reported at the end of the body.
    this.#scanned.catch(() => {});
  }

  /** @param written bytes of the body that are in the file */
  reached(written: number): void {
    this.#written = written;
    this.#arrived();
  }

  /** The body is complete. @throws {ApiError} malformed_payload */
  async end(): Promise<{ count: number; header: Uint8Array; rest: Uint8Array[] }> {
    this.#state = 'complete';
    this.#arrived();
    await this.#scanned;
    const tables = this.#pieces.map(({ places }) => bytesOf(places));
    const count = this.#pieces.reduce((sum, { places }) => sum + places.length / 2, 0);
    const ids = this.#ids();
    return { count, header: payloadHeader(count, this.#written, ids !== null), rest: [...tables, ...(ids ?? [])] };
  }

  /** No more will come. Resolves when nothing reads the file any more. */
  async abandon(): Promise<void> {
    this.#state = 'abandoned';
    this.#arrived();
    await this.#scanned.catch(() => {});
  }

  async #scan(): Promise<void> {
    const { file, format, primaryKey } = this;
    let [from, wanted] = [0, PIECE_BYTES];
    let state: number | undefined;
    for (;;) {
      while (this.#state === 'arriving' && this.#written - from < wanted) {
        await new Promise<void>((resolve) => {
          this.#arrived = resolve;
        });
      }
      if (this.#state === 'abandoned') return;
      const to = Math.min(this.#written, from + wanted);
      const last = this.#state === 'complete' && to === this.#written;
      const piece = await this.jobs.scanPiece({ file, format, from, to, last, state, primaryKey });
      this.#pieces.push(piece);
      if (last) return;
      wanted = piece.read === from ? 2 * wanted : PIECE_BYTES;
      from = piece.read;
      state = piece.state;
    }
  }

  /** The ids of all documents, in the form in which a payload keeps them; null unless all of them are known. */
  #ids(): Uint8Array[] | null {
    const found = this.#pieces.map(({ ids }) => ids);
    if (this.primaryKey === null || found.includes(null)) return null;
    return payloadIds(this.primaryKey, found as Ids[]);
  }
}
