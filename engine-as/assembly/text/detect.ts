import { workBlock } from '../runtime/arena';
import { foldPoint } from './fold';
import { hasLocale, LANGUAGE_NONE, localeCount } from './languages';
import {
  ALPHABET_ENDS,
  ALPHABET_LETTERS,
  ALPHABET_MASKS,
  ARABIC_COUNT,
  LATIN_COUNT,
  PROFILE_LANGUAGES,
  PROFILE_LENGTH,
  PROFILES,
} from './profiles';
import { FOLD_CASE } from './tables';
import { utf8Decode, utf8Length } from './utf8';

/*
 * Guesses the language of a text among few (Cavnar and Trenkle, "N-Gram-Based Text Categorization", 1994): the ranks of the
 * trigrams of the text are compared with those of each language. For languages in Latin script the alphabet counts, too.
 *
 * The table of trigrams is in the second half of the work block. Counting ends when it is full, so only the beginning of a long
 * text is examined.
 */

@unmanaged
class Trigram {
  /** three code points of 21 bits each; 0: a free slot */
  points: u64;
  count: u32;
  rank: u32;
}

const TRIGRAM_BYTES: usize = offsetof<Trigram>();
const SLOT_BITS: u32 = 10;
const SLOTS: u32 = 1 << SLOT_BITS;
const SLOT_MASK: u32 = SLOTS - 1;
/** Number of distinct trigrams after which counting ends. */
const CAPACITY: u32 = 900;
const MAX_TRIGRAMS: u32 = 600;
const TABLE_OFFSET: usize = 40960;
const TABLE_BYTES: usize = <usize>SLOTS * TRIGRAM_BYTES;
const ORDER_OFFSET: usize = TABLE_OFFSET + TABLE_BYTES;

/** Rank distance of a trigram that the text lacks. */
const ABSENT: i32 = 300;
const MAX_RANK_DISTANCE: i32 = 90000;

let distinct: u32 = 0;
let trigrams: u32 = 0;
/** code points of the text other than ASCII signs and white space */
let letterCount: u32 = 0;

function slotOf(points: u64): usize {
  const table = workBlock() + TABLE_OFFSET;
  let slot = <u32>((points * 0x9e3779b97f4a7c15) >> (64 - SLOT_BITS));
  let at = table + <usize>slot * TRIGRAM_BYTES;
  while (changetype<Trigram>(at).points !== points && changetype<Trigram>(at).points !== 0) {
    slot = (slot + 1) & SLOT_MASK;
    at = table + <usize>slot * TRIGRAM_BYTES;
  }
  return at;
}

function countTrigram(points: u64): void {
  const trigram = changetype<Trigram>(slotOf(points));
  if (trigram.points === 0) {
    trigram.points = points;
    trigram.rank = MAX_TRIGRAMS;
    distinct++;
  }
  trigram.count++;
}

/** Whether a code point counts as a gap between words: ASCII signs, digits and white space. */
function isGap(point: u32): bool {
  return point <= 0x40 || (point >= 0x5b && point <= 0x60) || (point >= 0x7b && point <= 0x7e);
}

const SPACE: u64 = 0x20;
const POINT_MASK: u64 = 0x1fffff;

/** Adds a code point to the window of three, and counts the trigram. A space next to another space is not counted. */
function slide(window: u64, point: u64): u64 {
  const next = ((window << 21) | point) & 0x7fffffffffffffff;
  const middle = (next >> 21) & POINT_MASK;
  const first = next >> 42;
  if (first !== 0 && !(middle === SPACE && (first === SPACE || point === SPACE))) countTrigram(next);
  return next;
}

function countTrigrams(start: usize, end: usize): void {
  memory.fill(workBlock() + TABLE_OFFSET, 0, TABLE_BYTES);
  distinct = letterCount = 0;
  let window: u64 = SPACE;
  const lower = workBlock();
  for (let at = start; at < end && distinct < CAPACITY; at += utf8Length(load<u8>(at))) {
    const lowerEnd = lower + foldPoint(FOLD_CASE, utf8Decode(at), lower);
    for (let part = lower; part < lowerEnd; part += utf8Length(load<u8>(part))) {
      const point = utf8Decode(part);
      if (!isGap(point)) letterCount++;
      window = slide(window, isGap(point) ? SPACE : point);
    }
  }
  slide(window, SPACE);
}

/** Whether the trigram in slot a precedes that in slot b: by descending count, then by descending code points. */
function precedes(a: u32, b: u32): bool {
  const table = workBlock() + TABLE_OFFSET;
  const left = changetype<Trigram>(table + <usize>a * TRIGRAM_BYTES);
  const right = changetype<Trigram>(table + <usize>b * TRIGRAM_BYTES);
  return left.count !== right.count ? left.count > right.count : left.points > right.points;
}

/** Sorts the used slots (Shell sort) and assigns ranks to the first ones. */
function rankTrigrams(): void {
  const table = workBlock() + TABLE_OFFSET;
  const order = workBlock() + ORDER_OFFSET;
  let count: u32 = 0;
  for (let slot: u32 = 0; slot < SLOTS; slot++) {
    if (changetype<Trigram>(table + <usize>slot * TRIGRAM_BYTES).points === 0) continue;
    store<u16>(order + (count << 1), slot);
    count++;
  }
  for (let gap = count >> 1; gap > 0; gap >>= 1) {
    for (let i = gap; i < count; i++) {
      const moved = <u32>load<u16>(order + (i << 1));
      let j = i;
      while (j >= gap && precedes(moved, load<u16>(order + ((j - gap) << 1)))) {
        store<u16>(order + (j << 1), load<u16>(order + ((j - gap) << 1)));
        j -= gap;
      }
      store<u16>(order + (j << 1), moved);
    }
  }
  trigrams = min(count, MAX_TRIGRAMS);
  for (let rank: u32 = 0; rank < trigrams; rank++) {
    const slot = <usize>load<u16>(order + (rank << 1));
    changetype<Trigram>(table + slot * TRIGRAM_BYTES).rank = rank;
  }
}

/** How well the trigrams of the text match the profile number `position`: at most 1. */
function trigramScore(position: u32): f64 {
  let distance: i32 = 0;
  let at = PROFILES + <usize>(position * PROFILE_LENGTH * 3) * 2;
  for (let rank: u32 = 0; rank < PROFILE_LENGTH; rank++) {
    const points = ((<u64>load<u16>(at)) << 42) | ((<u64>load<u16>(at, 2)) << 21) | load<u16>(at, 4);
    const trigram = changetype<Trigram>(slotOf(points));
    distance += trigram.points === 0 || trigram.rank >= trigrams ? ABSENT : abs(<i32>trigram.rank - <i32>rank);
    at += 6;
  }
  if (trigrams < PROFILE_LENGTH) distance -= <i32>(PROFILE_LENGTH - trigrams) * ABSENT;
  distance = min(max(distance, 0), MAX_RANK_DISTANCE);
  const largest = <f64>trigrams * <f64>ABSENT;
  return (largest - <f64>distance) / largest;
}

/** Whether a lower-case letter is in the alphabet of Latin language number `position`. */
function isInAlphabet(position: u32, point: u32): bool {
  const letter = point - 0x61;
  if (letter < 26) return ((load<u32>(ALPHABET_MASKS + (position << 2)) >> letter) & 1) !== 0;
  const end = load<u32>(ALPHABET_ENDS + (position << 2));
  const start: u32 = position === 0 ? 0 : load<u32>(ALPHABET_ENDS + ((position - 1) << 2));
  for (let i = start; i < end; i++) {
    if (load<u16>(ALPHABET_LETTERS + (i << 1)) === point) return true;
  }
  return false;
}

/** The share of code points in the alphabet minus the share of others, at least 0. */
function alphabetScore(position: u32, start: usize, end: usize): f64 {
  let count: u32 = 0;
  let hits: u32 = 0;
  const lower = workBlock();
  for (let at = start; at < end && count < letterCount; at += utf8Length(load<u8>(at))) {
    const lowerEnd = lower + foldPoint(FOLD_CASE, utf8Decode(at), lower);
    for (let part = lower; part < lowerEnd; part += utf8Length(load<u8>(part))) {
      const point = utf8Decode(part);
      if (isGap(point)) continue;
      count++;
      if (isInAlphabet(position, point)) hits++;
    }
  }
  return count === 0 || hits * 2 < count ? 0 : <f64>(hits * 2 - count) / <f64>count;
}

/** The language of a text in Arabic script, among those that the locales allow. */
export function detectArabic(start: usize, end: usize, locales: usize): u32 {
  countTrigrams(start, end);
  rankTrigrams();
  let best = LANGUAGE_NONE;
  let bestScore = -Infinity;
  for (let position: u32 = 0; position < ARABIC_COUNT; position++) {
    const language = <u32>load<u8>(PROFILE_LANGUAGES + position);
    if (localeCount(locales) !== 0 && !hasLocale(locales, language)) continue;
    const score = trigramScore(position);
    if (score <= bestScore) continue;
    bestScore = score;
    best = language;
  }
  return best;
}

/** The language of a text in Latin script, among at least two locales. */
export function detectLatin(start: usize, end: usize, locales: usize): u32 {
  countTrigrams(start, end);
  rankTrigrams();
  const weight = min(max(2.0 / 3.0 - <f64>letterCount / 300.0, 1.0 / 3.0), 2.0 / 3.0);
  let best = LANGUAGE_NONE;
  let bestScore = -Infinity;
  let bestAlphabet = -Infinity;
  for (let position: u32 = 0; position < LATIN_COUNT; position++) {
    const language = <u32>load<u8>(PROFILE_LANGUAGES + ARABIC_COUNT + position);
    if (!hasLocale(locales, language)) continue;
    const alphabet = alphabetScore(position, start, end);
    const score = alphabet * weight + trigramScore(ARABIC_COUNT + position) * (1.0 - weight);
    if (score < bestScore || (score === bestScore && alphabet <= bestAlphabet)) continue;
    bestScore = score;
    bestAlphabet = alphabet;
    best = language;
  }
  return best;
}
