/**
 * Sorts texts by their bytes, and numbers. Texts: quicksort on the next eight bytes, cached in each entry (multikey quicksort
 * with cached words; Bentley and Sedgewick 1997, in Rantala's variant), so that most comparisons do not access the text.
 */
import { alloc, arenaMark, arenaReset } from '../runtime/arena';

@unmanaged
export class TextEntry {
  /** eight bytes of the text from the depth of the sort on, big-endian, zeros after its end */
  word: u64;
  text: u32;
  length: u32;
  /** number of the caller, moved with the key */
  value: u32;
  /** for the caller, once the texts are sorted */
  group: u32;
}

const RADIX: usize = 256;

const ENTRY: usize = 24;
const WORD: u32 = 8;
/** Shorter runs are sorted by insertion. */
const SHORT_RUN: usize = 12 * ENTRY;

/** Fills an entry; the text must be readable for 8 bytes after its end. */
export function textEntrySet(at: usize, text: usize, length: u32, value: u32): void {
  const entry = changetype<TextEntry>(at);
  entry.text = <u32>text;
  entry.length = length;
  entry.value = value;
}

function wordOf(entry: TextEntry, depth: u32): u64 {
  if (depth >= entry.length) return 0;
  const left = entry.length - depth;
  const word = bswap<u64>(load<u64>(<usize>entry.text + depth));
  return left >= WORD ? word : word & (~(<u64>0) << ((WORD - left) << 3));
}

/** Sorts TextEntry[count] ascending; equal texts come in any order. */
export function sortTexts(entries: usize, count: u32): void {
  setWords(entries, entries + <usize>count * ENTRY, 0);
  sortRange(entries, entries + <usize>count * ENTRY, 0);
}

function setWords(from: usize, to: usize, depth: u32): void {
  for (let at = from; at < to; at += ENTRY) changetype<TextEntry>(at).word = wordOf(changetype<TextEntry>(at), depth);
}

/** Compares two entries that are equal in their first `depth` bytes. */
function compareEntries(a: TextEntry, b: TextEntry, depth: u32): i32 {
  if (a.word !== b.word) return a.word < b.word ? -1 : 1;
  const common = min<u32>(a.length, b.length);
  const from = depth + WORD;
  if (common > from) {
    const order = memory.compare(<usize>a.text + from, <usize>b.text + from, common - from);
    if (order !== 0) return order;
  }
  return a.length < b.length ? -1 : <i32>(a.length > b.length);
}

function swap(a: usize, b: usize): void {
  const low = v128.load(a);
  const rest = load<u64>(a, 16);
  v128.store(a, v128.load(b));
  store<u64>(a, load<u64>(b, 16), 16);
  v128.store(b, low);
  store<u64>(b, rest, 16);
}

function insertionSort(from: usize, to: usize, depth: u32): void {
  for (let next = from + ENTRY; next < to; next += ENTRY) {
    let at = next;
    while (at > from && compareEntries(changetype<TextEntry>(at), changetype<TextEntry>(at - ENTRY), depth) < 0) {
      swap(at, at - ENTRY);
      at -= ENTRY;
    }
  }
}

function middleWord(from: usize, to: usize): u64 {
  const a = changetype<TextEntry>(from).word;
  const b = changetype<TextEntry>(from + ((to - from) / ENTRY / 2) * ENTRY).word;
  const c = changetype<TextEntry>(to - ENTRY).word;
  return max<u64>(min<u64>(a, b), min<u64>(max<u64>(a, b), c));
}

/** Sorts entries that are equal in their first `depth` bytes and have cached the words at that depth. */
function sortRange(start: usize, stop: usize, startDepth: u32): void {
  let from = start;
  let to = stop;
  let depth = startDepth;
  while (to - from > SHORT_RUN) {
    const pivot = middleWord(from, to);
    let low = from;
    let high = to;
    let at = from;
    while (at < high) {
      const word = changetype<TextEntry>(at).word;
      if (word < pivot) {
        swap(at, low);
        low += ENTRY;
        at += ENTRY;
      } else if (word > pivot) {
        high -= ENTRY;
        swap(at, high);
      } else {
        at += ENTRY;
      }
    }
    sortRange(from, low, depth);
    sortRange(high, to, depth);
    // Long common prefixes are handled by a loop instead of recursion.
    from = endedFirst(low, high, depth + WORD);
    to = high;
    depth += WORD;
    setWords(from, to, depth);
  }
  insertionSort(from, to, depth);
}

/** Moves the texts that end at `depth` or before to the front, the shorter first; returns the start of the others. */
function endedFirst(from: usize, to: usize, depth: u32): usize {
  let front = from;
  for (let length = depth - WORD; length <= depth; length++) {
    for (let at = front; at < to; at += ENTRY) {
      if (changetype<TextEntry>(at).length === length) {
        swap(at, front);
        front += ENTRY;
      }
    }
  }
  return front;
}

/** Shorter runs of u32, and runs that are nearly in order, are sorted by insertion. */
const SHORT_CODES: usize = 64 << 2;

/**
 * Sorts u32[length / 4] ascending, in place. What is in order already is only read once; long ranges are sorted by radix, because
 * attributes that alternate in an array of objects would make insertion sort quadratic.
 */
export function sortCodes(from: usize, length: usize): void {
  let at = from + 4;
  const to = from + length;
  while (at < to && load<u32>(at - 4) <= load<u32>(at)) at += 4;
  if (at >= to) return;
  if (length > SHORT_CODES) {
    radixSortCodes(from, length);
    return;
  }
  for (; at < to; at += 4) {
    const code = load<u32>(at);
    let place = at;
    while (place > from && load<u32>(place - 4) > code) {
      store<u32>(place, load<u32>(place - 4));
      place -= 4;
    }
    store<u32>(place, code);
  }
}

function radixSortCodes(codes: usize, length: usize): void {
  const mark = arenaMark();
  const counts = alloc(RADIX << 2);
  const spare = alloc(length);
  let from = codes;
  let to = spare;
  // After four passes the result is where the input was.
  for (let shift: u32 = 0; shift < 32; shift += 8) {
    memory.fill(counts, 0, RADIX << 2);
    for (let at = from; at < from + length; at += 4) {
      const slot = counts + ((<usize>((load<u32>(at) >>> shift) & 255)) << 2);
      store<u32>(slot, load<u32>(slot) + 1);
    }
    startsOfCounts(counts);
    for (let at = from; at < from + length; at += 4) {
      const code = load<u32>(at);
      const slot = counts + ((<usize>((code >>> shift) & 255)) << 2);
      const place = load<u32>(slot);
      store<u32>(slot, place + 1);
      store<u32>(to + ((<usize>place) << 2), code);
    }
    const done = from;
    from = to;
    to = done;
  }
  arenaReset(mark);
}

/** Turns the sizes of the radix bins into their starts. */
function startsOfCounts(counts: usize): void {
  let before: u32 = 0;
  for (let slot = counts; slot < counts + (RADIX << 2); slot += 4) {
    const size = load<u32>(slot);
    store<u32>(slot, before);
    before += size;
  }
}

@unmanaged
export class NumberEntry {
  /** bits of a float in the order of the numbers */
  key: u64;
  value: u32;
  reserved: u32;
}

const NUMBER_ENTRY: usize = 16;
/** u32[256] for each byte of a key. */
export const NUMBER_COUNTS_BYTES: usize = (RADIX << 2) * 8;

/** Bits whose unsigned order is the order of the numbers; -0 counts as 0. */
export function numberKey(value: f64): u64 {
  const bits = reinterpret<u64>(value + 0.0);
  return bits >> 63 ? ~bits : bits | ((<u64>1) << 63);
}

export function keyNumber(key: u64): f64 {
  return reinterpret<f64>(key >> 63 ? key & ~((<u64>1) << 63) : ~key);
}

/**
 * Sorts NumberEntry[count] ascending by key and keeps the order of equal ones (radix sort). `spare` has room for as many, `allCounts`
 * {@link NUMBER_COUNTS_BYTES}. Returns `entries` or `spare`, whichever has the result.
 */
export function sortNumbers(entries: usize, count: u32, spare: usize, allCounts: usize): usize {
  let from = entries;
  let to = spare;
  const bytes = <usize>count * NUMBER_ENTRY;
  memory.fill(allCounts, 0, NUMBER_COUNTS_BYTES);
  for (let at = from; at < from + bytes; at += NUMBER_ENTRY) {
    let key = load<u64>(at);
    for (let counts = allCounts; counts < allCounts + NUMBER_COUNTS_BYTES; counts += RADIX << 2) {
      const slot = counts + ((<usize>key & 255) << 2);
      store<u32>(slot, load<u32>(slot) + 1);
      key >>= 8;
    }
  }
  for (let shift: u64 = 0; shift < 64; shift += 8) {
    const counts = allCounts + (<usize>shift >> 3) * (RADIX << 2);
    if (load<u32>(counts + ((<usize>(load<u64>(from) >> shift) & 255) << 2)) === count) continue;
    startsOfCounts(counts);
    for (let at = from; at < from + bytes; at += NUMBER_ENTRY) {
      const slot = counts + ((<usize>(load<u64>(at) >> shift) & 255) << 2);
      const place = load<u32>(slot);
      store<u32>(slot, place + 1);
      v128.store(to + <usize>place * NUMBER_ENTRY, v128.load(at));
    }
    const done = from;
    from = to;
    to = done;
  }
  return from;
}
