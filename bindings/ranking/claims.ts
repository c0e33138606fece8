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
    this.#rest = engine.alloc(this.#bytes);
    this.#left = count;
    engine.bitmapCopy(this.#rest, bitmap, this.#bytes);
  }

  get isExhausted(): boolean {
    return this.#left === 0;
  }

  /** Takes documents out for good; 0: none. */
  remove(bitmap: number): void {
    if (bitmap === 0) return;
    const { engine } = this.space.sources;
    engine.bitmapAndNot(this.#rest, bitmap, this.#bytes);
    this.#left = engine.bitmapCount(this.#rest, this.#bytes);
  }

  /** What is left of a set of documents (0: of all); 0 when nothing is. The result is a new bitmap. */
  narrow(within: number, documents: number): number {
    if (documents === 0) return 0;
    const { engine } = this.space.sources;
    const narrowed = engine.alloc(this.#bytes);
    return engine.bitmapIntersect(narrowed, within || this.#rest, documents, this.#bytes) ? narrowed : 0;
  }

  /** Claims the documents of `claimed` (0: all that are left) that are still there, and adds them to `bucket`; answers whether there was one. */
  take(claimed: number, bucket: number): boolean {
    const { engine } = this.space.sources;
    let wanted = claimed;
    if (wanted === 0) {
      wanted = engine.alloc(this.#bytes);
      engine.bitmapCopy(wanted, this.#rest, this.#bytes);
    }
    const count = engine.bitmapMove(this.#rest, wanted, bucket, this.#bytes);
    this.#left -= count;
    return count > 0;
  }
}
