/**
 * Sets of letters: those of the first code points of each term of a dictionary, SECTION_LETTERS of a segment. A typo takes at most one letter
 * away, so terms that lack more letters of a word than it may have typos are passed over without reading their texts.
 */
import { decode, decodedBytes } from './code-points';

/** Code points of a term whose letters are in its set: most of what distinguishes words, while few of them have every frequent letter. */
export const LETTERS_DEPTH: u32 = 12;
/** Terms that are examined together. */
const LANES: u32 = 4;

/** The set that only has a code point: letters that differ in case or script may share a bit. */
export function letterOf(char: u32): u32 {
  return 1 << (char & 31);
}

/** The letters of the first {@link LETTERS_DEPTH} code points of a text. */
export function lettersOf(text: usize, length: u32): u32 {
  let letters: u32 = 0;
  let at: u32 = 0;
  for (let i: u32 = 0; i < LETTERS_DEPTH && at < length; i++) {
    letters |= letterOf(decode(text + at));
    at += decodedBytes();
  }
  return letters;
}

/**
 * Writes the terms of [from, to) that lack at most `lacking` (1 or 2) of the letters `wanted`, and have at most two others than `known`, to
 * `out` (u32[to - from]), and returns their number. `letters`: u32[] by term; whole vectors may be read at its end.
 */
export function termsWithLetters(letters: usize, from: u32, to: u32, wanted: u32, lacking: u32, known: u32, out: usize): u32 {
  const one = i32x4.splat(1);
  const zero = i32x4.splat(0);
  const wantedSet = i32x4.splat(wanted);
  const knownSet = i32x4.splat(known);
  let at = out;
  for (let term = from; term < to; term += LANES) {
    const own = v128.load(letters + ((<usize>term) << 2));
    let lacks = v128.andnot(wantedSet, own);
    // Each step takes one letter out of a set.
    lacks = v128.and(lacks, i32x4.sub(lacks, one));
    if (lacking > 1) lacks = v128.and(lacks, i32x4.sub(lacks, one));
    let others = v128.andnot(own, knownSet);
    others = v128.and(others, i32x4.sub(others, one));
    others = v128.and(others, i32x4.sub(others, one));
    let found = <u32>i32x4.bitmask(i32x4.eq(v128.or(lacks, others), zero));
    if (to - term < LANES) found &= (1 << (to - term)) - 1;
    for (; found !== 0; found &= found - 1) {
      store<u32>(at, term + ctz<u32>(found));
      at += 4;
    }
  }
  return <u32>((at - out) >> 2);
}
