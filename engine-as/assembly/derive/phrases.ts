/** Phrases: any two of three consecutive words must be no further apart than in the phrase. */

import { cacheAdd, cacheAdmits, cacheFind } from '../cache/cache';
import { memoMark, memoRelease } from '../cache/memo';
import { CACHED_PHRASE } from '../cache/result-kinds';
import { setsOfBitmaps, spreadCostSet } from '../costs/cost-sets';
import { GAP, PHRASE_WINDOW, phraseDocuments } from '../costs/phrase-documents';
import { keepNear } from '../costs/phrases';
import { Search, segmentBytes, segmentOf } from '../plan/search';
import { mostAdjacent, NOT_STORED, pairInto } from '../postings/adjacent-terms';
import { alloc, allocZeroed } from '../runtime/arena';
import { bufferPush32 } from '../runtime/buffer';
import { keyCreate } from '../runtime/key-table';
import { SegmentView } from '../segment/view';
import { bitmapAnd, bitmapCount, bitmapIsEmpty } from '../sets/bitmap';
import { readsDistances } from './pairs';
import { runAt, runCount } from './runs';
import { addDocumentsOf, copyOf, isLarge, newBitmap, sourceCount, sourcesAt, sourcesOf } from './sources';

/** The words of a phrase: u32[count] addresses of runs, initially all 0 for gaps, which any word or none may fill. */
export function phraseWords(count: u32): usize {
  return allocZeroed(((<usize>count) << 2) + 4);
}

function wordAt(words: usize, index: u32): usize {
  return load<u32>(words + ((<usize>index) << 2));
}

/**
 * Documents of a bitmap that match a phrase of `count` words (see {@link phraseWords}): a new bitmap, 0 when there is none.
 * `restricted`: its words must be in searched attributes.
 */
export function matchPhrase(search: Search, words: usize, count: u32, restricted: bool, within: usize): usize {
  let filled: u32 = 0;
  for (let i: u32 = 0; i < count; i++) if (wordAt(words, i) !== 0) filled++;
  if (filled > 1 && !restricted && readsDistances(search)) return matchInSegments(search, words, count, within);
  const bytes = search.bytes;
  const matched = copyOf(search, within);
  const containing = newBitmap(search);
  for (let i: u32 = 0; i < count; i++) {
    const runs = wordAt(words, i);
    if (runs === 0) continue;
    memory.fill(containing, 0, bytes);
    addDocumentsOf(search, runs, containing, restricted, false);
    bitmapAnd(matched, containing, bytes);
  }
  const documents = bitmapCount(matched, bytes);
  if (documents === 0) return 0;
  return filled === 1 || narrow(search, words, count, matched, documents) ? matched : 0;
}

/** The terms of a phrase in a segment: u32[count], GAP for a gap; false when the segment lacks a word. */
function termsIn(words: usize, count: u32, segment: u32, terms: usize): bool {
  for (let i: u32 = 0; i < count; i++) {
    const runs = wordAt(words, i);
    let term = GAP;
    // A word is at most one term of a segment.
    for (let k: u32 = 0; runs !== 0 && k < runCount(runs); k++)
      if (runAt(runs, k).segment === segment) term = runAt(runs, k).from;
    if (runs !== 0 && term === GAP) return false;
    store<u32>(terms + ((<usize>i) << 2), term);
  }
  return true;
}

/** Upper bound of the documents that match a phrase, including deleted ones: those of its rarest word in each segment. */
function mostDocuments(search: Search, words: usize, count: u32): u32 {
  const terms = alloc(((<usize>count) << 2) + 4);
  let most: u32 = 0;
  for (let number: u32 = 0; number < search.plan.segments.count; number++) {
    if (termsIn(words, count, number, terms)) most += mostPhraseDocumentsIn(search, number, terms, count);
  }
  return most;
}

/** The same in one segment; `terms`: u32[count], GAP for a gap. */
export function mostPhraseDocumentsIn(search: Search, number: u32, terms: usize, count: u32): u32 {
  return fewestDocuments(changetype<SegmentView>(segmentOf(search, number).view), terms, count);
}

/** Adds the documents of a bitmap (0: all) that match a phrase to another one; returns their number. */
function addPhraseDocuments(search: Search, words: usize, count: u32, within: usize, out: usize): u32 {
  const terms = alloc(((<usize>count) << 2) + 4);
  let found: u32 = 0;
  for (let number: u32 = 0; number < search.plan.segments.count; number++) {
    if (termsIn(words, count, number, terms)) found += phraseDocumentsIn(search, number, terms, count, within, out, ALL);
  }
  return found;
}

/**
 * Counts the documents of a segment that match a phrase, up to a limit, and adds them to a bitmap (0: none). `terms`: u32[count], GAP for a
 * gap; `within`: bitmap of the documents to consider, 0: all.
 */
export function phraseDocumentsIn(
  search: Search,
  number: u32,
  terms: usize,
  count: u32,
  within: usize,
  out: usize,
  limit: u32,
): u32 {
  const segment = segmentOf(search, number);
  const view = changetype<SegmentView>(segment.view);
  const place = adjacentPlace(search, number, terms, count);
  if (place === count) return phraseDocuments(segment.view, segment.base, terms, count, within, 0, out, limit);
  const left = termAt(terms, place);
  const right = termAt(terms, place + 1);
  if (count === 2) return pairInto(view, left, right, segment.base, within, out, limit);
  let together = newBitmap(search);
  let most = pairInto(view, left, right, segment.base, within, together, ALL);
  if (count > MAX_KNOWN) return phraseDocuments(segment.view, segment.base, terms, count, together, 0, out, limit);
  let known: u32 = 1 << place;
  for (let i: u32 = 0; i + 1 < count; i++) {
    const cost = i === place ? ALL : adjacentCost(search, number, terms, count, i);
    if (cost === ALL || cost >= most * ADJACENT_PER_PAIR) continue;
    const own = newBitmap(search);
    most = pairInto(view, termAt(terms, i), termAt(terms, i + 1), segment.base, together, own, ALL);
    together = own;
    known |= 1 << i;
  }
  return phraseDocuments(segment.view, segment.base, terms, count, together, known, out, limit);
}

function termAt(terms: usize, index: u32): u32 {
  return load<u32>(terms + ((<usize>index) << 2));
}

/**
 * The position of the word that is followed by the next one in the fewest documents of a segment, where these are stored; `count` when reading
 * the postings of the rarest word costs less.
 */
function adjacentPlace(search: Search, number: u32, terms: usize, count: u32): u32 {
  const view = changetype<SegmentView>(segmentOf(search, number).view);
  let best = count;
  let fewest = fewestDocuments(view, terms, count) * ADJACENT_PER_DOCUMENT;
  for (let place: u32 = 0; place + 1 < count; place++) {
    const cost = adjacentCost(search, number, terms, count, place);
    if (cost >= fewest) continue;
    best = place;
    fewest = cost;
  }
  return best;
}

/** Cost of the documents where the word at a place is followed by the next one, in documents of lists; {@link ALL} when they are not stored. */
function adjacentCost(search: Search, number: u32, terms: usize, count: u32, place: u32): u32 {
  const left = termAt(terms, place);
  const right = termAt(terms, place + 1);
  if (left === GAP || right === GAP) return ALL;
  const most = mostAdjacent(changetype<SegmentView>(segmentOf(search, number).view), left, right);
  if (most === NOT_STORED) return ALL;
  return count > 2 ? most + segmentBytes(search, number) / BYTES_PER_ADJACENT : most;
}

/**
 * Cost model: checking the positions of words in a document costs as much as reading this many documents of a list of adjacent terms (see
 * postings/adjacent-terms).
 */
const ADJACENT_PER_DOCUMENT: u32 = 16;
/** Cost model: knowing a further pair of neighbours saves as much per document as reading this many documents of such a list costs. */
const ADJACENT_PER_PAIR: u32 = 12;
/** Words of a phrase of which neighbours are looked up: as many as there are bits. */
const MAX_KNOWN: u32 = 32;
/** Cost model: bytes of a bitmap that are cleared in the time of reading one document of such a list. */
const BYTES_PER_ADJACENT: u32 = 16;

/** Number of documents of the rarest term. */
function fewestDocuments(view: SegmentView, terms: usize, count: u32): u32 {
  let fewest: u32 = 0xffffffff;
  for (let i: u32 = 0; i < count; i++) {
    const term = termAt(terms, i);
    if (term !== GAP) fewest = min<u32>(fewest, load<u32>(view.termDocFreq + ((<usize>term) << 2)));
  }
  return fewest;
}

function matchInSegments(search: Search, words: usize, count: u32, within: usize): usize {
  const documents = newBitmap(search);
  const cached = isLarge(search, mostDocuments(search, words, count)) ? cachedPhrase(search, words, count) : 0;
  if (cached === 0) return addPhraseDocuments(search, words, count, within, documents) > 0 ? documents : 0;
  spreadCostSet(cached, 0, documents);
  bitmapAnd(documents, within, search.bytes);
  return bitmapIsEmpty(documents, search.bytes) ? 0 : documents;
}

/** CostSets with one cost: all documents that match a phrase, including deleted ones; 0 when there is no room. */
function cachedPhrase(search: Search, words: usize, count: u32): usize {
  const key = keyCreate(CACHED_PHRASE);
  for (let number: u32 = 0; number < search.plan.segments.count; number++) bufferPush32(key, segmentOf(search, number).id);
  for (let i: u32 = 0; i < count; i++) {
    const runs = wordAt(words, i);
    const own: u32 = runs === 0 ? 0 : runCount(runs);
    bufferPush32(key, runs === 0 ? GAP : own);
    for (let k: u32 = 0; k < own; k++) {
      bufferPush32(key, runAt(runs, k).segment);
      bufferPush32(key, runAt(runs, k).from);
    }
  }
  const known = cacheFind(key);
  if (known !== 0) return known;
  if (!cacheAdmits(key, search.bytes)) return 0;
  const mark = memoMark(search.memo);
  const documents = newBitmap(search);
  addPhraseDocuments(search, words, count, 0, documents);
  const made = setsOfBitmaps(documents, search.bytes, 1, 0);
  memoRelease(search.memo, mark);
  return cacheAdd(key, made);
}

const ALL: u32 = 0xffffffff;

/**
 * Removes documents from a bitmap of `documents` in which words of the phrase are too far apart. Returns whether any are left.
 */
function narrow(search: Search, words: usize, count: u32, matched: usize, documents: u32): bool {
  const bytes = search.bytes;
  const sharing: usize = search.index.byAttribute ? search.plan.fieldFlags : 0;
  let left = documents;
  for (let distance: u32 = 1; distance < PHRASE_WINDOW; distance++) {
    for (let i: u32 = 0; i + distance < count && left > 0; i++) {
      const from = wordAt(words, i);
      const to = wordAt(words, i + distance);
      if (from === 0 || to === 0) continue;
      const lefts = sourcesOf(search, from);
      const rights = sourcesOf(search, to);
      left = keepNear(
        matched,
        bytes,
        left,
        sourcesAt(lefts),
        sourceCount(lefts),
        sourcesAt(rights),
        sourceCount(rights),
        distance,
        sharing,
      );
    }
  }
  return left > 0;
}
