/** Bytes of an answer as they are written: UTF-8 in scratch, growing by doubling. */
import { quantityText, SHOWN_ROOM } from '../json/decimal-text';
import { BACKSLASH, POINT, QUOTE, ZERO } from '../json/signs';
import { alloc } from '../runtime/arena';

const SMALL_U: u32 = 0x75;
/** Longest escape of a byte: `\u0000`. */
const MAX_ESCAPE_BYTES: usize = 6;
/** Bytes that are examined per step. */
const LANE: usize = 16;
/** Decimal digits of a u32. */
const MAX_U32_DIGITS: usize = 10;
/** Of allocations, in bytes. */
const ALIGNMENT: usize = 16;
/** Up to this length a few loads and stores are faster than a block copy. */
const SHORT_COPY: usize = 16;

@unmanaged
export class Output {
  data: usize;
  /** Bytes written; may be decreased to drop the end. */
  length: usize;
  capacity: usize;

  /** Makes room for `bytes` more and returns their address; the caller advances {@link length}. */
  @inline
  room(bytes: usize): usize {
    if (this.length + bytes > this.capacity) this.grow(bytes);
    return this.data + this.length;
  }

  grow(bytes: usize): void {
    const capacity = max<usize>(this.length + bytes, this.capacity << 1);
    const larger = alloc(capacity + ALIGNMENT) + (this.data & (ALIGNMENT - 1));
    memory.copy(larger, this.data, this.length);
    this.data = larger;
    this.capacity = capacity;
  }

  @inline
  byte(value: u32): void {
    store<u8>(this.room(1), value);
    this.length++;
  }

  copy(from: usize, bytes: usize): void {
    const to = this.room(bytes);
    if (bytes > SHORT_COPY) memory.copy(to, from, bytes);
    else copyShort(to, from, bytes);
    this.length += bytes;
  }

  /** Writes an ASCII constant. */
  ascii(text: string): void {
    const count = <usize>text.length;
    const to = this.room(count);
    for (let i: usize = 0; i < count; i++) store<u8>(to + i, load<u16>(changetype<usize>(text) + (i << 1)));
    this.length += count;
  }

  /** A number in decimal digits. */
  number(value: u32): void {
    let to = this.room(MAX_U32_DIGITS);
    let size: u32 = 1;
    for (let rest = value; rest >= 10; rest /= 10) size++;
    this.length += size;
    let rest = value;
    for (to += size; size > 0; size--) {
      store<u8>(--to, 0x30 + (rest % 10));
      rest /= 10;
    }
  }

  /** A quantity: whole ones keep a `.0`, see {@link quantityText}. */
  quantity(value: f64): void {
    this.length += quantityText(value, this.room(SHOWN_ROOM));
  }

  /** A number of JSON in its shortest form. */
  shortest(value: f64): void {
    const to = this.room(SHOWN_ROOM);
    const size = <usize>quantityText(value, to);
    const isWhole = size > 2 && load<u8>(to + size - 2) === POINT && load<u8>(to + size - 1) === ZERO;
    this.length += isWhole ? size - 2 : size;
  }

  /** A text as the inside of a JSON string. */
  escaped(from: usize, bytes: usize): void {
    let to = this.room(bytes * MAX_ESCAPE_BYTES);
    const end = from + bytes;
    let at = from;
    while (at < end) {
      if (at + LANE <= end) {
        const lane = v128.load(at);
        v128.store(to, lane);
        const special = escapedIn(lane);
        const plain: usize = special === 0 ? LANE : <usize>ctz(special);
        at += plain;
        to += plain;
        if (special === 0) continue;
      }
      to = writeEscaped(load<u8>(at++), to);
    }
    this.length = to - this.data;
  }
}

/** The bytes of a vector that must be escaped: bit i stands for byte i. */
function escapedIn(lane: v128): i32 {
  const signs = v128.or(i8x16.eq(lane, i8x16.splat(<i8>QUOTE)), i8x16.eq(lane, i8x16.splat(<i8>BACKSLASH)));
  return i8x16.bitmask(v128.or(signs, i8x16.lt_u(lane, i8x16.splat(0x20))));
}

/** Writes a byte of a text and returns the end. */
function writeEscaped(unit: u32, to: usize): usize {
  if (unit >= 0x20 && unit !== QUOTE && unit !== BACKSLASH) {
    store<u8>(to, unit);
    return to + 1;
  }
  const letter = escapeLetter(unit);
  store<u8>(to, BACKSLASH);
  store<u8>(to, letter, 1);
  if (letter !== SMALL_U) return to + 2;
  store<u8>(to, 0x30, 2);
  store<u8>(to, 0x30, 3);
  store<u8>(to, 0x30 + (unit >>> 4), 4);
  store<u8>(to, hexLetter(unit & 15), 5);
  return to + 6;
}

/** @param begin the data begin at an address that leaves the same remainder as this number when divided by {@link ALIGNMENT} */
export function outputCreate(capacity: usize, begin: usize = 0): Output {
  const output = changetype<Output>(alloc(offsetof<Output>()));
  output.data = alloc(capacity + ALIGNMENT) + (begin & (ALIGNMENT - 1));
  output.length = 0;
  output.capacity = capacity;
  return output;
}

/** Two loads that may overlap cover all lengths of a class. */
function copyShort(to: usize, from: usize, bytes: usize): void {
  if (bytes >= 8) {
    const last = load<u64>(from + bytes - 8);
    store<u64>(to, load<u64>(from));
    store<u64>(to + bytes - 8, last);
  } else if (bytes >= 4) {
    const last = load<u32>(from + bytes - 4);
    store<u32>(to, load<u32>(from));
    store<u32>(to + bytes - 4, last);
  } else {
    for (let i: usize = 0; i < bytes; i++) store<u8>(to + i, load<u8>(from + i));
  }
}

/** What follows the backslash of an escape. */
function escapeLetter(unit: u32): u32 {
  switch (unit) {
    case QUOTE:
    case BACKSLASH:
      return unit;
    case 0x08:
      return 0x62;
    case 0x09:
      return 0x74;
    case 0x0a:
      return 0x6e;
    case 0x0c:
      return 0x66;
    case 0x0d:
      return 0x72;
    default:
      return SMALL_U;
  }
}

function hexLetter(digit: u32): u32 {
  return digit < 10 ? 0x30 + digit : 0x61 + digit - 10;
}
