/**
 * Writes which terms are also two neighbouring words, and in which documents: `files` is `file s` in some. The terms are added in byte order, so
 * that those which begin a term are at hand; what is left of it is looked up. All such pairs of terms are put into a filter, and the words of
 * the documents, which come afterwards, are tested against it.
 */
import { filterAddKey, filterHasKey, KeyFilter, keyFilterCreate } from '../dictionary/key-filter';
import { alloc } from '../runtime/arena';
import { Buffer, bufferCreate, bufferPush32, bufferPush64, bufferRoom } from '../runtime/buffer';
import { grownSlots, newSlots } from '../runtime/hash-slots';
import { copyText, HASH_MULTIPLIER } from '../runtime/text-bytes';
import { NONE, Split, SplitsHeader } from '../segment/layout';
import { SECTION_SPLITS } from '../segment/section-kinds';
import { NUMBER_COUNTS_BYTES, NumberEntry, sortNumbers } from '../segment/sort';
import { sectionAppend, sectionAppendBuffer, sectionBegin, sectionEnd } from '../segment/writer';
import {
  encodeGroup,
  FoundDocument,
  FoundDocuments,
  foundAdd,
  foundBegin,
  groupDocuments,
  groupEnd,
  groupingCreate,
  MAX_DOCUMENT_BYTES,
} from './grouped-documents';
import { numberedTerm, termOfNumber } from './sorted-terms';
import { Term, termText } from './term';
import { findWord, MAX_WORD_BYTES, wordCount } from './word-table';

/**
 * With more pairs of terms that are a term together than this many for each term, the section is left out: finding them would take too much
 * memory. Packages have one to three, most of them of numbers.
 */
const MOST_PAIRS_PER_TERM: u32 = 16;
const FIRST_MASK: u32 = 1023;
/** Texts are read and copied in words of 8 bytes. */
const SPARE_BYTES: usize = 8;
const LEFT_BITS: u64 = 8;

/** Neighbouring words that passed the filter. */
@unmanaged
class PassedPair {
  /** the numbers of both terms, as {@link pairKey} */
  key: u64;
  /** number of the split; NONE: no term is the text of both */
  split: u32;
}

/** A pair that is a term, by its number. */
@unmanaged
class FoundSplit {
  term: u32;
  leftBytes: u32;
}

/** u32 addresses of the terms that begin the one added last, and itself, the shortest one first */
let open: usize = 0;
let openCount: u32 = 0;
/** Buffer of u64: keys of the pairs of terms that are a term together */
let keys: usize = 0;
/** whether there are too many of them */
let isLeftOut: bool = false;
let filter = changetype<KeyFilter>(0);
/** slots of PassedPair */
let slots: usize = 0;
let mask: u32 = 0;
let passedCount: u32 = 0;
/** Buffer of FoundSplit */
let splits: usize = 0;
let found = changetype<FoundDocuments>(0);
let joined: usize = 0;
/** number of the word before; NONE: there is none */
let before: u32 = NONE;

/** Must be called before the terms are added with {@link splitsTerm}. */
export function splitsBegin(): void {
  open = alloc((<usize>MAX_WORD_BYTES + 1) << 2);
  openCount = 0;
  keys = bufferCreate(1 << 14);
  isLeftOut = false;
}

function openAt(index: u32): Term {
  return changetype<Term>(<usize>load<u32>(open + ((<usize>index) << 2)));
}

function pairKey(left: u32, right: u32): u64 {
  return ((<u64>left) << 32) | <u64>right;
}

/** Adds the next term: the bytes that it shares with the one before, and its text, which is readable for 8 bytes after its end. */
export function splitsTerm(term: Term, text: usize, shared: u32): void {
  if (isLeftOut) return;
  while (openCount > 0 && openAt(openCount - 1).length > shared) openCount--;
  for (let i: u32 = 0; i < openCount; i++) {
    const left = openAt(i);
    const right = findWord(text + left.length, term.length - left.length);
    if (right !== 0) bufferPush64(keys, pairKey(left.number, changetype<Term>(right).number));
  }
  store<u32>(open + ((<usize>openCount) << 2), <u32>changetype<usize>(term));
  openCount++;
  // What was found so far must not let anything pass.
  isLeftOut = changetype<Buffer>(keys).length >> 3 > <usize>wordCount() * MOST_PAIRS_PER_TERM;
  if (isLeftOut) changetype<Buffer>(keys).length = 0;
}

/** Must be called after the last term and before the words of documents. */
export function splitsWords(): void {
  const list = changetype<Buffer>(keys);
  filter = keyFilterCreate(<u32>(list.length >> 3));
  for (let at = list.data; at < list.data + list.length; at += 8) filterAddKey(filter, load<u64>(at));
  mask = FIRST_MASK;
  slots = newSlots(mask);
  passedCount = 0;
  splits = bufferCreate(1 << 12);
  found = changetype<FoundDocuments>(alloc(offsetof<FoundDocuments>()));
  foundBegin(found);
  joined = alloc(<usize>MAX_WORD_BYTES + 2 * SPARE_BYTES);
  before = NONE;
}

/** The next word does not follow the word before. */
export function splitsBreak(): void {
  before = NONE;
}

/** Adds the next word of a document: the number of its term in the order of first occurrences. */
export function splitsWord(term: u32, document: u32): void {
  const left = before;
  before = term;
  if (left === NONE || !filterHasKey(filter, pairKey(left, term))) return;
  const pair = passedPair(left, term);
  if (pair.split !== NONE) foundAdd(found, pair.split, document);
}

function passedPair(left: u32, right: u32): PassedPair {
  const key = pairKey(left, right);
  const hash = <u32>((key * HASH_MULTIPLIER) >> 32);
  let slot = hash & mask;
  while (true) {
    const entry = load<u64>(slots + ((<usize>slot) << 3));
    if (entry === 0) break;
    const pair = changetype<PassedPair>(<usize>(<u32>entry));
    if (pair.key === key) return pair;
    slot = (slot + 1) & mask;
  }
  const pair = changetype<PassedPair>(alloc(offsetof<PassedPair>()));
  pair.key = key;
  pair.split = splitOf(termOfNumber(left), termOfNumber(right));
  store<u64>(slots + ((<usize>slot) << 3), ((<u64>hash) << 32) | <u64>changetype<usize>(pair));
  if (++passedCount << 1 > mask) {
    slots = grownSlots(slots, mask, (mask << 1) | 1);
    mask = (mask << 1) | 1;
  }
  return pair;
}

/** A new split of the term that is the text of two terms; NONE when there is none. */
function splitOf(left: Term, right: Term): u32 {
  if (left.length + right.length > MAX_WORD_BYTES) return NONE;
  copyText(joined, termText(left), left.length);
  copyText(joined + left.length, termText(right), right.length);
  const whole = findWord(joined, left.length + right.length);
  if (whole === 0) return NONE;
  const split = changetype<FoundSplit>(bufferRoom(splits, offsetof<FoundSplit>()));
  split.term = numberedTerm(changetype<Term>(whole).number).index;
  split.leftBytes = left.length;
  changetype<Buffer>(splits).length += offsetof<FoundSplit>();
  return splitCount() - 1;
}

function splitCount(): u32 {
  return <u32>(changetype<Buffer>(splits).length / offsetof<FoundSplit>());
}

function splitAt(number: u32): FoundSplit {
  return changetype<FoundSplit>(changetype<Buffer>(splits).data + <usize>number * offsetof<FoundSplit>());
}

/** The numbers of the splits by ascending term and length of the left half: NumberEntry[splitCount()]. */
function sortedSplits(): usize {
  const count = splitCount();
  const entries = alloc(<usize>count * offsetof<NumberEntry>() + 16);
  for (let number: u32 = 0; number < count; number++) {
    const entry = changetype<NumberEntry>(entries + <usize>number * offsetof<NumberEntry>());
    entry.key = ((<u64>splitAt(number).term) << LEFT_BITS) | <u64>splitAt(number).leftBytes;
    entry.value = number;
  }
  return sortNumbers(entries, count, alloc(<usize>count * offsetof<NumberEntry>() + 16), alloc(NUMBER_COUNTS_BYTES));
}

/** Writes SECTION_SPLITS, unless there are too many pairs. */
export function writeSplits(): void {
  if (isLeftOut) return;
  const count = splitCount();
  const documents = groupDocuments(found, count, groupingCreate(found.count));
  const documentsEnd = documents + <usize>found.count * offsetof<FoundDocument>();
  /** u32[count]: the first document of each split; all have some */
  const starts = alloc(((<usize>count) << 2) + 16);
  for (let from = documents; from < documentsEnd; from = groupEnd(from, documentsEnd)) {
    store<u32>(starts + ((<usize>changetype<FoundDocument>(from).number) << 2), <u32>from);
  }
  const sorted = sortedSplits();
  const header = changetype<SplitsHeader>(alloc(offsetof<SplitsHeader>()));
  header.count = count;
  header.documentsOffset = <u32>offsetof<SplitsHeader>() + (count + 1) * <u32>offsetof<Split>();
  const entries = bufferCreate((<usize>count + 1) * offsetof<Split>());
  const bytes = alloc(<usize>found.count * MAX_DOCUMENT_BYTES + 16);
  let to = bytes;
  for (let i: u32 = 0; i < count; i++) {
    const number = changetype<NumberEntry>(sorted + <usize>i * offsetof<NumberEntry>()).value;
    pushSplit(entries, splitAt(number).term, splitAt(number).leftBytes, <u32>(to - bytes));
    const from = <usize>load<u32>(starts + ((<usize>number) << 2));
    to = encodeGroup(from, groupEnd(from, documentsEnd), to);
  }
  pushSplit(entries, NONE, 0, <u32>(to - bytes));
  sectionBegin();
  sectionAppend(changetype<usize>(header), offsetof<SplitsHeader>());
  sectionAppendBuffer(entries);
  sectionAppend(bytes, to - bytes);
  sectionEnd(SECTION_SPLITS, 0);
}

function pushSplit(entries: usize, term: u32, leftBytes: u32, offset: u32): void {
  bufferPush32(entries, term);
  bufferPush32(entries, leftBytes);
  bufferPush32(entries, offset);
}
