/** The constructor of a typed array. */
interface Numbers<T> {
  new (length: number): T;
  new (buffer: ArrayBufferLike, byteOffset?: number, length?: number): T;
  readonly BYTES_PER_ELEMENT: number;
}

/** The numbers of a {@link Column}, shared with other threads. */
export interface SharedColumn {
  buffer: SharedArrayBuffer;
  length: number;
}

/** A growing array of numbers, without `undefined`. `bytes` is the size of its buffer. */
export class Column<T extends Uint32Array | Int32Array | Uint8Array> {
  length = 0;
  #values: T;

  constructor(private readonly numbers: Numbers<T>) {
    this.#values = new numbers(1024);
  }

  /** A column shared by another thread; nothing may be added to it. */
  static over<T extends Uint32Array | Int32Array | Uint8Array>(numbers: Numbers<T>, { buffer, length }: SharedColumn): Column<T> {
    const column = new Column(numbers);
    column.#values = new numbers(buffer, 0, length);
    column.length = length;
    return column;
  }

  get(index: number): number {
    return this.#values[index] as number;
  }

  /** The numbers, and room for more; valid until numbers are added. */
  get values(): T {
    return this.#values;
  }

  set(index: number, value: number): void {
    this.#values[index] = value;
  }

  push(value: number): void {
    this.reserve(1);
    this.#values[this.length++] = value;
  }

  /** Adds a number several times. */
  fill(value: number, times: number): void {
    this.reserve(times);
    this.#values.fill(value, this.length, this.length + times);
    this.length += times;
  }

  /** Adds consecutive numbers. */
  count(first: number, times: number): void {
    this.reserve(times);
    const values = this.#values;
    const start = this.length;
    for (let i = 0; i < times; i++) values[start + i] = first + i;
    this.length += times;
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.#values.set(bytes, this.length);
    this.length += bytes.length;
  }

  slice(from: number, to: number): T {
    return this.#values.subarray(from, to) as T;
  }

  /** Moves the numbers to shared memory, so that there is only one copy. */
  share(): SharedColumn {
    const buffer = new SharedArrayBuffer(this.length * this.numbers.BYTES_PER_ELEMENT);
    const values = new this.numbers(buffer);
    values.set(this.#values.subarray(0, this.length));
    this.#values = values;
    return { buffer, length: this.length };
  }

  get bytes(): number {
    return this.#values.byteLength;
  }

  reserve(more: number): void {
    if (this.length + more <= this.#values.length) return;
    const values = new this.numbers(Math.max(this.length + more, this.#values.length * 2));
    values.set(this.#values);
    this.#values = values;
  }
}

export const u32Column = (shared?: SharedColumn) => (shared ? Column.over(Uint32Array, shared) : new Column(Uint32Array));
export const i32Column = (shared?: SharedColumn) => (shared ? Column.over(Int32Array, shared) : new Column(Int32Array));
export const byteColumn = (shared?: SharedColumn) => (shared ? Column.over(Uint8Array, shared) : new Column(Uint8Array));
