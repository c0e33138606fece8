/** Numbers in a row that grows; `undefined` is never in it. Bytes: those of its buffer. */
export class Column<T extends Uint32Array | Int32Array | Uint8Array> {
  length = 0;
  #values: T;

  constructor(private readonly make: (length: number) => T) {
    this.#values = make(1024);
  }

  get(index: number): number {
    return this.#values[index] as number;
  }

  set(index: number, value: number): void {
    this.#values[index] = value;
  }

  push(value: number): void {
    this.reserve(1);
    this.#values[this.length++] = value;
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.#values.set(bytes, this.length);
    this.length += bytes.length;
  }

  slice(from: number, to: number): T {
    return this.#values.subarray(from, to) as T;
  }

  get bytes(): number {
    return this.#values.byteLength;
  }

  reserve(more: number): void {
    if (this.length + more <= this.#values.length) return;
    const values = this.make(Math.max(this.length + more, this.#values.length * 2));
    values.set(this.#values);
    this.#values = values;
  }
}

export const u32Column = () => new Column((length) => new Uint32Array(length));
export const i32Column = () => new Column((length) => new Int32Array(length));
export const byteColumn = () => new Column((length) => new Uint8Array(length));
