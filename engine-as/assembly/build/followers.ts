/**
 * Writes the followers of frequent words: which words follow them, and in which documents. Words come in the order of the
 * documents; at the end the followers of each word are sorted by term.
 */
import { alloc, allocZeroed } from '../runtime/arena';
import { Buffer, bufferCreate, bufferPush32 } from '../runtime/buffer';
import { Pages, pagesAlign, pagesAppend, pagesCreate } from '../runtime/pages';
import { FollowedWord, Follower, FollowersHeader } from '../segment/layout';
import { SECTION_FOLLOWERS } from '../segment/section-kinds';
import { sectionAppend, sectionAppendPages, sectionBegin, sectionEnd } from '../segment/writer';
import { configLongRun } from './config';
import { encodeDocuments, FoundDocuments, foundAdd, foundBegin, groupDocuments, MAX_DOCUMENT_BYTES } from './grouped-documents';

/**
 * A word is frequent when one in this many documents contains it, and it has the postings of a long run: then followers take about
 * 1/20 of a segment.
 */
const FREQUENT_SHARE: u32 = 20;
const NONE: u32 = 0xffffffff;
const ALIGNMENT: u32 = 4;
let least: u32 = 0;
/** Buffer of u32: frequent terms, ascending */
let frequent: usize = 0;
/** FoundDocuments of each: the terms that follow it, in the order of the documents */
let lists: usize = 0;
/** place of the word before among the frequent ones, NONE: it is not frequent */
let before: u32 = 0;

/** Must be called before the terms are added with {@link followersTerm}. */
export function followersBegin(docCount: u32): void {
  least = max<u32>(docCount / FREQUENT_SHARE, max<u32>(configLongRun(), 1));
  frequent = bufferCreate(256);
}

/** Adds the next term with its number of documents. */
export function followersTerm(term: u32, docFreq: u32): void {
  if (docFreq >= least) bufferPush32(frequent, term);
}

/** Must be called after the last term and before the words of documents. */
export function followersWords(): void {
  lists = alloc(<usize>frequentCount() * offsetof<FoundDocuments>() + 16);
  for (let i: u32 = 0; i < frequentCount(); i++) foundBegin(listAt(i));
  before = NONE;
}

function frequentCount(): u32 {
  return <u32>(changetype<Buffer>(frequent).length >> 2);
}

function frequentAt(index: u32): u32 {
  return load<u32>(changetype<Buffer>(frequent).data + ((<usize>index) << 2));
}

function listAt(index: u32): FoundDocuments {
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
export function followersBreak(): void {
  before = NONE;
}

/** Adds the next word of a document. */
export function followersWord(term: u32, docFreq: u32, document: u32): void {
  if (before !== NONE) foundAdd(listAt(before), term, document);
  before = docFreq >= least ? placeOf(term) : NONE;
}

/** Writes SECTION_FOLLOWERS, if there are frequent words. */
export function writeFollowers(termCount: u32): void {
  const count = frequentCount();
  if (count === 0) return;
  const header = changetype<FollowersHeader>(allocZeroed(offsetof<FollowersHeader>()));
  header.count = count;
  header.wordsOffset = <u32>offsetof<FollowersHeader>();
  const words = allocZeroed(<usize>count * offsetof<FollowedWord>());
  /** Pages of Follower and of documents: the parts of the section that follow the words */
  const parts = pagesCreate();
  const partsOffset = header.wordsOffset + count * <u32>offsetof<FollowedWord>();
  let most: u32 = 0;
  for (let i: u32 = 0; i < count; i++) most = max<u32>(most, listAt(i).count);
  const ends = alloc((<usize>termCount + 1) << 2);
  const documents = alloc(((<usize>most) << 2) + 16);
  const bytes = alloc(<usize>most * MAX_DOCUMENT_BYTES + 16);
  for (let i: u32 = 0; i < count; i++) {
    const word = changetype<FollowedWord>(words + <usize>i * offsetof<FollowedWord>());
    word.term = frequentAt(i);
    groupDocuments(listAt(i), termCount, ends, documents);
    const followers = bufferCreate(1024);
    const length = encode(termCount, ends, documents, followers, bytes);
    word.count = <u32>(changetype<Buffer>(followers).length / offsetof<Follower>()) - 1;
    pagesAlign(parts, ALIGNMENT);
    word.followersOffset = partsOffset + <u32>changetype<Pages>(parts).length;
    pagesAppend(parts, changetype<Buffer>(followers).data, changetype<Buffer>(followers).length);
    word.documentsOffset = partsOffset + <u32>changetype<Pages>(parts).length;
    pagesAppend(parts, bytes, length);
  }
  sectionBegin();
  sectionAppend(changetype<usize>(header), offsetof<FollowersHeader>());
  sectionAppend(words, <usize>count * offsetof<FollowedWord>());
  sectionAppendPages(parts);
  sectionEnd(SECTION_FOLLOWERS, 0);
}

/** Encodes the documents of each term, each document once, and appends their places as Follower; returns the bytes that they take. */
function encode(termCount: u32, ends: usize, documents: usize, followers: usize, bytes: usize): usize {
  let to = bytes;
  let from: u32 = 0;
  for (let term: u32 = 0; term < termCount; term++) {
    const end = load<u32>(ends + ((<usize>term) << 2));
    if (end === from) continue;
    bufferPush32(followers, term);
    bufferPush32(followers, <u32>(to - bytes));
    to = encodeDocuments(documents + ((<usize>from) << 2), documents + ((<usize>end) << 2), to);
    from = end;
  }
  bufferPush32(followers, NONE);
  bufferPush32(followers, <u32>(to - bytes));
  return <usize>(to - bytes);
}
