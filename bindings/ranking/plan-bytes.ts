import type { Structure } from '../engine/exports.js';

const encoder = new TextEncoder();
/** Structures contain numbers of at most eight bytes. */
const ALIGNMENT = 8;

/** Builds structures of the engine outside its memory; addresses are offsets from the first byte. */
export class PlanBytes {
  #bytes = new Uint8Array(1024);
  #length = 0;

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Reserves bytes. @returns their offset */
  reserve(bytes: number): number {
    const at = this.#length;
    this.#length = Math.ceil((at + bytes) / ALIGNMENT) * ALIGNMENT;
    if (this.#length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(this.#length, this.#bytes.length * 2));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    return at;
  }

  put(bytes: Uint8Array): number {
    const at = this.reserve(bytes.length);
    this.#bytes.set(bytes, at);
    return at;
  }

  text(text: string): { text: number; length: number } {
    const bytes = encoder.encode(text);
    return { text: this.put(bytes), length: bytes.length };
  }

  structures<Fields>(structure: Structure<Fields>, values: readonly Readonly<Fields>[]): number {
    const first = this.reserve(values.length * structure.bytes);
    for (const [place, value] of values.entries()) this.write(structure, first + place * structure.bytes, value);
    return first;
  }

  write<Fields>(structure: Structure<Fields>, at: number, value: Readonly<Fields>): void {
    structure.write(new DataView(this.#bytes.buffer), at, value);
  }
}
