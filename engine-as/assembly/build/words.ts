/** Records the words of documents: their terms (in word-table) and the words themselves (in word-stream). */
import { alloc } from '../runtime/arena';
import { CACHE_LINE } from '../runtime/cache-line';
import { poolAlloc } from '../runtime/pool';
import { prefetch } from '../runtime/prefetch';
import { copyText, hashText } from '../runtime/text-bytes';
import { TERM_EXACT, TERM_TOLERANT } from '../segment/layout';
import { isNumeric } from './numerals';
import { countOccurrence } from './occurrences';
import { Term, termText } from './term';
import { wordStreamAdd, wordStreamBegin } from './word-stream';
import { fillSlot, firstSlot, MAX_WORD_BYTES, slotOf, termIn, wordCount, wordTableBegin } from './word-table';

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
/** WaitingWord[WAITING_WORDS], each with its text */
let waiting: usize = 0;
let waitingCount: u32 = 0;

/** `exactNumbers`: words of numerals and punctuation go to the exact side. */
export function wordsBegin(exactNumbers: bool): void {
  wordTableBegin();
  wordStreamBegin();
  numbersExact = exactNumbers;
  waiting = alloc(<usize>WAITING_WORDS * WAITING_BYTES);
  waitingCount = 0;
}

/** The term of a word; the text must be readable for 8 bytes after its end. */
function termOf(text: usize, length: u32, hash: u32): Term {
  const slot = slotOf(text, length, hash);
  const known = termIn(slot);
  if (known !== 0) return changetype<Term>(known);
  const term = newTerm(text, length);
  fillSlot(slot, hash, term);
  return term;
}

function newTerm(text: usize, length: u32): Term {
  const term = changetype<Term>(poolAlloc(offsetof<Term>() + length));
  // This may write up to 7 bytes beyond the text, where nothing is yet.
  copyText(termText(term), text, length);
  term.number = wordCount();
  term.docFreq = 0;
  term.lastDoc = 0xffffffff;
  term.lastCode = 0;
  term.occurrenceBytes = 0;
  term.length = length;
  term.flags = 0;
  term.numeric = numbersExact && isNumeric(text, length);
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
  const term = termOf(waitingText(word), word.length, word.hash);
  term.flags |= word.exact || term.numeric ? TERM_EXACT : TERM_TOLERANT;
  wordStreamAdd(term.number, word.document, word.attribute, word.position);
  countOccurrence(term, word.document, word.attribute, word.position);
}
