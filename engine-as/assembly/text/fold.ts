import { FOLD_BLOCKS, FOLD_INDEX, FOLD_LIMIT, FOLD_PLAIN, FOLD_POOL, FOLD_ROWS } from './tables';
import { utf8Decode, utf8Encode, utf8Length } from './utf8';

/*
 * Folding maps each code point independently of its neighbours: the tables have the combined result of all steps for a script.
 * What depends on neighbours (Swedish letters, long kana) or on the language is in letters.ts.
 */

/** Hangul syllables are decomposed by arithmetic (The Unicode Standard, section 3.12). */
const SYLLABLE_FIRST: u32 = 0xac00;
const SYLLABLE_COUNT: u32 = 11172;
const LEADING_FIRST: u32 = 0x1100;
const VOWEL_FIRST: u32 = 0x1161;
const TRAILING_FIRST: u32 = 0x11a7;
const TRAILING_COUNT: u32 = 28;
const SYLLABLES_PER_LEADING: u32 = 588;

function foldSyllable(syllable: u32, out: usize): u32 {
  let length = utf8Encode(LEADING_FIRST + syllable / SYLLABLES_PER_LEADING, out);
  length += utf8Encode(VOWEL_FIRST + (syllable % SYLLABLES_PER_LEADING) / TRAILING_COUNT, out + length);
  const trailing = syllable % TRAILING_COUNT;
  if (trailing !== 0) length += utf8Encode(TRAILING_FIRST + trailing, out + length);
  return length;
}

/**
 * Folds a code point into `out`, which has room for MAX_FOLD_BYTES bytes, and at least 8. Returns the bytes written, 0 when the
 * code point is removed.
 */
export function foldPoint(fold: u32, point: u32, out: usize): u32 {
  if (point < FOLD_LIMIT) {
    const block = <u32>load<u16>(FOLD_INDEX + ((fold * FOLD_ROWS + (point >> 6)) << 1));
    const offset = <u32>load<u16>(FOLD_BLOCKS + (((block << 6) | (point & 63)) << 1));
    if (offset !== 0) {
      const text = FOLD_POOL + offset;
      const length = <u32>load<u8>(text);
      // Copies eight bytes at once, because most texts are not longer; what follows them is overwritten later.
      store<u64>(out, load<u64>(text, 1));
      for (let i: u32 = 8; i < length; i++) store<u8>(out + i, load<u8>(text + 1 + i));
      return length;
    }
    if (point - SYLLABLE_FIRST < SYLLABLE_COUNT) return foldSyllable(point - SYLLABLE_FIRST, out);
  }
  return utf8Encode(point, out);
}

/**
 * The form of a text that is compared with stop words and separators: decomposed, without control characters. Returns its length,
 * or u32.MAX_VALUE when it exceeds `capacity` bytes.
 */
export function plainInto(text: usize, end: usize, out: usize, capacity: u32): u32 {
  let length: u32 = 0;
  for (let at = text; at < end; at += utf8Length(load<u8>(at))) {
    if (length + 40 > capacity) return u32.MAX_VALUE;
    length += foldPoint(FOLD_PLAIN, utf8Decode(at), out + length);
  }
  return length;
}
