/**
 * Finds the words of a dictionary within an edit distance of a query word: restricted Damerau-Levenshtein over code points (a
 * transposition of neighbours counts as one edit, and is not edited again).
 * The sorted dictionary is walked as an implicit trie: a stack holds the state after each code point of the current word, and a
 * word continues from the prefix that it shares with the word before. Once a prefix cannot come within the distance any more, all
 * words with that prefix are skipped by their shared-prefix lengths. Where at most one edit is left, words whose next two code
 * points show that they are too far away are skipped without reading their texts (`branches.ts`). The states are bit sets of `distance.ts`.
 */

import { mayHavePrefix, mayHaveTerm } from '../dictionary/key-filter';
import { firstAt } from '../dictionary/samples';
import { termIsTolerant } from '../dictionary/sides';
import { prefixEnd, prefixStart, sharingEnd, termBegin, termLength } from '../dictionary/terms';
import { alloc } from '../runtime/arena';
import { Samples } from '../segment/layout';
import { SegmentView } from '../segment/view';
import { byteSetClear, childIn, grandchildIn } from './branches';
import { charAfter, decode, decodedBytes } from './code-points';
import {
  addNear,
  addWanted,
  hasNoEditLeft,
  hasOneLeft,
  isDead,
  Level,
  levelAfter,
  levelAfterOther,
  levelBefore,
  levelsOf,
  nearSet,
  queryCreate,
  wantedSet,
} from './distance';
import { isFull, mergeInto, newList, sortTail, TermList } from './term-list';

/** At least the bytes, and so the code points, of the longest word (250). */
const MAX_WORD: u32 = 256;

/** How terms are skipped after a level: not at all; to a child with a wanted byte; or to one with a near byte, or a wanted byte after it. */
const SKIP_NOTHING: u32 = 1;
const SKIP_TO_CHILD: u32 = 2;
const SKIP_TO_GRANDCHILD: u32 = 3;

let view: usize = 0;
let tombstones: usize = 0;
let attributes: usize = 0; // u8 per field; only read where there are tombstones
let query: usize = 0; // u32 code points, see `distance.ts`
let queryLength: u32 = 0;
let budget: u32 = 0;
let prefixMode: bool = false;
let one: usize = 0; // TermList
let two: usize = 0; // TermList

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

/** Collects the words among terms [from, to), which begin with the first code point of the query. */
function walkSameFirst(from: u32, to: u32): void {
  const segment = changetype<SegmentView>(view);
  const lcps = segment.termLcp;
  let level = levelsOf(query, queryLength, budget, MAX_WORD);
  let term = from;
  while (term < to) {
    if (isFull(one) && (budget === 1 || isFull(two))) return;
    // The states of the code points shared with the word before stay valid.
    let shared: u32 = term === from ? 0 : load<u8>(lcps + term);
    while (level.bytes > shared) level = levelBefore(level);
    if (segment.termBranches !== 0 && shared > 0 && level.bytes === shared) {
      term = skipMismatches(level, term, to);
      if (term === to) return;
      shared = load<u8>(lcps + term);
      if (shared < level.bytes) continue;
    }
    let dead = false;
    let covered = prefixMode && level.best === 0;
    while (!dead && !covered) {
      const char = charAfter(segment, term, level.bytes, shared);
      if (decodedBytes() === 0) break;
      level = levelAfter(level, char, decodedBytes());
      dead = isDead(level);
      covered = prefixMode && level.best === 0;
    }
    if (covered) {
      // All words with this prefix start with the query.
      term = sharingEnd(view, term + 1, to, level.bytes);
      continue;
    }
    if (!dead) {
      const distance = prefixMode ? level.best : level.whole;
      if (distance > 0) addClass(term, distance);
      term++;
      continue;
    }
    // All words with the dead prefix get the same result: beyond the budget, or the best distance of a prefix so far.
    const end = sharingEnd(view, term + 1, to, level.bytes);
    if (prefixMode && isWithin(level)) for (; term < end; term++) addClass(term, level.best);
    term = end;
  }
}

/**
 * The first of the terms [term, to) that is not known to be too far away because of the next code points. `term` begins a child of the node
 * of the level.
 */
function skipMismatches(level: Level, term: u32, to: u32): u32 {
  // A node has many children, and the same may follow each of them.
  if (level.skip === 0) level.skip = prepareSkip(level);
  if (level.skip === SKIP_NOTHING) return term;
  const segment = changetype<SegmentView>(view);
  if (level.skip === SKIP_TO_CHILD) return childIn(segment, term, to, level.bytes, wantedSet(level));
  return grandchildIn(segment, term, to, level.bytes, nearSet(level), wantedSet(level));
}

/** Determines which code points may follow a level. */
function prepareSkip(level: Level): u32 {
  byteSetClear(wantedSet(level));
  if (hasNoEditLeft(level)) {
    if (prefixMode && isWithin(level)) return SKIP_NOTHING;
    addWanted(level, wantedSet(level));
    return SKIP_TO_CHILD;
  }
  if (!hasOneLeft(level)) return SKIP_NOTHING;
  const other = levelAfterOther(level);
  if (prefixMode && isWithin(other)) return SKIP_NOTHING;
  byteSetClear(nearSet(level));
  addNear(level, nearSet(level));
  addWanted(other, wantedSet(level));
  return SKIP_TO_GRANDCHILD;
}

/** Whether some prefix of what was read is a typo of the query. */
function isWithin(level: Level): bool {
  return level.best > 0 && level.best <= budget;
}

/** Adds the first `limit` terms that equal a text, or start with it in prefix mode. */
function addMatching(list: usize, text: usize, length: u32, from: u32, to: u32, limit: u32): void {
  changetype<TermList>(list).limit = changetype<TermList>(list).count + limit;
  const segment = changetype<SegmentView>(view);
  const filter = segment.keyFilter;
  if (prefixMode ? !mayHavePrefix(filter, text, length) : !mayHaveTerm(filter, text, length)) return;
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
  // The list may have almost `limit` terms when up to `limit` of each of the four kinds are added.
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
    const charBytes = decodedBytes();
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
 * dictionary word. `deleted`: bitmap of deleted documents, or 0; `fieldFlags`: ATTRIBUTE_ flags, u8 per field (see costs/sources), only read if
 * there are deleted documents. Returns the first `oneLimit` and `twoLimit` words in byte order: the address of {@link TypoTerms} in scratch
 * memory.
 */
export function typoTerms(
  segment: usize,
  deleted: usize,
  fieldFlags: usize,
  text: usize,
  length: u32,
  typoBudget: u32,
  isPrefix: bool,
  oneLimit: u32,
  twoLimit: u32,
): usize {
  view = segment;
  tombstones = deleted;
  attributes = fieldFlags;
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
    at += decodedBytes();
    if (queryLength === 0) firstBytes = decodedBytes();
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
