/**
 * Words of a dictionary within an edit distance of a query word: restricted Damerau-Levenshtein (an adjacent transposition counts
 * one and is not edited again) over code points.
 *
 * The sorted dictionary is walked as the trie it spells: a stack holds one row of the distance table for each code point of the
 * current word, a word keeps the rows of what it shares with the word before, and once a prefix can no longer be near, all the
 * words that share it are skipped by their shared-prefix lengths alone.
 */

import { termIsTolerant } from '../dictionary/sides';
import { prefixEnd, prefixStart, termBegin, termLength } from '../dictionary/terms';
import { alloc } from '../runtime/arena';
import { SegmentView } from '../segment/view';

const FAR: u32 = 100;
/** Longest word in bytes, hence in code points. */
const MAX_WORD: u32 = 256;

/** A list of term numbers in ascending order that stops at a limit. */
@unmanaged
class TermList {
  terms: usize;
  count: u32;
  limit: u32;
}

let view: usize = 0;
let tombstones: usize = 0;
let attributes: usize = 0; // u8 a field; only read where there are tombstones
let query: usize = 0; // u32 code points
let queryLength: u32 = 0;
let budget: u32 = 0;
let prefixMode: bool = false;
let one: usize = 0; // TermList
let two: usize = 0; // TermList

/** What the walk knows at each depth (number of code points read). */
@unmanaged
class Level {
  char: u32;
  /** bytes of the word up to and with this code point */
  bytes: u32;
  /** smallest cell of the row */
  least: u32;
  /** distance of the query to the nearest prefix read so far */
  best: u32;
}

let rows: usize = 0; // u8[(MAX_WORD + 1) * stride]
let stride: u32 = 0;
let levels: usize = 0;

function level(depth: u32): Level {
  return changetype<Level>(levels + <usize>depth * offsetof<Level>());
}

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

/** Adds a term unless the list is full or the term is no dictionary word of a live document. */
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

/** Computes the row of `depth` from those before; only cells within the budget of the diagonal can matter. */
function fillRow(depth: u32): void {
  const here = level(depth);
  const row = rows + <usize>(depth * stride);
  const above = row - stride;
  const char = here.char;
  const from = depth > budget ? depth - budget : 0;
  const to = min<u32>(queryLength, depth + budget);
  let least = FAR;
  // cells next to the band are read by the neighbouring rows
  if (from > 0 && from - 1 <= queryLength) store<u8>(row + from - 1, <u8>FAR);
  for (let j = from; j <= to; j++) {
    let distance: u32;
    if (j === 0) {
      distance = depth;
    } else {
      const wanted = load<u32>(query + ((<usize>(j - 1)) << 2));
      distance = <u32>load<u8>(above + j - 1) + (wanted === char ? 0 : 1);
      distance = min<u32>(distance, <u32>load<u8>(above + j) + 1);
      if (j > from) distance = min<u32>(distance, <u32>load<u8>(row + j - 1) + 1);
      if (j > 1 && depth > 1 && wanted === level(depth - 1).char && load<u32>(query + ((<usize>(j - 2)) << 2)) === char) {
        distance = min<u32>(distance, <u32>load<u8>(above - stride + j - 2) + 1);
      }
      if (distance > FAR) distance = FAR;
    }
    store<u8>(row + j, <u8>distance);
    if (distance < least) least = distance;
  }
  if (to < queryLength) store<u8>(row + to + 1, <u8>FAR);
  here.least = least;
  const whole: u32 = to === queryLength && from <= queryLength ? <u32>load<u8>(row + queryLength) : FAR;
  here.best = min<u32>(level(depth - 1).best, whole);
}

/** No continuation of the first `depth` code points can come within the budget. */
function isDead(depth: u32): bool {
  return level(depth).least > budget && level(depth - 1).least >= budget;
}

/** Collects the words that begin with the first code point of the query: terms [from, to). */
function walkSameFirst(from: u32, to: u32): void {
  const segment = changetype<SegmentView>(view);
  const lcps = segment.termLcp;
  const start = level(0);
  start.bytes = 0;
  start.least = 0;
  start.best = queryLength;
  for (let j: u32 = 0; j <= queryLength; j++) store<u8>(rows + j, <u8>min<u32>(j, FAR));
  let depth: u32 = 0;
  let term = from;
  while (term < to) {
    if (isFull(one) && (budget === 1 || isFull(two))) return;
    // keep the rows of the code points shared with the last word that was read
    const shared: u32 = term === from ? 0 : load<u8>(lcps + term);
    while (level(depth).bytes > shared) depth--;
    const text = termBegin(view, term);
    const length = termLength(view, term);
    let dead = false;
    while (level(depth).bytes < length) {
      const bytes = level(depth).bytes;
      const next = level(depth + 1);
      next.char = decode(text + bytes);
      next.bytes = bytes + decodedBytes;
      depth++;
      fillRow(depth);
      if (isDead(depth)) {
        dead = true;
        break;
      }
    }
    if (!dead) {
      const distance: u32 = prefixMode ? level(depth).best : depth <= queryLength + budget ? wholeDistance(depth) : FAR;
      if (distance > 0) addClass(term, distance);
      term++;
      continue;
    }
    // all the words that share the dead prefix end alike: far, or as near as the best prefix read
    const deadBytes = level(depth).bytes;
    const distance: u32 = prefixMode ? level(depth).best : FAR;
    const collect = distance > 0 && distance <= budget;
    do {
      if (collect) addClass(term, distance);
      term++;
    } while (term < to && <u32>load<u8>(lcps + term) >= deadBytes);
  }
}

function wholeDistance(depth: u32): u32 {
  if (depth + budget < queryLength) return FAR;
  return load<u8>(rows + <usize>(depth * stride) + queryLength);
}

/** Adds the terms that equal (or, in prefix mode, start with) a text: the first `limit` of them. */
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
 * Words with another first code point: one edit at the front and nothing else. The first code point is replaced, dropped,
 * preceded by another one, or swapped with the second.
 */
function collectOtherFirst(text: usize, length: u32, firstBytes: u32, limit: u32): usize {
  const segment = changetype<SegmentView>(view);
  const found = newList(limit * 5);
  const pattern = alloc(length + 8);
  const rest = text + firstBytes;
  const restLength = length - firstBytes;
  const first = load<u32>(query);
  let term: u32 = 0;
  while (term < segment.termCount) {
    const begin = termBegin(view, term);
    if (termLength(view, term) === 0) {
      term++;
      continue;
    }
    const char = decode(begin);
    const charBytes = decodedBytes;
    const end = prefixEnd(view, begin, charBytes, term, segment.termCount);
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

/** Sorts a list from an index on and drops what stands twice; the parts are short. */
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

/** Merges an ascending list into another one, up to its limit. */
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

/** What {@link typoTerms} found: two ascending lists of term numbers. */
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
  query = alloc((<usize>length) << 2);
  queryLength = 0;
  let at: u32 = 0;
  let firstBytes: u32 = 0;
  while (at < length) {
    store<u32>(query + ((<usize>queryLength) << 2), decode(text + at));
    at += decodedBytes;
    if (queryLength === 0) firstBytes = decodedBytes;
    queryLength++;
  }
  stride = queryLength + 3;
  rows = alloc(<usize>((MAX_WORD + 2) * stride));
  levels = alloc(<usize>(MAX_WORD + 2) * offsetof<Level>());
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
