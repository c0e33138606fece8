/** Splits: the best division of a word into two adjacent words. */

import { Search } from '../plan/search';
import { memoMark, memoRelease } from '../rank/memo';
import { bitmapCount } from '../sets/bitmap';
import { findWord, MAX_WORD_BYTES } from './dictionary';
import { readsDistances } from './pairs';
import { addTogether, matchPhrase, mostDocuments, phraseWords } from './phrases';
import { runCount } from './runs';

/** Mask of the bits that distinguish continuation bytes of UTF-8 from first bytes. */
const CONTINUED_MASK: u8 = 0xc0;
const CONTINUED: u8 = 0x80;

/**
 * Bytes of the left half of the split whose halves are adjacent in most documents; 0 when there is none; of equal ones the
 * shortest left half wins. `own`: the split that was typed with a space, 0: none; when it is the best one the result is 0.
 */
export function bestCut(search: Search, text: usize, length: u32, own: u32): u32 {
  if (length > MAX_WORD_BYTES) return 0;
  let most: u32 = 0;
  let best: u32 = 0;
  const mark = memoMark(search.memo);
  for (let at: u32 = 1; at < length; at++) {
    if (at === own) continue;
    const documents = sideBySide(search, text, length, at, most + 1, ALL);
    memoRelease(search.memo, mark);
    if (documents <= most) continue;
    most = documents;
    best = at;
  }
  if (best === 0 || own === 0) return best;
  // The split that was typed only needs to be counted until it wins.
  const enough = own < best ? most : most + 1;
  const isOwnBest = sideBySide(search, text, length, own, enough, enough) >= enough;
  memoRelease(search.memo, mark);
  return isOwnBest ? 0 : best;
}

const ALL: u32 = 0xffffffff;

function isBoundary(text: usize, at: u32): bool {
  return (load<u8>(text + at) & CONTINUED_MASK) !== CONTINUED;
}

/**
 * Number of live documents where the right half directly follows the left one, counted up to `limit`; any smaller number when it
 * is below `least`.
 */
function sideBySide(search: Search, text: usize, length: u32, at: u32, least: u32, limit: u32): u32 {
  if (!isBoundary(text, at)) return 0;
  // The right half, at first the longer one, is rarer.
  const right = findWord(search, text + at, length - at);
  if (runCount(right) === 0) return 0;
  const left = findWord(search, text, at);
  if (runCount(left) === 0) return 0;
  const words = phraseWords(2);
  store<u32>(words, <u32>left);
  store<u32>(words, <u32>right, 4);
  if (readsDistances(search)) {
    return mostDocuments(search, words, 2) < least ? 0 : addTogether(search, words, 2, search.live, 0, limit);
  }
  // Adjacency does not depend on the searched attributes.
  const restricted = search.index.byAttribute !== 0 && search.plan.restricted !== 0;
  const matched = matchPhrase(search, words, 2, restricted, search.live);
  return matched === 0 ? 0 : bitmapCount(matched, search.bytes);
}
