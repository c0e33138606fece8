import { u32Column } from './columns.js';

/** Documents that a batch builds, by their internal ids. */
export class FreshDocuments {
  readonly #ids = u32Column();
  readonly #places = u32Column();
  #ascending = true;

  get count(): number {
    return this.#ids.length;
  }

  /** @param place among the documents of the batch */
  push(internalId: number, place: number): void {
    if (this.count > 0 && internalId < this.#ids.get(this.count - 1)) this.#ascending = false;
    this.#ids.push(internalId);
    this.#places.push(place);
  }

  /** Ascending ids, numbered from 0. */
  *inOrder(): Generator<[index: number, [internalId: number, place: number]]> {
    const order = this.#ascending ? null : this.#order();
    for (let index = 0; index < this.count; index++) {
      const at = order ? (order[index] as number) : index;
      yield [index, [this.#ids.get(at), this.#places.get(at)]];
    }
  }

  /** Of memory. */
  get bytes(): number {
    return this.#ids.bytes + this.#places.bytes;
  }

  #order(): Uint32Array {
    const order = Uint32Array.from({ length: this.count }, (_, index) => index);
    return order.sort((a, b) => this.#ids.get(a) - this.#ids.get(b));
  }
}
