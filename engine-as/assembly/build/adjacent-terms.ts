/**
 * Writes the words beside frequent ones: which words follow them, which others precede them, and in which documents. Words come in the order of
 * the documents; at the end those of each frequent word are sorted by term.
 */
import { alloc, allocZeroed } from '../runtime/arena';
import { Buffer, bufferCreate, bufferPush32 } from '../runtime/buffer';
import { Pages, pagesAlign, pagesAppend, pagesCreate } from '../runtime/pages';
import { AdjacentHeader, AdjacentTerm, FrequentTerm, NONE, TERM_ITSELF } from '../segment/layout';
import { SECTION_FOLLOWERS, SECTION_PREDECESSORS } from '../segment/section-kinds';
import { sectionAppend, sectionAppendPages, sectionBegin, sectionEnd } from '../segment/writer';
import { configLongRun } from './config';
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

/**
 * A word is frequent when one in this many documents contains it, and it has the postings of a long run: then the words beside it take
 * about 1/14 of a segment.
 */
const FREQUENT_SHARE: u32 = 20;
/**
 * A predecessor is stored if it is in at least one of this many of the documents that make a word frequent: the positions of rarer ones are soon
 * read.
 */
const PREDECESSOR_SHARE: u32 = 10;
const ALIGNMENT: u32 = 4;
/** documents of a frequent word, and of a predecessor, at least */
let least: u32 = 0;
let leastBefore: u32 = 0;
/** Buffer of u32: frequent terms, ascending */
let frequent: usize = 0;
/**
 * FoundDocuments of each: the terms that follow it, and those that precede it, in the order of the documents. After the last one of the
 * predecessors, those that follow themselves.
 */
let followers: usize = 0;
let predecessors: usize = 0;
/** the word before, NONE: there is none; its place among the frequent ones, NONE: it is not frequent; and the number of its documents */
let before: u32 = 0;
let beforePlace: u32 = 0;
let beforeFreq: u32 = 0;

/** Must be called before the terms are added with {@link adjacentTerm}. */
export function adjacentBegin(docCount: u32): void {
  least = max<u32>(docCount / FREQUENT_SHARE, max<u32>(configLongRun(), 1));
  leastBefore = max<u32>(least / PREDECESSOR_SHARE, 1);
  frequent = bufferCreate(256);
}

/** Adds the next term with its number of documents. */
export function adjacentTerm(term: u32, docFreq: u32): void {
  if (docFreq >= least) bufferPush32(frequent, term);
}

/** Must be called after the last term and before the words of documents. */
export function adjacentWords(): void {
  followers = emptyLists(frequentCount());
  predecessors = emptyLists(frequentCount() + 1);
  before = NONE;
}

function emptyLists(count: u32): usize {
  const lists = alloc(<usize>count * offsetof<FoundDocuments>() + 16);
  for (let i: u32 = 0; i < count; i++) foundBegin(listAt(lists, i));
  return lists;
}

function frequentCount(): u32 {
  return <u32>(changetype<Buffer>(frequent).length >> 2);
}

function frequentAt(index: u32): u32 {
  return load<u32>(changetype<Buffer>(frequent).data + ((<usize>index) << 2));
}

function listAt(lists: usize, index: u32): FoundDocuments {
  return changetype<FoundDocuments>(lists + <usize>index * offsetof<FoundDocuments>());
}

/** Place of a frequent term among the frequent ones. */
function placeOf(term: u32): u32 {
  let low: u32 = 0;
  let high = frequentCount();
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (frequentAt(middle) < term) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The next word does not follow the word before. */
export function adjacentBreak(): void {
  before = NONE;
}

/** Adds the next word of a document. */
export function adjacentWord(term: u32, docFreq: u32, document: u32): void {
  const own = docFreq >= least ? placeOf(term) : NONE;
  if (before !== NONE) {
    if (beforePlace !== NONE) foundAdd(listAt(followers, beforePlace), term, document);
    else if (beforeFreq >= leastBefore && (own !== NONE || before === term)) {
      foundAdd(listAt(predecessors, own === NONE ? frequentCount() : own), before, document);
    }
  }
  before = term;
  beforePlace = own;
  beforeFreq = docFreq;
}

/** Writes SECTION_FOLLOWERS and SECTION_PREDECESSORS, if there are frequent words. */
export function writeAdjacent(termCount: u32): void {
  if (frequentCount() === 0) return;
  writeLists(SECTION_FOLLOWERS, followers, frequentCount(), 1, termCount);
  bufferPush32(frequent, TERM_ITSELF);
  writeLists(SECTION_PREDECESSORS, predecessors, frequentCount(), leastBefore, termCount);
}

function writeLists(kind: u32, lists: usize, count: u32, leastAdjacent: u32, termCount: u32): void {
  const header = changetype<AdjacentHeader>(allocZeroed(offsetof<AdjacentHeader>()));
  header.count = count;
  header.termsOffset = <u32>offsetof<AdjacentHeader>();
  header.least = leastAdjacent;
  const terms = allocZeroed(<usize>count * offsetof<FrequentTerm>());
  /** Pages of AdjacentTerm and of documents: the parts of the section that follow the frequent terms */
  const parts = pagesCreate();
  const partsOffset = header.termsOffset + count * <u32>offsetof<FrequentTerm>();
  let most: u32 = 0;
  for (let i: u32 = 0; i < count; i++) most = max<u32>(most, listAt(lists, i).count);
  const grouping = groupingCreate(most);
  const bytes = alloc(<usize>most * MAX_DOCUMENT_BYTES + 16);
  for (let i: u32 = 0; i < count; i++) {
    const term = changetype<FrequentTerm>(terms + <usize>i * offsetof<FrequentTerm>());
    term.term = frequentAt(i);
    const list = listAt(lists, i);
    const adjacent = bufferCreate(1024);
    const length = encode(groupDocuments(list, termCount, grouping), list.count, adjacent, bytes);
    term.count = <u32>(changetype<Buffer>(adjacent).length / offsetof<AdjacentTerm>()) - 1;
    pagesAlign(parts, ALIGNMENT);
    term.adjacentOffset = partsOffset + <u32>changetype<Pages>(parts).length;
    pagesAppend(parts, changetype<Buffer>(adjacent).data, changetype<Buffer>(adjacent).length);
    term.documentsOffset = partsOffset + <u32>changetype<Pages>(parts).length;
    pagesAppend(parts, bytes, length);
  }
  sectionBegin();
  sectionAppend(changetype<usize>(header), offsetof<AdjacentHeader>());
  sectionAppend(terms, <usize>count * offsetof<FrequentTerm>());
  sectionAppendPages(parts);
  sectionEnd(kind, 0);
}

/**
 * Encodes the documents of each term, FoundDocument[count], each document once, and appends their places as AdjacentTerm; returns the bytes
 * that they take.
 */
function encode(documents: usize, count: u32, adjacent: usize, bytes: usize): usize {
  const end = documents + <usize>count * offsetof<FoundDocument>();
  let to = bytes;
  for (let from = documents; from < end; ) {
    const next = groupEnd(from, end);
    bufferPush32(adjacent, changetype<FoundDocument>(from).number);
    bufferPush32(adjacent, <u32>(to - bytes));
    to = encodeGroup(from, next, to);
    from = next;
  }
  bufferPush32(adjacent, NONE);
  bufferPush32(adjacent, <u32>(to - bytes));
  return <usize>(to - bytes);
}
