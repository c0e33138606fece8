/**
 * Compression of small blocks: LZ77 with byte-aligned sequences, as in LZ4, for fast decompression. In files of version 2 matches may also refer to
 * a sample: text that stands before the block as if it had been decompressed already.
 *
 *   sequence = token u8 · [literal length] · literals · distance u16 · [match length]
 *   token: high four bits = literals (15: bytes follow that are added, up to and including one below 255),
 *          low four bits = match length - 4 (15: the same)
 *   The last sequence ends after its literals.
 *
 * A match may overlap its own output, but does not reach from the sample into the block. FORMAT.md (section 9) describes the same format.
 */

const MATCH_LEAST: u32 = 4;
const NIBBLE: u32 = 15;
const DISTANCE_MOST: usize = 65535;
/** Bits of the hash of a block: about one entry for two bytes. */
const HASH_BITS_MOST: u32 = 13;
const HASH_BITS_LEAST: u32 = 8;
/** The search for matches skips ahead where it finds none: 1 more byte per step for every 2^SKIP_SHIFT misses. */
const SKIP_SHIFT: u32 = 6;

/** Size of the table for {@link lzCompress}. */
export const LZ_TABLE_BYTES: usize = ((<usize>1) << HASH_BITS_MOST) << 2;
/** Bytes that may be written beyond the end of the output. */
export const LZ_SLACK: usize = 16;

/** Upper bound of the size of `length` bytes after compression. */
export function lzBound(length: u32): u32 {
  return length + length / 255 + 32;
}

/** Copies in steps of 16 bytes: reads and writes up to 15 bytes too many. For short copies much cheaper than memory.copy. */
function copyWide(to: usize, from: usize, length: usize): void {
  const stop = to + length;
  let target = to;
  let source = from;
  do {
    v128.store(target, v128.load(source));
    target += 16;
    source += 16;
  } while (target < stop);
}

function hashOf(bytes: u32, bits: u32): usize {
  return <usize>((bytes * 0x9e3779b1) >>> (32 - bits));
}

function putLength(at: usize, length: u32): usize {
  let rest = length;
  while (rest >= 255) {
    store<u8>(at++, 255);
    rest -= 255;
  }
  store<u8>(at++, rest);
  return at;
}

/** Length of the common prefix of what follows `a` and `b`, which is behind it, up to `end`. */
function matchLength(a: usize, b: usize, end: usize): u32 {
  let at = b;
  let other = a;
  while (at + 8 <= end) {
    const difference = load<u64>(at) ^ load<u64>(other);
    if (difference) return <u32>(at - b) + (<u32>ctz<u64>(difference) >>> 3);
    at += 8;
    other += 8;
  }
  while (at < end && load<u8>(at) === load<u8>(other)) {
    at++;
    other++;
  }
  return <u32>(at - b);
}

/**
 * Compresses `length` bytes, with 16 readable bytes after them, to `out` (see {@link lzBound}). Returns the number of bytes written.
 * `table`: {@link LZ_TABLE_BYTES} of work space.
 */
export function lzCompress(source: usize, length: u32, out: usize, table: usize): u32 {
  const bits = max<u32>(HASH_BITS_LEAST, min<u32>(HASH_BITS_MOST, 31 - clz<u32>(length | 1)));
  memory.fill(table, 0, (<usize>4) << bits);
  const end = source + length;
  const lastStart = length >= 8 ? end - 8 : source;
  let to = out;
  let literals = source;
  let at = source;
  let misses: u32 = 1 << SKIP_SHIFT;
  while (at < lastStart) {
    const bytes = load<u32>(at);
    const slot = table + (hashOf(bytes, bits) << 2);
    // Positions are stored plus 1, so that 0 is an empty slot.
    let from = source + load<u32>(slot) - 1;
    store<u32>(slot, <u32>(at - source) + 1);
    if (from < source || at - from > DISTANCE_MOST || load<u32>(from) !== bytes) {
      at += misses++ >>> SKIP_SHIFT;
      continue;
    }
    misses = 1 << SKIP_SHIFT;
    let start = at;
    while (start > literals && from > source && load<u8>(start - 1) === load<u8>(from - 1)) {
      start--;
      from--;
    }
    const matched = matchLength(from, start, end);
    to = putSequence(to, literals, <u32>(start - literals), matched, <u32>(start - from));
    at = start + matched;
    literals = at;
    if (at < lastStart) {
      store<u32>(table + (hashOf(load<u32>(at - 2), bits) << 2), <u32>(at - 2 - source) + 1);
    }
  }
  return <u32>(putSequence(to, literals, <u32>(end - literals), 0, 0) - out);
}

/** Writes a sequence; `matched` 0: the last one. */
function putSequence(out: usize, literals: usize, count: u32, matched: u32, distance: u32): usize {
  const extra = matched ? matched - MATCH_LEAST : 0;
  store<u8>(out, (min<u32>(count, NIBBLE) << 4) | min<u32>(extra, NIBBLE));
  let to = out + 1;
  if (count >= NIBBLE) to = putLength(to, count - NIBBLE);
  copyWide(to, literals, count);
  to += count;
  if (!matched) return to;
  store<u16>(to, distance);
  to += 2;
  return extra >= NIBBLE ? putLength(to, extra - NIBBLE) : to;
}

/**
 * Decompresses to `out`, which has room for `capacity` bytes and {@link LZ_SLACK} more, until at least `enough` bytes are written. Returns
 * the number of bytes written, or -1 when the input is damaged; never reads before `out` or writes beyond its room.
 * @param sample bytes of the sample that the block was compressed with, and their number; 0: there is none
 */
export function lzDecompress(
  source: usize,
  length: u32,
  sample: usize,
  sampleLength: u32,
  out: usize,
  capacity: u32,
  enough: u32,
): i32 {
  const sampleEnd = sample + sampleLength;
  const end = source + length;
  const limit = out + capacity;
  let at = source;
  let to = out;
  while (at < end) {
    const token: u32 = load<u8>(at++);
    let count = token >>> 4;
    if (count === NIBBLE) {
      let more: u32 = 255;
      while (more === 255 && at < end) {
        more = load<u8>(at++);
        count += more;
      }
    }
    if (<usize>count > end - at || <usize>count > limit - to) return -1;
    if (end - at >= <usize>count + 16) copyWide(to, at, count);
    else memory.copy(to, at, count);
    to += count;
    at += count;
    if (at === end || to - out >= enough) return <i32>(to - out);
    if (end - at < 2) return -1;
    const distance: usize = load<u16>(at);
    at += 2;
    let matched = token & NIBBLE;
    if (matched === NIBBLE) {
      let more: u32 = 255;
      while (more === 255 && at < end) {
        more = load<u8>(at++);
        matched += more;
      }
    }
    matched += MATCH_LEAST;
    const written = to - out;
    if (distance === 0 || distance > written + sampleLength || <usize>matched > limit - to) return -1;
    const stop = to + matched;
    const isInSample = distance > written;
    let from = isInSample ? sampleEnd - (distance - written) : to - distance;
    if (isInSample && <usize>matched > sampleEnd - from) return -1;
    if (distance >= 16 || isInSample) {
      copyWide(to, from, matched);
    } else if (distance >= 8) {
      do {
        store<u64>(to, load<u64>(from));
        to += 8;
        from += 8;
      } while (to < stop);
    } else {
      do store<u8>(to++, load<u8>(from++));
      while (to < stop);
    }
    to = stop;
    if (to - out >= enough && enough < capacity) return <i32>(to - out);
  }
  return -1;
}
