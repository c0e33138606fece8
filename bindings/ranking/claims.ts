import type { NodeSpace } from './node.js';

/**
 * Documents are claimed: a variant of an interpretation takes those of its documents that no variant before it took. The rest
 * shrinks from call to call.
 */
export class Claims {
  readonly #bytes: number;
  readonly #rest: number;
  #left: number;

  constructor(
    readonly space: NodeSpace,
    bitmap: number,
    count: number,
  ) {
    const { engine, reader } = space.sources;
    this.#bytes = reader.bitmapBytes;
    this.#rest = reader.newBitmap();
    this.#left = count;
    engine.bitmapCopy(this.#rest, bitmap, this.#bytes);
  }

  get isExhausted(): boolean {
    return this.#left === 0;
  }

  /** Takes documents out for good. */
  remove(bitmap: number): void {
    const { engine } = this.space.sources;
    engine.bitmapAndNot(this.#rest, bitmap, this.#bytes);
    this.#left = engine.bitmapCount(this.#rest, this.#bytes);
  }

  /** What is left of a set of documents (0: of all); 0 when nothing is. The result is a new bitmap. */
  narrow(within: number, documents: number): number {
    if (documents === 0) return 0;
    const { engine, reader } = this.space.sources;
    const narrowed = reader.newBitmap();
    engine.bitmapCopy(narrowed, within === 0 ? this.#rest : within, this.#bytes);
    engine.bitmapAnd(narrowed, documents, this.#bytes);
    return engine.bitmapIsEmpty(narrowed, this.#bytes) ? 0 : narrowed;
  }

  /** Claims the documents of `claimed` (0: all that are left) that are still there, and adds them to `bucket`; answers whether there was one. */
  take(claimed: number, bucket: number): boolean {
    const { engine, reader } = this.space.sources;
    let taken = claimed;
    if (claimed === 0) {
      taken = reader.newBitmap();
      engine.bitmapCopy(taken, this.#rest, this.#bytes);
    } else {
      engine.bitmapAnd(taken, this.#rest, this.#bytes);
    }
    const count = engine.bitmapCount(taken, this.#bytes);
    if (count === 0) return false;
    engine.bitmapOr(bucket, taken, this.#bytes);
    engine.bitmapAndNot(this.#rest, taken, this.#bytes);
    this.#left -= count;
    return true;
  }
}
