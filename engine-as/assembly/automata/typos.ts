/**
 * Finds the words of a dictionary within an edit distance of a query word: restricted Damerau-Levenshtein over code points (a
 * transposition of neighbours counts as one edit, and is not edited again).
 * The sorted dictionary is walked as an implicit trie: a stack holds the state after each code point of the current word, and a
 * word continues from the prefix that it shares with the word before. Once a prefix cannot come within the distance any more, all
 * words with that prefix are skipped by their shared-prefix lengths. The states are bit sets of `distance.ts`.
 */

import { firstAt } from '../dictionary/samples';
import { termIsTolerant } from '../dictionary/sides';
import { prefixEnd, prefixStart, termBegin, termLength } from '../dictionary/terms';
import { alloc } from '../runtime/arena';
import { Samples } from '../segment/layout';
import { SegmentView } from '../segment/view';
import { isDead, levelAfter, levelBefore, levelsOf, queryCreate } from './distance';

/** Longest word in bytes, hence in code points. */
const MAX_WORD: u32 = 256;
/** Shared-prefix lengths that are compared at once. */
const LANES: u32 = 16;

/** An ascending list of term numbers with a maximum length. */
@unmanaged
class TermList {
  terms: usize;
  count: u32;
  limit: u32;
}

let view: usize = 0;
let tombstones: usize = 0;
let attributes: usize = 0; // u8 a field; only read where there are tombstones
let query: usize = 0; // u32 code points, see `distance.ts`
let queryLength: u32 = 0;
let budget: u32 = 0;
let prefixMode: bool = false;
let one: usize = 0; // TermList
let two: usize = 0; // TermList

function newList(limit: u32): usize {
  const list = changetype<TermList>(alloc(offsetof<TermList>()));
  list.terms = alloc((<usize>limit) << 2);
  list.count = 0;
  list.limit = limit;
  return changetype<usize>(list);
}

function isFull(list: usize): bool {
  return changetype<TermList>(list).count >= changetype<TermList>(list).limit;
}

/** Adds a term, unless the list is full or no live document has it as a dictionary word. */
function add(list: usize, term: u32): void {
  const target = changetype<TermList>(list);
  if (target.count >= target.limit) return;
  if (!termIsTolerant(view, term, tombstones, attributes)) return;
  store<u32>(target.terms + ((<usize>target.count) << 2), term);
  target.count++;
}

function addClass(term: u32, distance: u32): void {
  if (distance === 1) add(one, term);
  else if (distance === 2 && budget === 2) add(two, term);
}

/** Decodes the code point at an address; its length is in {@link decodedBytes}. */
let decodedBytes: u32 = 0;
function decode(at: usize): u32 {
  const a: u32 = load<u8>(at);
  if (a < 0x80) {
    decodedBytes = 1;
    return a;
  }
  const b: u32 = load<u8>(at, 1) & 0x3f;
  if (a < 0xe0) {
    decodedBytes = 2;
    return ((a & 0x1f) << 6) | b;
  }
  const c: u32 = load<u8>(at, 2) & 0x3f;
  if (a < 0xf0) {
    decodedBytes = 3;
    return ((a & 0x0f) << 12) | (b << 6) | c;
  }
  decodedBytes = 4;
  return ((a & 0x07) << 18) | (b << 12) | (c << 6) | (load<u8>(at, 3) & 0x3f);
}

/** Collects the words among terms [from, to), which begin with the first code point of the query. */
function walkSameFirst(from: u32, to: u32): void {
  const lcps = changetype<SegmentView>(view).termLcp;
  const levels = levelsOf(query, queryLength, budget, MAX_WORD);
  let level = levels;
  let term = from;
  while (term < to) {
    if (isFull(one) && (budget === 1 || isFull(two))) return;
    // The states of the code points shared with the word before stay valid.
    const shared: u32 = term === from ? 0 : load<u8>(lcps + term);
    while (level.bytes > shared) level = levelBefore(level);
    const text = termBegin(view, term);
    const length = termLength(view, term);
    let dead = false;
    while (level.bytes < length && !dead) {
      const char = decode(text + level.bytes);
      level = levelAfter(level, char, decodedBytes);
      dead = isDead(level);
    }
    if (!dead) {
      const distance = prefixMode ? level.best : level.whole;
      if (distance > 0) addClass(term, distance);
      term++;
      continue;
    }
    // All words with the dead prefix get the same result: beyond the budget, or the best distance of a prefix so far.
    const end = sharingEnd(lcps, term + 1, to, level.bytes);
    if (prefixMode && level.best > 0 && level.best <= budget) for (; term < end; term++) addClass(term, level.best);
    term = end;
  }
}

/** The first term of [from, to) that shares fewer bytes with its predecessor. */
function sharingEnd(lcps: usize, from: u32, to: u32, bytes: u32): u32 {
  const least = i8x16.splat(<i8>bytes);
  for (let term = from; term < to; term += LANES) {
    // The array is followed by other sections, so reading past its end is safe.
    const fewer = i8x16.bitmask(i8x16.lt_u(v128.load(lcps + term), least));
    if (fewer !== 0) return min<u32>(to, term + <u32>ctz<i32>(fewer));
  }
  return to;
}

/** Adds the first `limit` terms that equal a text, or start with it in prefix mode. */
function addMatching(list: usize, text: usize, length: u32, from: u32, to: u32, limit: u32): void {
  changetype<TermList>(list).limit = changetype<TermList>(list).count + limit;
  const segment = changetype<SegmentView>(view);
  const first = prefixStart(view, text, length, from, to);
  if (prefixMode) {
    const last = prefixEnd(view, text, length, first, to);
    for (let term = first; term < last && !isFull(list); term++) add(list, term);
  } else if (first < to && first < segment.termCount && termLength(view, first) === length) {
    const begin = termBegin(view, first);
    if (memory.compare(begin, text, length) === 0) add(list, first);
  }
}

/**
 * Words with another first code point: exactly one edit at the beginning. The first code point is replaced, deleted, preceded by
 * another one, or transposed with the second.
 */
function collectOtherFirst(text: usize, length: u32, firstBytes: u32, limit: u32): usize {
  const segment = changetype<SegmentView>(view);
  const found = newList(limit * 5);
  const pattern = alloc(length + 8);
  const rest = text + firstBytes;
  const restLength = length - firstBytes;
  const first = load<u32>(query);
  const samples = changetype<Samples>(segment.samples);
  const isSampled = changetype<usize>(samples) !== 0;
  let index: u32 = 0;
  let term: u32 = 0;
  while (term < segment.termCount) {
    index++;
    const begin = termBegin(view, term);
    if (termLength(view, term) === 0) {
      term++;
      continue;
    }
    const char = decode(begin);
    const charBytes = decodedBytes;
    let end = segment.termCount;
    if (!isSampled) end = prefixEnd(view, begin, charBytes, term, end);
    else if (index < samples.firstCount) end = firstAt(samples, index);
    if (char !== first) {
      const before = changetype<TermList>(found).count;
      memory.copy(pattern, begin, charBytes);
      memory.copy(pattern + charBytes, rest, restLength);
      addMatching(found, pattern, charBytes + restLength, term, end, limit); // replaced
      memory.copy(pattern + charBytes, text, length);
      addMatching(found, pattern, charBytes + length, term, end, limit); // preceded
      const second = queryLength > 1 ? load<u32>(query + 4) : 0;
      if (queryLength > 1 && char === second) {
        addMatching(found, rest, restLength, term, end, limit); // dropped
        memory.copy(pattern, rest, charBytes);
        memory.copy(pattern + charBytes, text, firstBytes);
        memory.copy(pattern + charBytes + firstBytes, rest + charBytes, restLength - charBytes);
        addMatching(found, pattern, length, term, end, limit); // swapped
      }
      sortTail(found, before);
      if (changetype<TermList>(found).count >= limit) return found;
    }
    term = end;
  }
  return found;
}

/** Sorts a list from an index on, and removes duplicates; the range is short. */
function sortTail(list: usize, from: u32): void {
  const target = changetype<TermList>(list);
  const terms = target.terms;
  let kept = from;
  for (let i = from; i < target.count; i++) {
    const term = load<u32>(terms + ((<usize>i) << 2));
    let at = kept;
    while (at > from && load<u32>(terms + ((<usize>(at - 1)) << 2)) > term) at--;
    if (at > from && load<u32>(terms + ((<usize>(at - 1)) << 2)) === term) continue;
    memory.copy(terms + ((<usize>(at + 1)) << 2), terms + ((<usize>at) << 2), (<usize>(kept - at)) << 2);
    store<u32>(terms + ((<usize>at) << 2), term);
    kept++;
  }
  target.count = kept;
}

/** Merges an ascending list into another one, up to its maximum length. */
function mergeInto(list: usize, other: usize): void {
  const target = changetype<TermList>(list);
  const more = changetype<TermList>(other);
  const merged = alloc((<usize>target.limit) << 2);
  let count: u32 = 0;
  let a: u32 = 0;
  let b: u32 = 0;
  while (count < target.limit && (a < target.count || b < more.count)) {
    const left = a < target.count ? load<u32>(target.terms + ((<usize>a) << 2)) : 0xffffffff;
    const right = b < more.count ? load<u32>(more.terms + ((<usize>b) << 2)) : 0xffffffff;
    const least = min<u32>(left, right);
    store<u32>(merged + ((<usize>count) << 2), least);
    count++;
    if (left === least) a++;
    if (right === least) b++;
  }
  target.terms = merged;
  target.count = count;
}

/** The result of {@link typoTerms}: two ascending lists of term numbers. */
@unmanaged
export class TypoTerms {
  oneTerms: usize;
  oneCount: u32;
  twoTerms: usize;
  twoCount: u32;
}

/**
 * Typo derivations of a word in one segment. `typoBudget` is 1 or 2, `isPrefix`: the distance is that to the nearest prefix of a
 * dictionary word. `deleted`: bitmap of deleted documents or 0, `kinds`: u8 a field as in costs/sources, read with `deleted` only. The first `oneLimit` and `twoLimit` words in byte order are
 * kept. Answers the address of a {@link TypoTerms} in scratch.
 */
export function typoTerms(
  segment: usize,
  deleted: usize,
  kinds: usize,
  text: usize,
  length: u32,
  typoBudget: u32,
  isPrefix: bool,
  oneLimit: u32,
  twoLimit: u32,
): usize {
  view = segment;
  tombstones = deleted;
  attributes = kinds;
  budget = typoBudget;
  prefixMode = isPrefix;
  const result = changetype<TypoTerms>(alloc(offsetof<TypoTerms>()));
  one = newList(oneLimit);
  two = newList(twoLimit);
  query = queryCreate(length);
  queryLength = 0;
  let at: u32 = 0;
  let firstBytes: u32 = 0;
  while (at < length) {
    store<u32>(query + ((<usize>queryLength) << 2), decode(text + at));
    at += decodedBytes;
    if (queryLength === 0) firstBytes = decodedBytes;
    queryLength++;
  }
  const termCount = changetype<SegmentView>(segment).termCount;
  const from = prefixStart(segment, text, firstBytes, 0, termCount);
  const to = prefixEnd(segment, text, firstBytes, from, termCount);
  walkSameFirst(from, to);
  if (budget === 2) mergeInto(two, collectOtherFirst(text, length, firstBytes, twoLimit));
  result.oneTerms = changetype<TermList>(one).terms;
  result.oneCount = changetype<TermList>(one).count;
  result.twoTerms = changetype<TermList>(two).terms;
  result.twoCount = changetype<TermList>(two).count;
  return changetype<usize>(result);
}
