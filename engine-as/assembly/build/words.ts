/**
 * The terms of a segment under construction (in `word-table`), and for each term a linked list of chunks with its occurrences in order.
 *
 *   occurrence, a varint v and what follows:
 *     v & 1 = 0   same document and attribute: position is v >> 1 further
 *     v & 3 = 1   same document: attribute v >> 2, varint position
 *     v & 3 = 3   document v >> 2 further (the first: from -1): varint attribute, varint position
 */
import { alloc } from '../runtime/arena';
import { CACHE_LINE } from '../runtime/cache-line';
import { poolAlloc } from '../runtime/pool';
import { prefetch } from '../runtime/prefetch';
import { copyText, hashText } from '../runtime/text-bytes';
import { putVarint } from '../runtime/varint';
import { TERM_EXACT, TERM_TOLERANT } from '../segment/layout';
import { documentWordsAdd, documentWordsBegin } from './document-words';
import { isNumeric } from './numerals';
import { Term } from './term';
import { fillSlot, firstSlot, MAX_WORD_BYTES, slotOf, termIn, termText, wordTableBegin } from './word-table';

const CHUNK_HEAD: usize = 4;
const FIRST_CHUNK: u32 = 16;
const MAX_CHUNK_BYTES: u32 = 8192;
/** Bytes of the largest occurrence: three varints. */
const MAX_OCCURRENCE_BYTES: usize = 15;

const SAME_ATTRIBUTE: u32 = 0;
const NEXT_ATTRIBUTE: u32 = 1;
const NEXT_DOCUMENT: u32 = 3;

/** A word that waits until it is recorded; its text follows, up to MAX_WORD_BYTES. */
@unmanaged
class WaitingWord {
  hash: u32;
  length: u32;
  document: u32;
  attribute: u32;
  position: u32;
  exact: bool;
}

/** Words that are recorded together: enough that the cache misses for their terms overlap. */
const WAITING_WORDS: u32 = 64;
/** Texts are copied in words of 8 bytes, and read up to 8 bytes after their ends. */
const WAITING_BYTES: usize = (offsetof<WaitingWord>() + MAX_WORD_BYTES + 16 + 7) & ~7;

let numbersExact: bool = false;
let staging: usize = 0;
/** WaitingWord[WAITING_WORDS], each with its text */
let waiting: usize = 0;
let waitingCount: u32 = 0;

/** `exactNumbers`: words of numerals and punctuation go to the exact side. */
export function wordsBegin(exactNumbers: bool): void {
  wordTableBegin();
  documentWordsBegin();
  numbersExact = exactNumbers;
  staging = alloc(MAX_OCCURRENCE_BYTES + 8);
  waiting = alloc(<usize>WAITING_WORDS * WAITING_BYTES);
  waitingCount = 0;
}

/** The term of a word; the text must be readable for 8 bytes after its end. */
function termOf(text: usize, length: u32, hash: u32): Term {
  const slot = slotOf(text, length, hash);
  const known = termIn(slot);
  if (known !== 0) return changetype<Term>(known);
  const term = newTerm(text, length, hash);
  fillSlot(slot, term);
  return term;
}

function newTerm(text: usize, length: u32, hash: u32): Term {
  // The first chunk follows the text, because most terms need no other.
  const textBytes = (<usize>length + 3) & ~(<usize>3);
  const term = changetype<Term>(poolAlloc(offsetof<Term>() + textBytes + FIRST_CHUNK));
  // copyText may write up to 7 bytes beyond the text, into the first chunk, which is still empty.
  copyText(termText(term), text, length);
  term.hash = hash;
  term.length = length;
  term.docFreq = 0;
  term.lastDoc = 0xffffffff;
  term.lastCode = 0;
  term.firstChunk = termText(term) + textBytes;
  term.chunkBytes = FIRST_CHUNK;
  term.write = term.firstChunk + CHUNK_HEAD;
  term.chunkEnd = term.firstChunk + FIRST_CHUNK;
  term.flags = 0;
  term.numeric = numbersExact && isNumeric(text, length);
  store<u32>(term.firstChunk, 0);
  return term;
}

/**
 * Adds an occurrence of a word of at most {@link MAX_WORD_BYTES}; documents ascend, and so do positions within a document and
 * attribute. It waits until {@link recordWords} records it.
 */
export function addWord(text: usize, length: u32, document: u32, attribute: u32, position: u32, exact: bool): void {
  if (waitingCount === WAITING_WORDS) recordWords();
  const word = waitingAt(waitingCount++);
  word.hash = hashText(text, length);
  word.length = length;
  word.document = document;
  word.attribute = attribute;
  word.position = position;
  word.exact = exact;
  copyText(waitingText(word), text, length);
}

function waitingAt(index: u32): WaitingWord {
  return changetype<WaitingWord>(waiting + <usize>index * WAITING_BYTES);
}

function waitingText(word: WaitingWord): usize {
  return changetype<usize>(word) + offsetof<WaitingWord>();
}

/**
 * Records all waiting words. Nearly every word means a cache miss, which takes longer than all other work on it. So the slots and the
 * terms of all words are prefetched first, and the misses overlap.
 */
export function recordWords(): void {
  for (let i: u32 = 0; i < waitingCount; i++) prefetch(firstSlot(waitingAt(i).hash));
  for (let i: u32 = 0; i < waitingCount; i++) {
    const term = termIn(firstSlot(waitingAt(i).hash));
    if (!term) continue;
    prefetch(term);
    prefetch(term + CACHE_LINE);
  }
  for (let i: u32 = 0; i < waitingCount; i++) record(waitingAt(i));
  waitingCount = 0;
}

function record(word: WaitingWord): void {
  const document = word.document;
  const attribute = word.attribute;
  const position = word.position;
  const exact = word.exact;
  const term = termOf(waitingText(word), word.length, word.hash);
  term.flags |= exact || term.numeric ? TERM_EXACT : TERM_TOLERANT;
  documentWordsAdd(term, document, attribute, position);
  const roomy = term.chunkEnd - term.write >= MAX_OCCURRENCE_BYTES;
  const start = roomy ? term.write : staging;
  let to = start;
  if (term.lastDoc !== document) {
    to = putVarint(to, ((document - term.lastDoc) << 2) | NEXT_DOCUMENT);
    to = putVarint(to, attribute);
    to = putVarint(to, position);
    term.lastDoc = document;
    term.docFreq++;
  } else if (term.lastCode >>> 16 === attribute) {
    to = putVarint(to, ((position - (term.lastCode & 0xffff)) << 1) | SAME_ATTRIBUTE);
  } else {
    to = putVarint(to, (attribute << 2) | NEXT_ATTRIBUTE);
    to = putVarint(to, position);
  }
  term.lastCode = (attribute << 16) | position;
  if (roomy) term.write = to;
  else spill(term, to - start);
}

/** Appends staged bytes to a chain, with a new chunk when the last one is full. */
function spill(term: Term, length: usize): void {
  for (let i: usize = 0; i < length; i++) {
    if (term.write === term.chunkEnd) {
      const bytes = min<u32>(term.chunkBytes << 1, MAX_CHUNK_BYTES);
      const chunk = poolAlloc(bytes);
      store<u32>(chunk, 0);
      store<u32>(term.chunkEnd - term.chunkBytes, <u32>chunk);
      term.chunkBytes = bytes;
      term.write = chunk + CHUNK_HEAD;
      term.chunkEnd = chunk + bytes;
    }
    store<u8>(term.write++, load<u8>(staging + i));
  }
}

/** Address of all occurrences of a term if they are contiguous, else 0. */
export function occurrencesInPlace(term: Term): usize {
  return load<u32>(term.firstChunk) ? 0 : term.firstChunk + CHUNK_HEAD;
}

/** Bytes of all occurrences of a term. */
export function occurrenceBytes(term: Term): u32 {
  let bytes: u32 = 0;
  let size: u32 = FIRST_CHUNK;
  for (let chunk = term.firstChunk; chunk; chunk = load<u32>(chunk)) {
    bytes += load<u32>(chunk) ? size - <u32>CHUNK_HEAD : <u32>(term.write - chunk - CHUNK_HEAD);
    size = min<u32>(size << 1, MAX_CHUNK_BYTES);
  }
  return bytes;
}

/** Copies all occurrences of a term to one place. */
export function occurrencesCopy(term: Term, out: usize): void {
  let to = out;
  let size: usize = FIRST_CHUNK;
  for (let chunk = term.firstChunk; chunk; chunk = load<u32>(chunk)) {
    const bytes = load<u32>(chunk) ? size - CHUNK_HEAD : term.write - chunk - CHUNK_HEAD;
    memory.copy(to, chunk + CHUNK_HEAD, bytes);
    to += bytes;
    size = min<usize>(size << 1, MAX_CHUNK_BYTES);
  }
}
