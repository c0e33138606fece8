import { byteColumn, type SharedColumn, u32Column } from './columns.js';

/** A {@link KeyList} in a form that other threads can read. */
export interface SharedKeyList {
  bytes: SharedColumn;
  ends: SharedColumn;
}

/** Document keys, concatenated. */
export class KeyList {
  readonly #bytes;
  readonly #ends;

  constructor(shared?: SharedKeyList) {
    this.#bytes = byteColumn(shared?.bytes);
    this.#ends = u32Column(shared?.ends);
  }

  get count(): number {
    return this.#ends.length;
  }

  /** Allocates memory for this many further keys. */
  reserve(keys: number): void {
    this.#ends.reserve(keys);
  }

  push(key: Uint8Array): void {
    this.#bytes.append(key);
    this.#ends.push(this.#bytes.length);
  }

  /** Adds keys that stand one after the other. @param ends where each ends in `keys` */
  append(keys: Uint8Array, ends: Uint32Array): void {
    const start = this.#bytes.length;
    this.#bytes.append(keys);
    this.#ends.reserve(ends.length);
    for (const end of ends) this.#ends.push(start + end);
  }

  /** Keys from one on, before another, one after the other, and where each ends; valid until keys are added. */
  run(from: number, to: number): { keys: Uint8Array; ends: Uint32Array } {
    const start = from === 0 ? 0 : this.#ends.get(from - 1);
    const ends = this.#ends.slice(from, to).slice();
    for (let at = 0; at < ends.length; at++) ends[at] = (ends[at] as number) - start;
    return { keys: this.#bytes.slice(start, this.#ends.get(to - 1)), ends };
  }

  /** The bytes of a key, valid until the next `push`. */
  get(index: number): Uint8Array {
    return this.#bytes.slice(index === 0 ? 0 : this.#ends.get(index - 1), this.#ends.get(index));
  }

  share(): SharedKeyList {
    return { bytes: this.#bytes.share(), ends: this.#ends.share() };
  }

  /** Bytes of memory. */
  get bytes(): number {
    return this.#bytes.bytes + this.#ends.bytes;
  }
}

const FIRST_SLOTS = 4096;
const EMPTY = 0;
const FNV_PRIME = 0x01000193;

/**
 * Numbers keys in the order in which they are added: an open-addressing hash table over typed arrays. A `Map` of strings would
 * take about ten times the memory, and holds at most 2^24 entries.
 */
export class KeyTable {
  /** The keys by number. */
  readonly keys = new KeyList();
  /** Number of a key plus one, or {@link EMPTY}. A power of two of slots, at most half of them in use. */
  #slots = new Uint32Array(FIRST_SLOTS);
  /** Random per process, so that nobody can choose keys that collide. Key numbers do not depend on it. */
  readonly #seed = (Math.random() * 0x100000000) >>> 0;

  get count(): number {
    return this.keys.count;
  }

  /** The number of a key, or -1. */
  find(key: Uint8Array): number {
    return (this.#slots[this.#place(key)] as number) - 1;
  }

  /** The number of a key, added if it is new: its number is then the previous count. */
  add(key: Uint8Array): number {
    const place = this.#place(key);
    const known = this.#slots[place] as number;
    if (known !== EMPTY) return known - 1;
    this.keys.push(key);
    this.#slots[place] = this.count;
    if (this.count * 2 > this.#slots.length) this.#grow(this.count);
    return this.count - 1;
  }

  /** Allocates memory for this many further keys. */
  reserve(keys: number): void {
    this.keys.reserve(keys);
    if ((this.count + keys) * 2 > this.#slots.length) this.#grow(this.count + keys);
  }

  /** Bytes of memory, without the keys. */
  get slotBytes(): number {
    return this.#slots.byteLength;
  }

  /** The slot of a key, or the free slot where it would be added. */
  #place(key: Uint8Array): number {
    const mask = this.#slots.length - 1;
    for (let place = this.#hash(key) & mask; ; place = (place + 1) & mask) {
      const found = this.#slots[place] as number;
      if (found === EMPTY || isSame(this.keys.get(found - 1), key)) return place;
    }
  }

  #hash(key: Uint8Array): number {
    let hash = this.#seed;
    for (let at = 0; at < key.length; at++) {
      hash = Math.imul(hash ^ (key[at] as number), FNV_PRIME);
      hash ^= hash >>> 15;
    }
    return hash >>> 0;
  }

  #grow(keys: number): void {
    let length = this.#slots.length;
    while (length < keys * 2) length *= 2;
    const slots = new Uint32Array(length);
    const mask = slots.length - 1;
    for (let number = 0; number < this.count; number++) {
      let place = this.#hash(this.keys.get(number)) & mask;
      while (slots[place] !== EMPTY) place = (place + 1) & mask;
      slots[place] = number + 1;
    }
    this.#slots = slots;
  }
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}
