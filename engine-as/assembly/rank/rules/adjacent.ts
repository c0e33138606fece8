/** The documents where two neighbours of the query are adjacent, from the words beside frequent ones that segments store. */
import { memoAdd, memoFind, UNKNOWN } from '../../cache/memo';
import { MEMO_ADJACENT } from '../../cache/result-kinds';
import { sourcesOrInto } from '../../costs/sources';
import { pushRun, pushTerm, Run, runAt, runCount, runsCreate, termsIn } from '../../derive/runs';
import { newBitmap, postingsOfRun, sourceCount, sourcesAt, sourcesOf } from '../../derive/sources';
import { phraseAt, phraseCount } from '../../graph/node';
import { nodeOf } from '../../graph/state';
import { Search, segmentOf } from '../../plan/search';
import { followersInto, hasFollowers, isPredecessor, NOT_STORED, nextFrequent, pairInto } from '../../postings/adjacent-terms';
import { alloc } from '../../runtime/arena';
import { SegmentView } from '../../segment/view';
import { bitmapAnd, bitmapOr, bitmapSetRange } from '../../sets/bitmap';
import { represents, wordRuns } from '../roles';

const ALL: u32 = 0xffffffff;
/** Cost model: looking up two terms in the lists of a segment takes as long as reading this many postings. */
const POSTINGS_PER_LOOKUP: u32 = 128;

@unmanaged
export class Adjacent {
  /** bitmap of documents where a word of the right node directly follows one of the left node */
  certain: usize;
  /** bitmap of these and of all other documents where that, or a phrase in place of a word, is possible */
  possible: usize;
  /** whether these are the same */
  isExact: bool;
  /** number of segments all of whose documents are possible, because nothing is known */
  unknown: u32;
}

/**
 * `left`, `right`: states of two neighbours. `postings`: as many may be read where segments do not store all, if this is the first call for
 * these states.
 */
export function adjacentOf(search: Search, left: u32, right: u32, postings: u32): Adjacent {
  const known = memoFind(search.memo, MEMO_ADJACENT, 0, left, right);
  if (known !== UNKNOWN) return changetype<Adjacent>(known);
  const adjacent = changetype<Adjacent>(alloc(offsetof<Adjacent>()));
  adjacent.certain = newBitmap(search);
  adjacent.possible = newBitmap(search);
  adjacent.isExact = true;
  adjacent.unknown = 0;
  addPhrases(search, left, adjacent);
  addPhrases(search, right, adjacent);
  const from = wordRuns(search, left, false);
  const to = wordRuns(search, right, false);
  for (let number: u32 = 0; number < search.plan.segments.count; number++) {
    if (addAdjacent(search, number, ofSegment(from, number), ofSegment(to, number), postings, adjacent)) continue;
    const segment = segmentOf(search, number);
    bitmapSetRange(adjacent.possible, segment.base, segment.base + segment.docCount);
    adjacent.isExact = false;
    adjacent.unknown++;
  }
  bitmapOr(adjacent.possible, adjacent.certain, search.bytes);
  memoAdd(search.memo, MEMO_ADJACENT, 0, left, right, changetype<usize>(adjacent));
  return adjacent;
}

/** Where a phrase stands in place of a word, it may be adjacent to the neighbour. */
function addPhrases(search: Search, state: u32, adjacent: Adjacent): void {
  const node = nodeOf(search, state);
  for (let i: u32 = 0; i < phraseCount(node); i++) {
    const phrase = phraseAt(node, i);
    if (!represents(phrase, state)) continue;
    bitmapOr(adjacent.possible, phrase.documents, search.bytes);
    adjacent.isExact = false;
  }
}

/** The runs of a segment. */
function ofSegment(runs: usize, number: u32): usize {
  const own = runsCreate();
  for (let i: u32 = 0; i < runCount(runs); i++) {
    const run: Run = runAt(runs, i);
    if (run.segment === number) pushRun(own, number, run.from, run.to);
  }
  return own;
}

/** Adds the documents of a segment where a word of the right runs may directly follow one of the left runs. Returns false when nothing is known. */
function addAdjacent(search: Search, number: u32, left: usize, right: usize, postings: u32, adjacent: Adjacent): bool {
  const segment = segmentOf(search, number);
  const view = changetype<SegmentView>(segment.view);
  if (termsIn(left) * (runCount(right) + frequentIn(view, right)) > postings / POSTINGS_PER_LOOKUP) return false;
  const predecessors = runsCreate();
  const others = runsCreate();
  for (let i: u32 = 0; i < runCount(left); i++) {
    const run: Run = runAt(left, i);
    for (let term = run.from; term < run.to; term++) {
      if (hasFollowers(view, term)) addFollowers(view, term, right, segment.base, adjacent.certain);
      else pushTerm(isPredecessor(view, term) ? predecessors : others, number, term);
    }
  }
  const most = min<u32>(postings, segment.docCount / 2);
  if (runCount(others) > 0) {
    adjacent.isExact = false;
    if (!addWithBoth(search, others, right, most, adjacent.possible)) return false;
  }
  if (runCount(predecessors) === 0) return true;
  const rest = addPredecessors(view, predecessors, right, number, segment.base, adjacent.certain);
  if (runCount(rest) === 0) return true;
  adjacent.isExact = false;
  return addWithBoth(search, predecessors, rest, most, adjacent.possible);
}

function addFollowers(view: SegmentView, term: u32, right: usize, base: u32, bitmap: usize): void {
  for (let k: u32 = 0; k < runCount(right); k++) {
    const run: Run = runAt(right, k);
    followersInto(view, term, run.from, run.to, base, 0, bitmap, ALL);
  }
}

/** Number of words in some runs to which the segment stores predecessors. */
function frequentIn(view: SegmentView, runs: usize): u32 {
  let count: u32 = 0;
  for (let i: u32 = 0; i < runCount(runs); i++) {
    const run: Run = runAt(runs, i);
    for (let term = nextFrequent(view, run.from, run.to); term !== NOT_STORED; term = nextFrequent(view, term + 1, run.to))
      count++;
  }
  return count;
}

/**
 * Adds the documents where a word of the right runs directly follows one of `left`, if it is frequent or the only one of `left` itself; returns
 * the other words of these runs.
 */
function addPredecessors(view: SegmentView, left: usize, right: usize, number: u32, base: u32, bitmap: usize): usize {
  const rest = runsCreate();
  const only: u32 = termsIn(left) === 1 ? runAt(left, 0).from : NOT_STORED;
  for (let k: u32 = 0; k < runCount(right); k++) {
    const run: Run = runAt(right, k);
    let from = run.from;
    while (true) {
      let next = nextFrequent(view, from, run.to);
      if (only >= from && only < run.to) next = min<u32>(next, only);
      if (next === NOT_STORED) break;
      if (next > from) pushRun(rest, number, from, next);
      for (let i: u32 = 0; i < runCount(left); i++) {
        const own: Run = runAt(left, i);
        for (let term = own.from; term < own.to; term++) pairInto(view, term, next, base, 0, bitmap, ALL);
      }
      from = next + 1;
    }
    if (from < run.to) pushRun(rest, number, from, run.to);
  }
  return rest;
}

/**
 * Adds the documents that contain a word of the left runs and one of the right runs, or only one of those that have few postings. Returns false
 * when both have many.
 */
function addWithBoth(search: Search, left: usize, right: usize, postings: u32, bitmap: usize): bool {
  const isLeftRead = postingsOf(search, left) <= postings;
  const isRightRead = postingsOf(search, right) <= postings;
  if (!isLeftRead && !isRightRead) return false;
  const documents = newBitmap(search);
  addDocuments(search, isLeftRead ? left : right, documents);
  if (isLeftRead && isRightRead) {
    const others = newBitmap(search);
    addDocuments(search, right, others);
    bitmapAnd(documents, others, search.bytes);
  }
  bitmapOr(bitmap, documents, search.bytes);
  return true;
}

function postingsOf(search: Search, runs: usize): u32 {
  let postings: u32 = 0;
  for (let i: u32 = 0; i < runCount(runs); i++) postings += postingsOfRun(search, runAt(runs, i));
  return postings;
}

function addDocuments(search: Search, runs: usize, bitmap: usize): void {
  const sources = sourcesOf(search, runs);
  sourcesOrInto(sourcesAt(sources), sourceCount(sources), bitmap, 0, false, false);
}
