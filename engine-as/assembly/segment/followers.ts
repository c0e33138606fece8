/**
 * Writes the followers of frequent words: which words follow them, and in which documents. Words come in the order of the
 * documents; at the end the followers of each word are sorted by term.
 */
import { alloc, allocZeroed } from '../runtime/arena';
import { Buffer, bufferCreate, bufferPush32 } from '../runtime/buffer';
import { Pages, pageAddress, pageLength, pagesAlign, pagesAppend, pagesCount, pagesCreate } from '../runtime/pages';
import { configLongRun } from './config';
import { FollowedWord, Follower, FollowersHeader, SECTION_FOLLOWERS } from './layout';
import { sectionBegin, sectionEnd } from './writer';

/**
 * A word is frequent when one in this many documents contains it, and it has the postings of a long run: then followers take about
 * 1/30 of a segment.
 */
const FREQUENT_SHARE: u32 = 8;
const NONE: u32 = 0xffffffff;
const ALIGNMENT: u32 = 4;
/** Growth increment of the list of followers of a word, in bytes. */
const CHUNK_BYTES: usize = 65536;
const MAX_VARINT_BYTES: usize = 5;

/** A word that follows another one: its term and document. */
@unmanaged
class Following {
  term: u32;
  document: u32;
}

/** What follows one word, in the order of the documents. */
@unmanaged
class FollowingList {
  /** Buffer of u32 addresses of chunks of CHUNK_BYTES, all full but the last */
  chunks: usize;
  at: usize;
  end: usize;
  count: u32;
}

let least: u32 = 0;
/** Buffer of u32: frequent terms, ascending */
let frequent: usize = 0;
/** FollowingList of each */
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
  lists = allocZeroed(<usize>frequentCount() * offsetof<FollowingList>() + 16);
  for (let i: u32 = 0; i < frequentCount(); i++) listAt(i).chunks = bufferCreate(64);
  before = NONE;
}

function frequentCount(): u32 {
  return <u32>(changetype<Buffer>(frequent).length >> 2);
}

function frequentAt(index: u32): u32 {
  return load<u32>(changetype<Buffer>(frequent).data + ((<usize>index) << 2));
}

function listAt(index: u32): FollowingList {
  return changetype<FollowingList>(lists + <usize>index * offsetof<FollowingList>());
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
  if (before !== NONE) {
    const list = listAt(before);
    if (list.at === list.end) {
      list.at = alloc(CHUNK_BYTES);
      list.end = list.at + CHUNK_BYTES;
      bufferPush32(list.chunks, <u32>list.at);
    }
    const following = changetype<Following>(list.at);
    following.term = term;
    following.document = document;
    list.at += offsetof<Following>();
    list.count++;
  }
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
  const bytes = alloc(<usize>most * MAX_VARINT_BYTES + 16);
  for (let i: u32 = 0; i < count; i++) {
    const word = changetype<FollowedWord>(words + <usize>i * offsetof<FollowedWord>());
    word.term = frequentAt(i);
    sortByTerm(listAt(i), termCount, ends, documents);
    const followers = bufferCreate(1024);
    const length = encode(termCount, ends, documents, followers, bytes);
    word.count = <u32>(changetype<Buffer>(followers).length / offsetof<Follower>()) - 1;
    pagesAlign(parts, ALIGNMENT);
    word.followersOffset = partsOffset + <u32>changetype<Pages>(parts).length;
    pagesAppend(parts, changetype<Buffer>(followers).data, changetype<Buffer>(followers).length);
    word.documentsOffset = partsOffset + <u32>changetype<Pages>(parts).length;
    pagesAppend(parts, bytes, length);
  }
  const pages = sectionBegin();
  pagesAppend(pages, changetype<usize>(header), offsetof<FollowersHeader>());
  pagesAppend(pages, words, <usize>count * offsetof<FollowedWord>());
  for (let page: u32 = 0; page < pagesCount(parts); page++) pagesAppend(pages, pageAddress(parts, page), pageLength(parts, page));
  sectionEnd(SECTION_FOLLOWERS, 0);
}

/** Writes the documents of a list by ascending term; `ends`: u32[termCount + 1], afterwards the end of each term's documents. */
function sortByTerm(list: FollowingList, termCount: u32, ends: usize, documents: usize): void {
  memory.fill(ends, 0, (<usize>termCount + 1) << 2);
  const chunks = changetype<Buffer>(list.chunks);
  for (let chunk: usize = 0; chunk < chunks.length; chunk += 4) {
    const from: usize = load<u32>(chunks.data + chunk);
    const to = chunk + 4 === chunks.length ? list.at : from + CHUNK_BYTES;
    for (let at = from; at < to; at += offsetof<Following>()) {
      const place = ends + ((<usize>changetype<Following>(at).term + 1) << 2);
      store<u32>(place, load<u32>(place) + 1);
    }
  }
  for (let term: u32 = 1; term <= termCount; term++) {
    const place = ends + ((<usize>term) << 2);
    store<u32>(place, load<u32>(place) + load<u32>(place - 4));
  }
  for (let chunk: usize = 0; chunk < chunks.length; chunk += 4) {
    const from: usize = load<u32>(chunks.data + chunk);
    const to = chunk + 4 === chunks.length ? list.at : from + CHUNK_BYTES;
    for (let at = from; at < to; at += offsetof<Following>()) {
      const following = changetype<Following>(at);
      const place = ends + ((<usize>following.term) << 2);
      const next = load<u32>(place);
      store<u32>(documents + ((<usize>next) << 2), following.document);
      store<u32>(place, next + 1);
    }
  }
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
    let last: u32 = NONE;
    for (; from < end; from++) {
      const document = load<u32>(documents + ((<usize>from) << 2));
      if (document === last) continue;
      let delta = document - last;
      for (; delta >= 0x80; delta >>>= 7) store<u8>(to++, delta | 0x80);
      store<u8>(to++, delta);
      last = document;
    }
  }
  bufferPush32(followers, NONE);
  bufferPush32(followers, <u32>(to - bytes));
  return <usize>(to - bytes);
}
