/** Words that were typed as one: the best cut of a word into two that stand side by side. */

import { Search } from '../plan/search';
import { memoMark, memoRelease } from '../rank/memo';
import { bitmapCount } from '../sets/bitmap';
import { findWord, MAX_WORD_BYTES } from './dictionary';
import { matchPhrase, phraseWords } from './phrases';
import { runCount } from './runs';

/** In the first byte of a code point these bits are not set as in the ones that follow it. */
const CONTINUED_MASK: u8 = 0xc0;
const CONTINUED: u8 = 0x80;

/**
 * Bytes of the left half of the cut whose halves stand side by side in most documents, 0 when there is none; the shortest left half
 * wins a tie. `own`: the cut that was typed with a space, 0: none; where it is the best one there is none.
 */
export function bestCut(search: Search, text: usize, length: u32, own: u32): u32 {
  if (length > MAX_WORD_BYTES) return 0;
  let most: u32 = 0;
  let best: u32 = 0;
  const mark = memoMark(search.memo);
  // where nothing but the cut that was typed is possible, it need not be counted
  let others = false;
  for (let at: u32 = 1; at < length && !others; at++) others = at !== own && isCut(search, text, length, at);
  memoRelease(search.memo, mark);
  if (!others) return 0;
  for (let at: u32 = 1; at < length; at++) {
    const documents = sideBySide(search, text, length, at);
    memoRelease(search.memo, mark);
    if (documents <= most) continue;
    most = documents;
    best = at === own ? 0 : at;
  }
  return best;
}

function isBoundary(text: usize, at: u32): bool {
  return (load<u8>(text + at) & CONTINUED_MASK) !== CONTINUED;
}

/** Are both halves words? The right half is the longer one at first, and the rarer. */
function isCut(search: Search, text: usize, length: u32, at: u32): bool {
  if (!isBoundary(text, at) || runCount(findWord(search, text + at, length - at)) === 0) return false;
  return runCount(findWord(search, text, at)) > 0;
}

/** Number of live documents where the right half directly follows the left one. */
function sideBySide(search: Search, text: usize, length: u32, at: u32): u32 {
  if (!isBoundary(text, at)) return 0;
  const right = findWord(search, text + at, length - at);
  if (runCount(right) === 0) return 0;
  const left = findWord(search, text, at);
  if (runCount(left) === 0) return 0;
  const words = phraseWords(2);
  store<u32>(words, <u32>left);
  store<u32>(words, <u32>right, 4);
  // words that stand side by side do so for every search, whichever attributes it looks at
  const restricted = search.index.byAttribute !== 0 && search.plan.restricted !== 0;
  const matched = matchPhrase(search, words, 2, restricted, search.live);
  return matched === 0 ? 0 : bitmapCount(matched, search.bytes);
}
