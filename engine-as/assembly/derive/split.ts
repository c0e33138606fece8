/** Splits: the best division of a word into two adjacent words. */

import { Search } from '../plan/search';
import { memoMark, memoRelease, moveMark } from '../rank/memo';
import { bitmapCount } from '../sets/bitmap';
import { Derivations } from './derivations';
import { findWord, MAX_WORD_BYTES } from './dictionary';
import { readsDistances } from './pairs';
import { addPhraseDocuments, matchPhrase, mostDocuments, phraseWords } from './phrases';
import { runCount } from './runs';
import { newBitmap } from './sources';

/** Mask of the bits that distinguish continuation bytes of UTF-8 from first bytes. */
const CONTINUED_MASK: u8 = 0xc0;
const CONTINUED: u8 = 0x80;

/**
 * Finds the split whose halves are adjacent in the most documents; of equal ones that with the shortest left half. Sets the bytes of its left
 * half in some derivations (0: there is none), and its documents if they were collected while they were counted. `own`: the split that was
 * typed with a space (0: none); if it is the best one, no split is set.
 */
export function findSplit(search: Search, derivations: Derivations, text: usize, length: u32, own: u32): void {
  derivations.split = 0;
  derivations.splitDocuments = 0;
  if (length > MAX_WORD_BYTES) return;
  let most: u32 = 0;
  let best: u32 = 0;
  // Bitmaps of the documents of the best split, and of the one that is being counted; 0: none yet.
  let found: usize = 0;
  let counted: usize = 0;
  const mark = memoMark(search.memo);
  for (let at: u32 = 1; at < length; at++) {
    if (at === own) continue;
    let halves = halvesAt(search, text, length, at);
    if (halves !== 0 && counted === 0 && readsDistances(search)) {
      memoRelease(search.memo, mark);
      counted = newBitmap(search);
      moveMark(search.memo, mark);
      halves = halvesAt(search, text, length, at);
    }
    const documents: u32 = halves === 0 ? 0 : adjacentDocuments(search, halves, most + 1, counted, ALL);
    memoRelease(search.memo, mark);
    if (documents > most) {
      most = documents;
      best = at;
      const before = found;
      found = counted;
      counted = before;
    }
    if (documents > 0 && counted !== 0) memory.fill(counted, 0, search.bytes);
  }
  // The split that was typed is only counted until it has won.
  if (best !== 0 && own !== 0) {
    const enough = own < best ? most : most + 1;
    const halves = halvesAt(search, text, length, own);
    const isOwnBest = halves !== 0 && adjacentDocuments(search, halves, enough, 0, enough) >= enough;
    memoRelease(search.memo, mark);
    if (isOwnBest) return;
  }
  derivations.split = best;
  derivations.splitDocuments = found;
}

const ALL: u32 = 0xffffffff;

function isBoundary(text: usize, at: u32): bool {
  return (load<u8>(text + at) & CONTINUED_MASK) !== CONTINUED;
}

/** The halves of a word as the words of a phrase (see `phrases.ts`); 0 when one of them is not a word of the index. */
function halvesAt(search: Search, text: usize, length: u32, at: u32): usize {
  if (!isBoundary(text, at)) return 0;
  // The right half, at first the longer one, is rarer.
  const right = findWord(search, text + at, length - at);
  if (runCount(right) === 0) return 0;
  const left = findWord(search, text, at);
  if (runCount(left) === 0) return 0;
  const words = phraseWords(2);
  store<u32>(words, <u32>left);
  store<u32>(words, <u32>right, 4);
  return words;
}

/**
 * Number of live documents where the right half directly follows the left one, counted up to `limit`; any smaller number when it
 * is below `least`. They are added to the bitmap `out` (0: none), which must be 0 where distances cannot be read.
 */
function adjacentDocuments(search: Search, halves: usize, least: u32, out: usize, limit: u32): u32 {
  if (readsDistances(search)) {
    return mostDocuments(search, halves, 2) < least ? 0 : addPhraseDocuments(search, halves, 2, search.live, out, limit);
  }
  // Adjacency does not depend on the searched attributes.
  const restricted = search.index.byAttribute !== 0 && search.plan.restricted !== 0;
  const matched = matchPhrase(search, halves, 2, restricted, search.live);
  return matched === 0 ? 0 : bitmapCount(matched, search.bytes);
}
