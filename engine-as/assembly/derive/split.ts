/** Splits: the best division of a word into two adjacent words. */

import { memoMark, memoRelease } from '../cache/memo';
import { Search } from '../plan/search';
import { Derivations } from './derivations';
import { MAX_WORD_BYTES } from './dictionary';
import { adjacentInto, divide, halvesOf } from './halves';
import { newBitmap } from './sources';

const ALL: u32 = 0xffffffff;

/**
 * Finds the split whose halves are adjacent in the most documents; of equal ones that with the shortest left half. Sets the bytes of its left
 * half in some derivations (0: there is none), and its documents if they were collected while they were counted. `own`: the split that was
 * typed with a space (0: none); if it is the best one, no split is set.
 */
export function findSplit(search: Search, derivations: Derivations, text: usize, length: u32, own: u32): void {
  derivations.split = 0;
  derivations.splitDocuments = 0;
  if (length > MAX_WORD_BYTES) return;
  const halves = halvesOf(search, text, length);
  let most: u32 = 0;
  let best: u32 = 0;
  // Bitmaps of the documents of the best split, and of the one that is being counted; 0: none yet.
  let found: usize = 0;
  let counted: usize = 0;
  const mark = memoMark(search.memo);
  for (let at: u32 = 1; at < length; at++) {
    // Where distances cannot be read, nothing but the sets of the split before was allocated.
    if (halves.segments === 0) memoRelease(search.memo, mark);
    if (at === own || divide(search, halves, at) <= most) continue;
    if (counted === 0 && halves.segments !== 0) counted = newBitmap(search);
    const documents = adjacentInto(search, halves, counted, ALL);
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
    if (divide(search, halves, own) >= enough && adjacentInto(search, halves, 0, enough) >= enough) return;
  }
  derivations.split = best;
  derivations.splitDocuments = found;
}

/** Bitmap of the live documents where the halves of a word are adjacent; 0: there are none, or distances cannot be read from postings. */
export function splitDocuments(search: Search, text: usize, length: u32, at: u32): usize {
  const halves = halvesOf(search, text, length);
  if (halves.segments === 0 || divide(search, halves, at) === 0) return 0;
  const documents = newBitmap(search);
  return adjacentInto(search, halves, documents, ALL) > 0 ? documents : 0;
}
