import { chineseBegin, chineseEnd } from './chinese';
import { compoundEnd, greedyEnd } from './greedy';
import {
  SEGMENT_ARABIC,
  SEGMENT_CHINESE,
  SEGMENT_GERMAN,
  SEGMENT_JAPANESE,
  SEGMENT_KHMER,
  SEGMENT_KOREAN,
  SEGMENT_THAI,
  SEGMENT_WHOLE,
} from './group';
import { latticeBegin, latticeEnd } from './lattice';
import { isAsciiPunctuation, isNumeric } from './properties';
import { CONTINUES, isHangulLetter, japaneseClass, koreanClass } from './runs';
import { utf8Decode, utf8Length } from './utf8';
import { LIST_CHINESE, LIST_GERMAN, LIST_JAPANESE, LIST_KHMER, LIST_KOREAN, LIST_THAI, useList } from './word-list';

/*
 * Divides the text between two separators into words: segmentBegin, then segmentEnd for the end of each word. When the word list
 * of a script is not loaded, this is recorded. Then the text is not divided, except Japanese and Korean: where the class of
 * characters changes.
 */

/** Internal segmenter for {@link SEGMENT_JAPANESE} and {@link SEGMENT_KOREAN} when their list is loaded. */
const SEGMENT_LATTICE: u32 = 8;

let pieceStart: usize = 0;
let pieceEnd: usize = 0;
let segmenter: u32 = 0;

/** Whether a text consists of digits and ASCII signs only, which are not divided. */
function isNumber(at: usize, end: usize): bool {
  for (; at < end; at += utf8Length(load<u8>(at))) {
    const point = utf8Decode(at);
    if (!isAsciiPunctuation(point) && !isNumeric(point)) return false;
  }
  return true;
}

/**
 * Whether a text has Hangul. Full-width letters, half-width kana and circled signs are in the same group, but not in its list.
 */
function hasHangul(at: usize, end: usize): bool {
  for (; at < end; at += utf8Length(load<u8>(at))) {
    if (isHangulLetter(utf8Decode(at))) return true;
  }
  return false;
}

/** Whether the word list that a segmenter needs is loaded. */
function isReady(how: u32): bool {
  if (how === SEGMENT_THAI) return useList(LIST_THAI);
  if (how === SEGMENT_KHMER) return useList(LIST_KHMER);
  if (how === SEGMENT_GERMAN) return useList(LIST_GERMAN);
  if (how === SEGMENT_CHINESE) return useList(LIST_CHINESE);
  return true;
}

function hasLattice(start: usize, end: usize): bool {
  if (segmenter === SEGMENT_JAPANESE) return useList(LIST_JAPANESE);
  return segmenter === SEGMENT_KOREAN && hasHangul(start, end) && useList(LIST_KOREAN);
}

export function segmentBegin(how: u32, start: usize, end: usize): void {
  pieceStart = start;
  pieceEnd = end;
  segmenter = isNumber(start, end) || !isReady(how) ? SEGMENT_WHOLE : how;
  if (segmenter === SEGMENT_CHINESE) chineseBegin(start, end);
  else if (hasLattice(start, end)) {
    segmenter = SEGMENT_LATTICE;
    latticeBegin(start, end);
  }
}

const ALEF: u32 = 0x627;
const ALEF_WASLA: u32 = 0x671;
const LAM: u32 = 0x644;

/** Bytes of the article at the start of an Arabic word; 0 when there is none, or nothing but the article. */
function articleBytes(at: usize, end: usize): u32 {
  if (end - at <= 4) return 0;
  const alef = utf8Decode(at);
  const isAlef = alef === ALEF || alef === ALEF_WASLA || alef === 0x622 || alef === 0x623 || alef === 0x625;
  return isAlef && utf8Decode(at + 2) === LAM ? 4 : 0;
}

function classAt(at: usize): u32 {
  const point = utf8Decode(at);
  return segmenter === SEGMENT_JAPANESE ? japaneseClass(point) : koreanClass(point);
}

/** The end of a run of characters of one class. */
function runEnd(at: usize): usize {
  const first = classAt(at);
  at += utf8Length(load<u8>(at));
  while (at < pieceEnd) {
    const next = classAt(at);
    if (next !== first && next !== CONTINUES) break;
    at += utf8Length(load<u8>(at));
  }
  return at;
}

/** The end of the word that begins at `at`. */
export function segmentEnd(at: usize): usize {
  if (segmenter === SEGMENT_CHINESE) return chineseEnd();
  if (segmenter === SEGMENT_LATTICE) return latticeEnd();
  if (segmenter === SEGMENT_THAI || segmenter === SEGMENT_KHMER) return greedyEnd(at, pieceEnd);
  if (segmenter === SEGMENT_GERMAN) return compoundEnd(at, pieceEnd);
  if (segmenter === SEGMENT_JAPANESE || segmenter === SEGMENT_KOREAN) return runEnd(at);
  if (segmenter === SEGMENT_ARABIC && at === pieceStart) {
    const article = articleBytes(at, pieceEnd);
    if (article !== 0) return at + article;
  }
  return pieceEnd;
}
