/** Indexes the values of one document: words with their positions, and columns. */

import {
  LEAF_CONTAINER,
  LEAF_ELEMENT,
  LEAF_EMPTY,
  LEAF_ESCAPED,
  LEAF_FALSE,
  LEAF_NULL,
  LEAF_NUMBER,
  LEAF_STRING,
  LEAF_TRUE,
  Leaf,
} from '../json/flatten';
import { parseDecimalText, parseNumber } from '../json/number';
import { NUMBER_TEXT_ROOM, numberText } from '../json/number-text';
import { PathNode, rootNode } from '../json/paths';
import { unescapeString } from '../json/strings';
import { alloc } from '../runtime/arena';
import { Buffer, bufferCreate, bufferCreateLasting, bufferPush32, bufferRoom } from '../runtime/buffer';
import { sortCodes } from '../segment/sort';
import { isWhiteSpace } from '../text/properties';
import { streamBegin, streamKind, streamLemma, streamLemmaLength, streamNext } from '../text/stream';
import { TOKEN_HARD, TOKEN_SOFT, TOKEN_STOP } from '../text/tokenizer';
import { utf8Decode, utf8Length, utf8Previous } from '../text/utf8';
import { ColumnValues, columnEmpty, columnExists, columnNull, columnNumber, columnString } from './column-values';
import { CONFIG_GEO, configHas } from './config';
import { FIELD_EXACT, FIELD_LATITUDE, FIELD_LONGITUDE, FIELD_SEARCHABLE, FieldState, fieldState } from './fields';
import { MAX_WORD_BYTES } from './word-table';
import { addWord } from './words';

/** Position gap after a hard separator, and between two values of an attribute. */
const HARD_GAP: u32 = 8;
const POSITION_LIMIT: u32 = 65536;
/** Word counts are exact up to 30; 31 means more. */
const WORD_COUNT_MOST: u32 = 31;

/** Texts are read in words of 8 bytes. */
const SPARE_BYTES: usize = 8;

let tokenizer: usize = 0;
/** Buffers: the text of a value, u32 fields with words of the document, u32 entries of all word counts */
let valueText: usize = 0;
let fieldsWithWords: usize = 0;
let wordCounts: usize = 0;
/** TRUE and FALSE as texts */
let literals: usize = 0;
let latitude: f64 = NaN;
let longitude: f64 = NaN;

const WORD_TRUE: u32 = 0x65757274;
const WORD_FALS: u32 = 0x736c6166;

export function valuesBegin(tokenizerHandle: usize): void {
  tokenizer = tokenizerHandle;
  valueText = bufferCreate(4096);
  fieldsWithWords = bufferCreate(256);
  wordCounts = bufferCreateLasting(1 << 16);
  literals = alloc(16);
  store<u32>(literals, WORD_TRUE);
  store<u32>(literals, WORD_FALS, 8);
  store<u8>(literals, 0x65, 12);
}

/** Buffer of u32: attribute << 8 | words, of all documents so far. */
export function valuesWordCounts(): usize {
  return wordCounts;
}

/** Point of the last document; NaN when it has none. */
export function valuesLatitude(): f64 {
  return latitude;
}

export function valuesLongitude(): f64 {
  return longitude;
}

/** Indexes the leaves (Leaf[count]) of a document. */
export function indexDocument(leaves: usize, count: u32, document: u32): void {
  changetype<Buffer>(fieldsWithWords).length = 0;
  latitude = NaN;
  longitude = NaN;
  const root = changetype<usize>(rootNode());
  for (let i: u32 = 0; i < count; i++) {
    const leaf = changetype<Leaf>(leaves + <usize>i * offsetof<Leaf>());
    const state = fieldState(leaf.field);
    if (changetype<PathNode>(leaf.node).parent === root && state.counted !== document + 1) {
      state.counted = document + 1;
      state.documents++;
    }
    indexLeaf(leaf, state, document);
  }
  countWords();
}

function indexLeaf(leaf: Leaf, state: FieldState, document: u32): void {
  const searchable = (state.flags & FIELD_SEARCHABLE) !== 0;
  if (!searchable && !state.column) return;
  if (leaf.kind === LEAF_CONTAINER) {
    if (state.column) presence(changetype<ColumnValues>(state.column), leaf, document);
    if (searchable) for (let i: u32 = leaf.visits; i > 0; i--) visit(state, leaf.field, document);
    return;
  }
  // the text of the value, if any
  let text = leaf.at;
  let length = leaf.length;
  if (leaf.kind === LEAF_ESCAPED) {
    changetype<Buffer>(valueText).length = 0;
    text = bufferRoom(valueText, <usize>length + SPARE_BYTES);
    length = unescapeString(leaf.at, length, text);
  } else if (leaf.kind === LEAF_TRUE) {
    text = literals;
  } else if (leaf.kind === LEAF_FALSE) {
    text = literals + 8;
  }
  if (state.column) {
    const column = changetype<ColumnValues>(state.column);
    presence(column, leaf, document);
    columnValue(column, leaf, state, document, text, length);
  }
  if (!searchable) return;
  const start = visit(state, leaf.field, document);
  if (start >= POSITION_LIMIT || leaf.kind === LEAF_NULL) return;
  if (leaf.kind === LEAF_NUMBER) {
    changetype<Buffer>(valueText).length = 0;
    const out = bufferRoom(valueText, <usize>length + NUMBER_TEXT_ROOM);
    length = numberText(leaf.at, length, out);
    text = out;
  }
  indexText(text, length, state, leaf.field, document, start);
}

/** Counts an occurrence of an attribute and returns the position at which its words start. */
function visit(state: FieldState, field: u32, document: u32): u32 {
  if (state.document === document + 1) {
    state.counter += HARD_GAP;
  } else {
    state.document = document + 1;
    state.counter = 0;
    state.words = 0;
    bufferPush32(fieldsWithWords, field);
  }
  return state.counter;
}

function indexText(text: usize, length: u32, state: FieldState, field: u32, document: u32, start: u32): void {
  const exact = (state.flags & FIELD_EXACT) !== 0;
  let position = start;
  // Gap to the next word: none before the first one, whatever separators precede it.
  let gap: u32 = 0;
  let started = false;
  streamBegin(tokenizer, text, length, state.locales);
  while (streamNext()) {
    const kind = streamKind();
    if (kind === TOKEN_HARD) {
      if (started) gap = HARD_GAP;
      continue;
    }
    if (kind === TOKEN_SOFT) continue;
    let word = streamLemma();
    let wordLength = streamLemmaLength();
    if (wordLength === 0) continue;
    position += gap;
    gap = 1;
    started = true;
    if (position >= POSITION_LIMIT) return;
    if (kind === TOKEN_STOP) continue;
    if (needsTrim(word, wordLength)) {
      const end = trimEnd(word, word + wordLength);
      word = trimStart(word, end);
      wordLength = <u32>(end - word);
    }
    // Longer words take a position but are not indexed.
    if (wordLength === 0 || wordLength > MAX_WORD_BYTES) continue;
    addWord(word, wordLength, document, field, position, exact);
    state.counter = position;
    state.words++;
  }
}

/** Whether a lemma may have white space at an end: only if it begins or ends with anything but printable ASCII. */
function needsTrim(word: usize, length: u32): bool {
  const first: u32 = load<u8>(word);
  const last: u32 = load<u8>(word + length - 1);
  return first - 0x21 >= 0x5e || last - 0x21 >= 0x5e;
}

function trimEnd(from: usize, to: usize): usize {
  let end = to;
  while (end > from && isWhiteSpace(utf8Decode(utf8Previous(end)))) end = utf8Previous(end);
  return end;
}

function trimStart(from: usize, end: usize): usize {
  let at = from;
  while (at < end && isWhiteSpace(utf8Decode(at))) at += utf8Length(load<u8>(at));
  return at;
}

function presence(column: ColumnValues, leaf: Leaf, document: u32): void {
  if (leaf.flags & LEAF_ELEMENT) return;
  columnExists(column, document);
  if (leaf.kind === LEAF_NULL) columnNull(column, document);
  const emptyText = leaf.kind === LEAF_STRING && leaf.length === 0;
  if (emptyText || leaf.flags & LEAF_EMPTY) columnEmpty(column, document);
}

function columnValue(column: ColumnValues, leaf: Leaf, state: FieldState, document: u32, text: usize, length: u32): void {
  if (state.flags & (FIELD_LATITUDE | FIELD_LONGITUDE)) {
    coordinate(column, leaf, state, document, text, length);
    return;
  }
  if (leaf.kind === LEAF_NULL) return;
  if (leaf.kind === LEAF_NUMBER) columnNumber(column, document, parseNumber(text, length));
  else if (length > 0) columnString(column, document, text, length);
}

/** `_geo.lat` and `_geo.lng`: numbers, even when written as strings, if geo search is enabled. */
function coordinate(column: ColumnValues, leaf: Leaf, state: FieldState, document: u32, text: usize, length: u32): void {
  if (!configHas(CONFIG_GEO)) return;
  let value: f64 = NaN;
  if (leaf.kind === LEAF_NUMBER) value = parseNumber(text, length);
  else if (leaf.kind === LEAF_STRING || leaf.kind === LEAF_ESCAPED) value = parseDecimalText(text, length);
  if (isNaN(value)) return;
  columnNumber(column, document, value);
  if (state.flags & FIELD_LATITUDE) latitude = value;
  else longitude = value;
}

/** Appends the word counts of the document, by ascending attribute. */
function countWords(): void {
  const list = changetype<Buffer>(fieldsWithWords);
  const end = list.data + list.length;
  sortCodes(list.data, list.length);
  for (let at = list.data; at < end; at += 4) {
    const field = load<u32>(at);
    const words = fieldState(field).words;
    if (words > 0) bufferPush32(wordCounts, (field << 8) | min<u32>(words, WORD_COUNT_MOST));
  }
}
