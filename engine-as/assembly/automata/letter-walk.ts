/**
 * Finds words with up to two typos in a range of the dictionary by their letters (`letters.ts`). A word that departs from the query after some
 * code points spends an edit there, so it lacks at most one letter of those that follow in the query. The few words that pass are compared
 * with the query position by position, and what is left of them code point by code point.
 */
import { prefixEnd, prefixStart, termBegin, termLength } from '../dictionary/terms';
import { alloc } from '../runtime/arena';
import { commonBytes } from '../runtime/text-bytes';
import { SegmentView } from '../segment/view';
import { decode, decodedBytes } from './code-points';
import { FAR, isDead, Level, levelAfter, levelBefore, levelsOf } from './distance';
import { LETTERS_DEPTH, letterOf, termsWithLetters } from './letters';
import { addAt, isFilled, isWithin, MAX_WORD, TypoSearch } from './typo-search';

/** The budget. */
const EDITS: u32 = 2;
/** Terms whose letters are compared before the texts of those that pass are read. */
const CHUNK: u32 = 1024;
/** Ranges of fewer terms are not divided by the next code point. */
const SMALL: u32 = 64;
/** Bytes that are compared together, and how far a code point may have moved. */
const COMPARED: u32 = 16;
const PADDING: u8 = 0xff;
const ANY: u32 = 0xffffffff;

// The term read last, and the state after the code points of it that were read.
let level: Level = changetype<Level>(0);
let lastText: usize = 0;
let lastLength: u32 = 0;
/** u32[CHUNK] */
let chosen: usize = 0;
/** letters of the whole query, or all where words may go on after it */
let known: u32 = 0;
/** u8[COMPARED] of the query, padded by EDITS on both sides; 0: it is not ASCII */
let bytes: usize = 0;

/** Collects the words among terms [from, to), which begin with the first code point of the query. */
export function walkLetters(search: TypoSearch, from: u32, to: u32): void {
  level = levelsOf(search.query, search.queryLength, EDITS, MAX_WORD);
  lastText = 0;
  lastLength = 0;
  chosen = alloc((<usize>CHUNK) << 2);
  known = search.isPrefix ? ANY : queryLetters(search, 0, ANY);
  bytes = search.length === search.queryLength ? paddedBytes(search) : 0;
  walkNode(search, search.firstBytes, 1, from, to);
}

function paddedBytes(search: TypoSearch): usize {
  const room: usize = COMPARED + 2 * EDITS;
  const padded = alloc(room);
  memory.fill(padded, PADDING, room);
  memory.copy(padded + EDITS, search.text, min<u32>(search.length, COMPARED + EDITS));
  return padded;
}

/** The letters of the code points [from, to) of the query. */
function queryLetters(search: TypoSearch, from: u32, to: u32): u32 {
  let letters: u32 = 0;
  for (let i = from; i < to && i < search.queryLength; i++) letters |= letterOf(load<u32>(search.query + ((<usize>i) << 2)));
  return letters;
}

/** Collects the words among terms [from, to), which begin with `depth` code points of the query in `shared` bytes. */
function walkNode(search: TypoSearch, shared: u32, depth: u32, from: u32, to: u32): void {
  // An edit may have moved letters of the query out of those of the term.
  const end = LETTERS_DEPTH - EDITS;
  if (to - from <= SMALL || depth === search.queryLength) {
    collect(search, depth, queryLetters(search, depth, end), EDITS, from, to);
    return;
  }
  decode(search.text + shared);
  const next = shared + decodedBytes();
  const first = prefixStart(search.view, search.text, next, from, to);
  const last = prefixEnd(search.view, search.text, next, first, to);
  const wanted = queryLetters(search, depth + 1, end);
  collect(search, depth + 1, wanted, EDITS - 1, from, first);
  if (first < last) walkNode(search, next, depth + 1, first, last);
  collect(search, depth + 1, wanted, EDITS - 1, last, to);
}

/** Adds the words among terms [from, to) that need at most `edits` for the code points of the query from `depth` on; `wanted`: their letters. */
function collect(search: TypoSearch, depth: u32, wanted: u32, edits: u32, from: u32, to: u32): void {
  const letters = changetype<SegmentView>(search.view).termLetters;
  // At these places a word has code points that the query has near there, but for one place for each edit.
  const shortest = max<u32>(search.queryLength, EDITS) - EDITS;
  const places = min<u32>(shortest, COMPARED);
  const compared: u32 = places > depth ? (1 << places) - (1 << depth) : 0;
  for (let begin = from; begin < to && !isFilled(search); begin += CHUNK) {
    const count = termsWithLetters(letters, begin, min<u32>(to, begin + CHUNK), wanted, edits, known, chosen);
    for (let i: u32 = 0; i < count; i++) {
      const term = load<u32>(chosen + ((<usize>i) << 2));
      const text = termBegin(search.view, term);
      const length = termLength(search.view, term);
      if (length < shortest || (bytes !== 0 && isFar(text, compared, edits))) continue;
      addAt(search, term, distanceOf(search, text, length));
    }
  }
}

/** Whether a term differs at more than `edits` of the places of a bit set from all bytes that the query has near there. */
function isFar(text: usize, compared: u32, edits: u32): bool {
  const own = v128.load(text);
  // Bytes of longer code points stand at other places.
  if (i8x16.bitmask(own) !== 0) return false;
  let near = i8x16.eq(own, v128.load(bytes));
  for (let moved: u32 = 1; moved <= 2 * EDITS; moved++) near = v128.or(near, i8x16.eq(own, v128.load(bytes + moved)));
  return popcnt<u32>(~(<u32>i8x16.bitmask(near)) & compared) > edits;
}

/** The distance of a term, FAR beyond the budget. */
function distanceOf(search: TypoSearch, text: usize, length: u32): u32 {
  const shared: u32 = lastText === 0 ? 0 : commonBytes(lastText, text, min<u32>(lastLength, length));
  lastText = text;
  lastLength = length;
  // The states of the code points shared with the term before stay valid.
  while (level.bytes > shared) level = levelBefore(level);
  while (!isDead(level)) {
    if (search.isPrefix && level.best === 0) return 0;
    if (level.bytes >= length) return search.isPrefix ? level.best : level.whole;
    const char = decode(text + level.bytes);
    level = levelAfter(level, char, decodedBytes());
  }
  return search.isPrefix && isWithin(search, level) ? level.best : FAR;
}
