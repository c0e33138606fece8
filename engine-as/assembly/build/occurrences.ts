/**
 * The occurrences of terms in order, made from the words of documents (word-stream): only their bytes are counted while documents are added, so
 * that a term takes no more memory for each.
 *
 *   occurrence, a varint v and what follows:
 *     v & 1 = 0   same document and attribute: position is v >> 1 further
 *     v & 3 = 1   same document: attribute v >> 2, varint position
 *     v & 3 = 3   document v >> 2 further (the first: from -1): varint attribute, varint position
 */
import { alloc, allocZeroed } from '../runtime/arena';
import { blocksFrom } from '../runtime/blocks';
import { putVarint, varintBytes } from '../runtime/varint';
import { NONE } from '../segment/layout';
import { configCollectedBytes } from './config';
import { sortedTerm } from './sorted-terms';
import { Term } from './term';
import {
  ATTRIBUTE,
  documentEntries,
  HALF_BYTES,
  SKIP,
  termOfEntry,
  WIDE_TERM,
  wordBlock,
  wordBlockEnd,
  wordBlocks,
} from './word-stream';

/**
 * Bytes of occurrences that are in memory at once; when there are more, all words are read several times, which takes about 1/100 of building the
 * segment each time.
 */
const COLLECTED_BYTES: u32 = 128 << 20;

const SAME_ATTRIBUTE: u32 = 0;
const NEXT_ATTRIBUTE: u32 = 1;
const NEXT_DOCUMENT: u32 = 3;
const NO_DOCUMENT: u32 = 0xffffffff;

/** Where the next occurrence of a term goes, and its last one. */
@unmanaged
class Cursor {
  /** 0: its occurrences are not collected */
  to: usize;
  lastDoc: u32;
  lastCode: u32;
}

/** Cursor[]: by number of the term */
let cursors: usize = 0;
let collected: usize = 0;
let collectedBytes: usize = 0;

/** Counts an occurrence of a term. */
export function countOccurrence(term: Term, document: u32, attribute: u32, position: u32): void {
  const code = (attribute << 16) | position;
  const last = term.lastCode;
  if (term.lastDoc !== document) {
    const head = varintBytes(((document - term.lastDoc) << 2) | NEXT_DOCUMENT);
    term.occurrenceBytes += head + varintBytes(attribute) + varintBytes(position);
    term.lastDoc = document;
    term.docFreq++;
  } else if (last >>> 16 === attribute) {
    term.occurrenceBytes += varintBytes(((code - last) << 1) | SAME_ATTRIBUTE);
  } else {
    term.occurrenceBytes += varintBytes((attribute << 2) | NEXT_ATTRIBUTE) + varintBytes(position);
  }
  term.lastCode = code;
}

/** Prepares for the terms of a segment, which are sorted. */
export function occurrencesBegin(count: u32): void {
  cursors = allocZeroed(<usize>count * offsetof<Cursor>());
  let largest: usize = 0;
  let all: usize = 0;
  for (let i: u32 = 0; i < count; i++) {
    const bytes = <usize>sortedTerm(i).occurrenceBytes;
    largest = max<usize>(largest, bytes);
    all += bytes;
  }
  const most = configCollectedBytes() === NONE ? COLLECTED_BYTES : configCollectedBytes();
  collectedBytes = max<usize>(largest, min<usize>(all, most));
  collected = alloc(collectedBytes);
}

/** Collects the occurrences of as many of the terms [from, count) as fit. Returns the first term of which they are not. */
export function collectOccurrences(from: u32, count: u32): u32 {
  let to = collected;
  let term = from;
  for (; term < count; term++) {
    const each = sortedTerm(term);
    if (to + each.occurrenceBytes > collected + collectedBytes) break;
    const cursor = cursorOf(each.number);
    cursor.to = to;
    cursor.lastDoc = NO_DOCUMENT;
    cursor.lastCode = 0;
    to += each.occurrenceBytes;
  }
  readWords();
  for (let i = from; i < term; i++) cursorOf(sortedTerm(i).number).to = 0;
  return term;
}

/** The occurrences that were collected last, one term after the other. */
export function collectedOccurrences(): usize {
  return collected;
}

/** The occurrences are not needed any more. */
export function releaseOccurrences(): void {
  blocksFrom(collected, collectedBytes);
}

function cursorOf(number: u32): Cursor {
  return changetype<Cursor>(cursors + <usize>number * offsetof<Cursor>());
}

/** Reads all words of documents. */
function readWords(): void {
  const starts = documentEntries();
  let document: u32 = 0;
  let documentEnd = load<u32>(starts, 4);
  let index: u32 = 0;
  let attribute: u32 = 0;
  let position: u32 = 0;
  for (let block: u32 = 0; block < wordBlocks(); block++) {
    const end = wordBlockEnd(block);
    for (let at = wordBlock(block); at < end; at += HALF_BYTES) {
      const entry: u32 = load<u16>(at);
      if (entry < SKIP) {
        const cursor = cursorOf(termOfEntry(entry, at));
        if (entry >= WIDE_TERM) at += HALF_BYTES;
        if (cursor.to) putOccurrence(cursor, document, attribute, position);
        position++;
      } else if (entry === ATTRIBUTE) {
        at += HALF_BYTES;
        attribute = load<u16>(at);
        position = 0;
        while (documentEnd <= index) documentEnd = load<u32>(starts + ((<usize>++document) << 2), 4);
      } else {
        position += entry - SKIP;
      }
      index++;
    }
  }
}

/** Writes an occurrence: as {@link countOccurrence} counts it. */
function putOccurrence(cursor: Cursor, document: u32, attribute: u32, position: u32): void {
  const code = (attribute << 16) | position;
  const last = cursor.lastCode;
  let to = cursor.to;
  if (cursor.lastDoc !== document) {
    to = putVarint(to, ((document - cursor.lastDoc) << 2) | NEXT_DOCUMENT);
    to = putVarint(to, attribute);
    to = putVarint(to, position);
    cursor.lastDoc = document;
  } else if (last >>> 16 === attribute) {
    to = putVarint(to, ((code - last) << 1) | SAME_ATTRIBUTE);
  } else {
    to = putVarint(to, (attribute << 2) | NEXT_ATTRIBUTE);
    to = putVarint(to, position);
  }
  cursor.to = to;
  cursor.lastCode = code;
}
