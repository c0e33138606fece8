/**
 * A word divided in two, and the documents where the second half directly follows the first one. Segments store those of their own words
 * (postings/splits); of other words, positions are read.
 */
import { mayHaveTerm } from '../dictionary/key-filter';
import { termFind } from '../dictionary/terms';
import { Search, segmentOf } from '../plan/search';
import { firstSplit, mostOfSplit, nextSplit, splitInto } from '../postings/splits';
import { alloc } from '../runtime/arena';
import { Split } from '../segment/layout';
import { SegmentView } from '../segment/view';
import { bitmapCount } from '../sets/bitmap';
import { findWord } from './dictionary';
import { readsDistances } from './pairs';
import { matchPhrase, mostPhraseDocumentsIn, phraseDocumentsIn, phraseWords } from './phrases';
import { runCount } from './runs';
import { liveTerm } from './segment-terms';

/** Mask of the bits that distinguish continuation bytes of UTF-8 from first bytes. */
const CONTINUED_MASK: u8 = 0xc0;
const CONTINUED: u8 = 0x80;
const ALL: u32 = 0xffffffff;

@unmanaged
export class Halves {
  text: usize;
  length: u32;
  /** SegmentHalves of each segment; 0: distances cannot be read from postings */
  segments: usize;
  /** without segments: the halves as the words of a phrase; 0: one of them is not a word of the index */
  words: usize;
}

/** The halves in a segment. */
@unmanaged
class SegmentHalves {
  /** the first stored split that is not of a smaller term than the word; 0: positions are read */
  stored: Split;
  /** number of the word */
  term: u32;
  /** the stored split at the current division; 0: there is none */
  current: Split;
  /** the halves at the current division, if positions are read; -1: the segment lacks it */
  left: i32;
  right: i32;
}

function segmentAt(halves: Halves, number: u32): SegmentHalves {
  return changetype<SegmentHalves>(halves.segments + <usize>number * offsetof<SegmentHalves>());
}

/** The halves of a word, not yet divided. */
export function halvesOf(search: Search, text: usize, length: u32): Halves {
  const halves = changetype<Halves>(alloc(offsetof<Halves>()));
  halves.text = text;
  halves.length = length;
  halves.segments = 0;
  halves.words = 0;
  if (!readsDistances(search)) return halves;
  halves.segments = alloc(<usize>search.plan.segments.count * offsetof<SegmentHalves>());
  for (let number: u32 = 0; number < search.plan.segments.count; number++) {
    const own = segmentAt(halves, number);
    const view = changetype<SegmentView>(segmentOf(search, number).view);
    const term = view.splits === 0 ? -1 : termFind(changetype<usize>(view), text, length);
    own.term = term;
    own.stored = term < 0 ? changetype<Split>(0) : firstSplit(view, term);
  }
  return halves;
}

/**
 * Divides a word after `at` bytes.
 * @returns an upper bound of the number of documents where the right half directly follows the left one
 */
export function divide(search: Search, halves: Halves, at: u32): u32 {
  if ((load<u8>(halves.text + at) & CONTINUED_MASK) === CONTINUED) return 0;
  if (halves.segments === 0) {
    halves.words = wordsOf(search, halves, at);
    return halves.words === 0 ? 0 : ALL;
  }
  let most: u32 = 0;
  for (let number: u32 = 0; number < search.plan.segments.count; number++) {
    const own = segmentAt(halves, number);
    if (changetype<usize>(own.stored) === 0) most += divideByPositions(search, halves, number, at);
    else most += divideByStored(own, at);
  }
  return most;
}

function divideByStored(own: SegmentHalves, at: u32): u32 {
  own.current = changetype<Split>(0);
  for (let split = own.stored; split.term === own.term; split = nextSplit(split)) {
    if (split.leftBytes !== at) continue;
    own.current = split;
    return mostOfSplit(split);
  }
  return 0;
}

function divideByPositions(search: Search, halves: Halves, number: u32, at: u32): u32 {
  const own = segmentAt(halves, number);
  own.left = -1;
  own.right = -1;
  // Short halves are often words, but seldom both are.
  const filter = changetype<SegmentView>(segmentOf(search, number).view).keyFilter;
  if (!mayHaveTerm(filter, halves.text, at) || !mayHaveTerm(filter, halves.text + at, halves.length - at)) return 0;
  own.right = liveTerm(search, number, halves.text + at, halves.length - at);
  if (own.right >= 0) own.left = liveTerm(search, number, halves.text, at);
  return own.left < 0 ? 0 : mostPhraseDocumentsIn(search, number, termsOf(own), 2);
}

/** u32[2]: the terms of both halves. */
function termsOf(own: SegmentHalves): usize {
  return changetype<usize>(own) + offsetof<SegmentHalves>('left');
}

/** The halves as the words of a phrase (see `phrases.ts`); 0 when one of them is not a word of the index. */
function wordsOf(search: Search, halves: Halves, at: u32): usize {
  const right = findWord(search, halves.text + at, halves.length - at);
  if (runCount(right) === 0) return 0;
  const left = findWord(search, halves.text, at);
  if (runCount(left) === 0) return 0;
  const words = phraseWords(2);
  store<u32>(words, <u32>left);
  store<u32>(words, <u32>right, 4);
  return words;
}

/**
 * Counts the live documents where the right half directly follows the left one, up to `limit`, and adds them to a bitmap over slots (0: none)
 * if distances can be read from postings.
 */
export function adjacentInto(search: Search, halves: Halves, out: usize, limit: u32): u32 {
  if (halves.segments === 0) return adjacentBySets(search, halves);
  let found: u32 = 0;
  for (let number: u32 = 0; number < search.plan.segments.count && found < limit; number++) {
    const own = segmentAt(halves, number);
    const segment = segmentOf(search, number);
    const left = limit - found;
    if (changetype<usize>(own.stored) === 0) {
      if (own.left >= 0) found += phraseDocumentsIn(search, number, termsOf(own), 2, search.live, out, left);
    } else if (changetype<usize>(own.current) !== 0) {
      found += splitInto(changetype<SegmentView>(segment.view), own.current, segment.base, search.live, out, left);
    }
  }
  return found;
}

function adjacentBySets(search: Search, halves: Halves): u32 {
  // Adjacency does not depend on the searched attributes.
  const restricted = search.index.byAttribute !== 0 && search.plan.restricted !== 0;
  const matched = matchPhrase(search, halves.words, 2, restricted, search.live);
  return matched === 0 ? 0 : bitmapCount(matched, search.bytes);
}
