/** Phrases: every two words of some neighbours must stand near each other. */

import { keepCostSets, spreadCostSet } from '../costs/cost-sets';
import { keepNear } from '../costs/phrases';
import { Search, segmentOf } from '../plan/search';
import { keptAdd, keptAdmits, keptFind } from '../rank/kept';
import { memoMark, memoRelease } from '../rank/memo';
import { KEPT_PHRASE } from '../rank/result-kinds';
import { allocZeroed } from '../runtime/arena';
import { bufferPush32 } from '../runtime/buffer';
import { keyCreate } from '../runtime/key-table';
import { bitmapAnd, bitmapCopy, bitmapCount, bitmapIsEmpty } from '../sets/bitmap';
import { canKeepPairs, nearDocuments } from './pairs';
import { runAt, runCount } from './runs';
import { addHolders, copyOf, isLarge, newBitmap, sourceCount, sourcesAt, sourcesOf } from './sources';

/** Every two words of so many neighbours must stand near each other. */
const PHRASE_WINDOW: u32 = 3;

/** The words of a phrase: u32[count] addresses of runs, 0 for a gap, which any word or none may fill. Gaps alone at first. */
export function phraseWords(count: u32): usize {
  return allocZeroed(((<usize>count) << 2) + 4);
}

function wordAt(words: usize, index: u32): usize {
  return load<u32>(words + ((<usize>index) << 2));
}

/**
 * Documents of a bitmap that match a phrase of `count` words (see {@link phraseWords}): a new bitmap, 0 when there is none.
 * `restricted`: its words must stand in searched attributes.
 */
export function matchPhrase(search: Search, words: usize, count: u32, restricted: bool, within: usize): usize {
  const bytes = search.bytes;
  const matched = copyOf(search, within);
  const holders = newBitmap(search);
  const all = newBitmap(search);
  let filled: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const runs = wordAt(words, i);
    if (runs === 0) continue;
    memory.fill(holders, 0, bytes);
    addHolders(search, runs, holders, restricted, false);
    bitmapAnd(matched, holders, bytes);
    if (filled === 0) bitmapCopy(all, holders, bytes);
    else bitmapAnd(all, holders, bytes);
    filled++;
  }
  const documents = bitmapCount(matched, bytes);
  if (documents === 0) return 0;
  if (filled === 1) return matched;
  const kept = isLarge(search, documents) && !restricted ? keptDocuments(search, words, count, all) : 0;
  if (kept === 0) return narrow(search, words, count, matched, documents) ? matched : 0;
  bitmapAnd(matched, kept, bytes);
  return bitmapIsEmpty(matched, bytes) ? 0 : matched;
}

/** All documents that match a phrase, deleted ones too, of a set that is kept: a new bitmap; 0 when nothing can be kept. */
function keptDocuments(search: Search, words: usize, count: u32, holders: usize): usize {
  if (!canKeepPairs(search)) return 0;
  const left = wordAt(words, 0);
  const right = wordAt(words, 1);
  // a pair serves the proximity of its words too
  if (count === 2 && left !== 0 && right !== 0) return nearDocuments(search, left, right, 1, Infinity);
  const kept = keptPhrase(search, words, count, holders);
  if (kept === 0) return 0;
  const documents = newBitmap(search);
  spreadCostSet(kept, 0, documents);
  return documents;
}

/** CostSets of one cost: all documents that match a phrase, of those that hold its words; 0 when there is no room. */
function keptPhrase(search: Search, words: usize, count: u32, holders: usize): usize {
  const key = keyCreate(KEPT_PHRASE);
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
  const known = keptFind(key);
  if (known !== 0) return known;
  if (!keptAdmits(key, search.bytes)) return 0;
  const mark = memoMark(search.memo);
  narrow(search, words, count, holders, bitmapCount(holders, search.bytes));
  const made = keepCostSets(holders, search.bytes, 1);
  memoRelease(search.memo, mark);
  return keptAdd(key, made);
}

const GAP: u32 = 0xffffffff;

/**
 * Takes the documents out of a bitmap of `documents` where words that are some distance apart in the phrase stand further apart: by
 * kept pairs as far as there are any, then by reading what is left. Is there anything left?
 */
function narrow(search: Search, words: usize, count: u32, matched: usize, documents: u32): bool {
  const bytes = search.bytes;
  const asksForPairs = canKeepPairs(search) && isLarge(search, documents);
  /** u8 by distance and place: by kept pairs already */
  const known = allocZeroed(<usize>(count * PHRASE_WINDOW));
  for (let distance: u32 = 1; distance < PHRASE_WINDOW && asksForPairs; distance++) {
    for (let i: u32 = 0; i + distance < count; i++) {
      const from = wordAt(words, i);
      const to = wordAt(words, i + distance);
      if (from === 0 || to === 0) continue;
      const near = nearDocuments(search, from, to, distance, documents);
      if (near === 0) continue;
      bitmapAnd(matched, near, bytes);
      store<u8>(known + <usize>(distance * count + i), 1);
    }
  }
  const sharing: usize = search.index.byAttribute ? search.plan.kinds : 0;
  let left = bitmapCount(matched, bytes);
  for (let distance: u32 = 1; distance < PHRASE_WINDOW; distance++) {
    for (let i: u32 = 0; i + distance < count && left > 0; i++) {
      const from = wordAt(words, i);
      const to = wordAt(words, i + distance);
      if (from === 0 || to === 0 || load<u8>(known + <usize>(distance * count + i))) continue;
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
