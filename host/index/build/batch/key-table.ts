import { byteColumn, type SharedColumn, u32Column } from '../../../runtime/number-columns.js';

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

  /** Adds the key at [from, to) of a text. */
  push(text: Uint8Array, from = 0, to = text.length): void {
    const start = this.#bytes.length;
    this.#bytes.reserve(to - from);
    const { values } = this.#bytes;
    // Keys are short: a copy byte by byte takes less than a call.
    for (let at = from; at < to; at++) values[start + at - from] = text[at] as number;
    this.#bytes.length = start + to - from;
    this.#ends.push(this.#bytes.length);
  }

  /** Adds keys that stand one after the other. @param ends where each ends in `keys` */
  append(keys: Uint8Array, ends: Uint32Array): void {
    const start = this.#bytes.length;
    this.#bytes.append(keys);
    const first = this.#ends.length;
    this.#ends.fill(start, ends.length);
    const { values } = this.#ends;
    for (let at = 0; at < ends.length; at++) values[first + at] = start + (ends[at] as number);
  }

  /** Drops the keys from one on. */
  truncate(count: number): void {
    this.#bytes.length = this.start(count);
    this.#ends.length = count;
  }

  /** The bytes of the keys [from, to), concatenated, and where each ends; valid until keys are added. */
  run(from: number, to: number): { keys: Uint8Array; ends: Uint32Array } {
    const start = from === 0 ? 0 : this.#ends.get(from - 1);
    const ends = this.#ends.slice(from, to).slice();
    for (let at = 0; at < ends.length; at++) ends[at] = (ends[at] as number) - start;
    return { keys: this.#bytes.slice(start, this.#ends.get(to - 1)), ends };
  }

  /** The bytes of a key, valid until the next `push`. */
  get(index: number): Uint8Array {
    return this.#bytes.slice(this.start(index), this.end(index));
  }

  /** All keys, one after the other, with room for more; valid until the next `push`. */
  get text(): Uint8Array {
    return this.#bytes.values;
  }

  /** Where a key starts in {@link text}. */
  start(index: number): number {
    return index === 0 ? 0 : this.#ends.get(index - 1);
  }

  end(index: number): number {
    return this.#ends.get(index);
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
/** Keys that are added at once. */
const BLOCK = 1024;

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
  /** The slot that was looked at last. */
  #last = 0;

  get count(): number {
    return this.keys.count;
  }

  /** The number of the key at [from, to) of a text, or -1. */
  find(text: Uint8Array, from = 0, to = text.length): number {
    this.#last = this.#place(text, from, to);
    return (this.#slots[this.#last] as number) - 1;
  }

  /** Adds the key that the last {@link find} did not find. Returns its number, which is the previous count. */
  addMissing(text: Uint8Array, from = 0, to = text.length): number {
    this.keys.push(text, from, to);
    this.#slots[this.#last] = this.count;
    if (this.count * 2 > this.#slots.length) this.#grow(this.count);
    return this.count - 1;
  }

  /**
   * Adds the keys of a list from one on, as far as they are new and belong to one block: a call for each key would take half as
   * long again.
   * @returns how many
   */
  addNew(list: KeyList, from: number): number {
    const first = this.count;
    const { keys, ends } = list.run(from, Math.min(list.count, from + BLOCK));
    this.reserve(ends.length);
    this.keys.append(keys, ends);
    const { text } = this.keys;
    for (let [number, start] = [first, this.keys.start(first)]; number < this.count; number++) {
      const end = this.keys.end(number);
      const place = this.#place(text, start, end);
      if (this.#slots[place] !== EMPTY) this.keys.truncate(number);
      else this.#slots[place] = number + 1;
      start = end;
    }
    return this.count - first;
  }

  /** The number of a key, added if it is new. */
  add(key: Uint8Array): number {
    const known = this.find(key);
    return known < 0 ? this.addMissing(key) : known;
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
  #place(text: Uint8Array, from: number, to: number): number {
    const mask = this.#slots.length - 1;
    const known = this.keys.text;
    for (let place = this.#hash(text, from, to) & mask; ; place = (place + 1) & mask) {
      const found = this.#slots[place] as number;
      if (found === EMPTY) return place;
      const start = this.keys.start(found - 1);
      if (this.keys.end(found - 1) - start === to - from && isSame(known, start, text, from, to)) return place;
    }
  }

  #hash(text: Uint8Array, from: number, to: number): number {
    let hash = this.#seed;
    for (let at = from; at < to; at++) {
      hash = Math.imul(hash ^ (text[at] as number), FNV_PRIME);
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
      let place = this.#hash(this.keys.text, this.keys.start(number), this.keys.end(number)) & mask;
      while (slots[place] !== EMPTY) place = (place + 1) & mask;
      slots[place] = number + 1;
    }
    this.#slots = slots;
  }
}

/** Whether the bytes of `a` from `start` on are those of `b` at [from, to). */
function isSame(a: Uint8Array, start: number, b: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (a[start + at - from] !== b[at]) return false;
  return true;
}
