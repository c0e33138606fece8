/** Bytes of documents that are kept, and how many documents at most. */
const CAPACITY = 16 << 20;
const PLACES = 1 << 15;
/** Longer documents are not kept. */
const LONGEST = CAPACITY >> 6;

/**
 * Documents that were read of late, in one piece of memory that is written round and round, so that keeping them makes no garbage.
 * Each has one place in a table, and takes it from whatever was there.
 */
export class DocumentCache {
  readonly #bytes = new Uint8Array(CAPACITY);
  readonly #segments = new Float64Array(PLACES).fill(-1);
  readonly #locals = new Uint32Array(PLACES);
  readonly #lengths = new Uint32Array(PLACES);
  /** Bytes that had been written before the document. */
  readonly #starts = new Float64Array(PLACES);
  /** Bytes written so far. */
  #written = 0;

  /** A document of a segment, valid until the next one is kept. */
  find(segment: number, local: number): Uint8Array | null {
    const place = placeOf(segment, local);
    if (this.#segments[place] !== segment || this.#locals[place] !== local) return null;
    const start = this.#starts[place] as number;
    if (start < this.#written - CAPACITY) return null;
    const from = start % CAPACITY;
    return this.#bytes.subarray(from, from + (this.#lengths[place] as number));
  }

  keep(segment: number, local: number, json: Uint8Array): void {
    const { length } = json;
    if (length > LONGEST) return;
    const left = CAPACITY - (this.#written % CAPACITY);
    if (length > left) this.#written += left;
    const place = placeOf(segment, local);
    this.#segments[place] = segment;
    this.#locals[place] = local;
    this.#lengths[place] = length;
    this.#starts[place] = this.#written;
    this.#bytes.set(json, this.#written % CAPACITY);
    this.#written += length;
  }
}

function placeOf(segment: number, local: number): number {
  return (Math.imul(segment, 0x9e3779b1) + local) & (PLACES - 1);
}
