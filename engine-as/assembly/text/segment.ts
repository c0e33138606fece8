import { SEGMENT_ARABIC } from './group';
import { isAsciiPunctuation, isNumeric } from './properties';
import { utf8Decode, utf8Length } from './utf8';

/*
 * Cuts a piece, the text between two separators, further into words. One piece at a time: segmentBegin, then segmentEnd for the end of
 * each word in turn.
 */

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

export function segmentBegin(how: u32, start: usize, end: usize): void {
  pieceStart = start;
  pieceEnd = end;
  segmenter = isNumber(start, end) ? 0 : how;
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

/** The end of the word that begins at `at`. */
export function segmentEnd(at: usize): usize {
  if (segmenter === SEGMENT_ARABIC && at === pieceStart) {
    const article = articleBytes(at, pieceEnd);
    if (article !== 0) return at + article;
  }
  return pieceEnd;
}
