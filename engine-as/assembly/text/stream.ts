import { alloc, workBlock } from '../runtime/arena';
import { foldPoint, plainInto } from './fold';
import {
  groupEnd,
  groupLanguage,
  groupScript,
  groupSegmenter,
  isAsciiLetter,
  SEGMENT_WHOLE,
  scanAsciiGroup,
  scanGroup,
} from './group';
import { foldFinalSigma, foldOfScript, foldToken, needsSteps } from './letters';
import { propertiesOf, separatorClassIn } from './properties';
import { segmentBegin, segmentEnd } from './segment';
import {
  ASCII_HARD,
  ASCII_PAIR,
  ASCII_SOFT,
  ASCII_SPECIAL,
  ASCII_TABLE,
  MAX_FOLD_BYTES,
  MAX_FOLD_GROWTH,
  SCRIPT_GREEK,
  SEPARATOR_NONE,
} from './tables';
import { asciiTableOf, classify, hasStopWords, matchAt, TOKEN_HARD, TOKEN_SOFT, TOKEN_WORD } from './tokenizer';
import { isAscii, utf8Decode, utf8Length } from './utf8';

/*
 * The tokens of a text, one after the other, without allocating memory. Text is divided at separators and words of the dictionary
 * (leftmost match, then longest). What is between them is a word, or several words in scripts without spaces.
 *
 * ASCII takes one table look-up per byte: the entry is the folded byte, or a class that ends the word. Most words are folded
 * while they are scanned. Words that depend on the text after them (`delimitFirst`) are first delimited, then folded.
 *
 * Work block:  | one decomposed code point | plain text of a token | lemma |
 */

/** Tokens up to this many bytes are compared with stop words and separators. */
const PLAIN_OFFSET: usize = 64;
const PLAIN_BYTES: u32 = 8128;
/** Longer lemmas are truncated: words of more than 250 bytes are not indexed. */
const LEMMA_OFFSET: usize = PLAIN_OFFSET + <usize>PLAIN_BYTES;
const LEMMA_BYTES: u32 = 24576;

let tokenizer: usize = 0;
let asciiTable: usize = 0;
let stopWords: bool = false;
let locales: usize = 0;
let textStart: usize = 0;
let textEnd: usize = 0;
let textIsAscii: bool = false;
let cursor: usize = 0;
let groupLimit: usize = 0;
let fold: u32 = 0;
let delimitFirst: bool = false;
let wholeLemmas: bool = false;
/** the remaining text of a piece that is divided into several words */
let segmentAt: usize = 0;
let segmentsEnd: usize = 0;

let tokenStart: usize = 0;
let tokenEnd: usize = 0;
let tokenKind: u32 = 0;
let lemma: usize = 0;
let lemmaLength: u32 = 0;
let buffer: usize = 0;

/** Begins a text (valid UTF-8). `handle`: from tokenizerCreate, or 0; `allowed`: a list of locales (see languages.ts), or 0. */
export function streamBegin(handle: usize, text: usize, length: usize, allowed: usize): void {
  tokenizer = handle;
  asciiTable = asciiTableOf(handle);
  stopWords = hasStopWords(handle);
  locales = allowed;
  textStart = text;
  textEnd = text + length;
  textIsAscii = isAscii(text, <u32>length);
  cursor = text;
  groupLimit = text;
  segmentAt = segmentsEnd = text;
  buffer = workBlock() + LEMMA_OFFSET;
  wholeLemmas = false;
}

/** From now on lemmas are not truncated; long ones are allocated in scratch memory. */
export function streamWholeLemmas(): void {
  wholeLemmas = true;
}

function openGroup(): void {
  if (textIsAscii) scanAsciiGroup(cursor, textEnd, locales);
  else scanGroup(cursor, textEnd, locales);
  groupLimit = groupEnd;
  fold = foldOfScript(groupScript);
  delimitFirst = wholeLemmas || groupSegmenter !== SEGMENT_WHOLE || needsSteps(groupScript, groupLanguage);
}

/** The end of the piece that begins at `at`: the next match, or the end of the group. */
function pieceEndFrom(at: usize): usize {
  while (at < groupLimit) {
    const byte = <u32>load<u8>(at);
    const entry = <u32>load<u8>(asciiTable + byte);
    if (entry < ASCII_SOFT) {
      at++;
    } else {
      if (entry !== ASCII_SPECIAL || matchAt(tokenizer, at, groupLimit) !== 0) return at;
      at += utf8Length(byte);
    }
  }
  return groupLimit;
}

/**
 * The kind of the token, by its plain text. Needed when settings have entries, and when the token may be a separator in another
 * form.
 */
function classifyToken(): u32 {
  const plain = workBlock() + PLAIN_OFFSET;
  return classify(tokenizer, plain, plainInto(tokenStart, tokenEnd, plain, PLAIN_BYTES));
}

/** Makes a token of a byte range and folds it. */
function emit(start: usize, end: usize): void {
  tokenStart = start;
  tokenEnd = end;
  lemma = buffer;
  const room = <u32>(end - start) * MAX_FOLD_GROWTH;
  if (room <= LEMMA_BYTES) {
    lemmaLength = foldToken(groupScript, groupLanguage, start, end, lemma, 0);
  } else if (wholeLemmas) {
    lemma = alloc(room);
    lemmaLength = foldToken(groupScript, groupLanguage, start, end, lemma, 0);
  } else {
    let cut = start + LEMMA_BYTES / MAX_FOLD_GROWTH;
    while ((load<u8>(cut) & 0xc0) === 0x80) cut--;
    lemmaLength = foldToken(groupScript, groupLanguage, start, cut, lemma, 0);
  }
  tokenKind = tokenizer !== 0 || mayBeSign() ? classifyToken() : TOKEN_WORD;
}

function emitSegment(): void {
  const start = segmentAt;
  segmentAt = segmentEnd(start);
  emit(start, segmentAt);
}

function emitPiece(start: usize): void {
  const end = pieceEndFrom(start);
  cursor = end;
  if (groupSegmenter === SEGMENT_WHOLE) {
    emit(start, end);
    return;
  }
  segmentBegin(groupSegmenter, start, end);
  segmentAt = start;
  segmentsEnd = end;
  emitSegment();
}

/** Makes a token of the word that begins at `start`, in a script that needs no segmentation; folds it while scanning. */
function emitWord(start: usize): void {
  const lemmaEnd = buffer + LEMMA_BYTES - MAX_FOLD_BYTES;
  let at = start;
  let out = buffer;
  let ascii = true;
  while (at < groupLimit) {
    const room: usize = out < lemmaEnd ? lemmaEnd - out : 0;
    const stop = groupLimit - at <= room ? groupLimit : at + room;
    let entry: u32 = 0;
    while (at < stop) {
      entry = <u32>load<u8>(asciiTable + load<u8>(at));
      if (entry >= ASCII_SOFT) break;
      store<u8>(out, entry);
      out++;
      at++;
    }
    if (at === stop) {
      if (stop !== groupLimit) at = pieceEndFrom(at);
      break;
    }
    if (entry !== ASCII_SPECIAL) break;
    const point = utf8Decode(at);
    if (tokenizer !== 0 || separatorClassIn(propertiesOf(point)) !== SEPARATOR_NONE) {
      if (matchAt(tokenizer, at, groupLimit) !== 0) break;
    }
    // The first byte of an entry of the settings may also be part of a word.
    const usual = point < 0x80 ? <u32>load<u8>(ASCII_TABLE + point) : ASCII_SPECIAL;
    if (usual < ASCII_SOFT) {
      store<u8>(out, usual);
      out++;
      at++;
      continue;
    }
    ascii = false;
    out += foldPoint(fold, point, out);
    at += utf8Length(load<u8>(at));
  }
  cursor = at;
  tokenStart = start;
  tokenEnd = at;
  lemma = buffer;
  lemmaLength = <u32>(out - buffer);
  if (groupScript === SCRIPT_GREEK) foldFinalSigma(buffer, lemmaLength);
  tokenKind = ascii ? kindOfAscii(start, at) : tokenizer !== 0 || mayBeSign() ? classifyToken() : TOKEN_WORD;
}

/** The kind of an ASCII word. It is not a separator, because a separator would have ended it. */
function kindOfAscii(start: usize, end: usize): u32 {
  return stopWords ? classify(tokenizer, start, <u32>(end - start)) : TOKEN_WORD;
}

/** Whether the token may be a separator in another form; separators have one code point. */
function mayBeSign(): bool {
  return lemmaLength <= 4 && !isAsciiLetter(load<u8>(lemma));
}

/** Makes a token of an ASCII separator that is not changed by settings. Its lemma is its text. */
function emitSign(at: usize, entry: u32): void {
  let length: u32 = 1;
  let kind = entry === ASCII_HARD ? TOKEN_HARD : TOKEN_SOFT;
  if (entry === ASCII_PAIR && at + 1 < groupLimit && load<u8>(at, 1) === 0x20) {
    length = 2;
    kind = TOKEN_HARD;
  }
  tokenStart = at;
  tokenEnd = cursor = at + length;
  lemma = at;
  lemmaLength = length;
  tokenKind = stopWords ? classify(tokenizer, at, length) : kind;
}

/** Moves to the next token. Returns false at the end of the text. */
export function streamNext(): bool {
  if (segmentAt < segmentsEnd) {
    emitSegment();
    return true;
  }
  if (cursor >= groupLimit) {
    if (cursor >= textEnd) return false;
    openGroup();
  }
  const at = cursor;
  const entry = <u32>load<u8>(asciiTable + load<u8>(at));
  if (entry >= ASCII_SOFT) {
    if (entry !== ASCII_SPECIAL) {
      emitSign(at, entry);
      return true;
    }
    const matched = matchAt(tokenizer, at, groupLimit);
    if (matched !== 0) {
      cursor = at + matched;
      emit(at, cursor);
      tokenKind = classifyToken();
      return true;
    }
  }
  if (delimitFirst) emitPiece(at);
  else emitWord(at);
  return true;
}

/** TOKEN_WORD, TOKEN_STOP, TOKEN_SOFT or TOKEN_HARD. */
export function streamKind(): u32 {
  return tokenKind;
}

/** The normalized token in UTF-8, valid until the next call. Tokens of more than 2,000 bytes may be truncated. */
export function streamLemma(): usize {
  return lemma;
}

export function streamLemmaLength(): u32 {
  return lemmaLength;
}

/** Byte offsets of the token in the text. */
export function streamStart(): u32 {
  return <u32>(tokenStart - textStart);
}

export function streamEnd(): u32 {
  return <u32>(tokenEnd - textStart);
}

export function streamScript(): u32 {
  return groupScript;
}

export function streamLanguage(): u32 {
  return groupLanguage;
}
