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
 * Cuts a piece, the text between two separators, further into words. One piece at a time: segmentBegin, then segmentEnd for the end of
 * each word in turn. Without its list of words a script is not cut, Japanese and Korean only where the kind of letters changes (and the
 * list is noted as missing).
 */

/** A way of cutting besides those that a group asks for: {@link SEGMENT_JAPANESE} or {@link SEGMENT_KOREAN} with its list. */
const SEGMENT_LATTICE: u32 = 8;

let pieceStart: usize = 0;
let pieceEnd: usize = 0;
let segmenter: u32 = 0;

/** A piece of numbers and ASCII signs only is a word as it is. */
function isNumber(at: usize, end: usize): bool {
  for (; at < end; at += utf8Length(load<u8>(at))) {
    const point = utf8Decode(at);
    if (!isAsciiPunctuation(point) && !isNumeric(point)) return false;
  }
  return true;
}

/** Full-width letters, half-width kana and signs in circles stand in the same group as Hangul, but its list does not help with them. */
function hasHangul(at: usize, end: usize): bool {
  for (; at < end; at += utf8Length(load<u8>(at))) {
    if (isHangulLetter(utf8Decode(at))) return true;
  }
  return false;
}

/** Whether a segmenter has what it needs. */
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

/** Bytes of the article in front of an Arabic word, 0 when there is none or nothing else. */
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

/** The end of a run of letters of one class. */
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
