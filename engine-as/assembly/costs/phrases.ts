/** Phrases: any two words within a window of three must be no further apart than in the phrase. */
import { arenaMark, arenaReset } from '../runtime/arena';
import { bitmapRemove } from '../sets/bitmap';
import { Context, contextCreate } from './context';
import { shareAttribute } from './edges';
import { newWindowCosts, setWindowCost } from './near-words';
import { Occurrences, occurrencesOf } from './occurrences';
import { pairCosts } from './pairs';

/**
 * Removes the documents from a bitmap where no word of the right sources follows one of the left sources by at most `distance`
 * words. `attributes`: not 0 when it suffices that two words share a searched attribute. Returns how many of the `count`
 * documents are left.
 */
export function keepNear(
  bitmap: usize,
  bytes: u32,
  count: u32,
  left: usize,
  leftCount: u32,
  right: usize,
  rightCount: u32,
  distance: u32,
  attributes: usize,
): u32 {
  const mark = arenaMark();
  const context = changetype<Context>(contextCreate(bitmap, bytes, count));
  const kept = attributes
    ? keepSharing(context, left, leftCount, right, rightCount, attributes)
    : keepPairs(context, left, leftCount, right, rightCount, distance);
  arenaReset(mark);
  return kept;
}

function keepPairs(context: Context, left: usize, leftCount: u32, right: usize, rightCount: u32, distance: u32): u32 {
  const windowCosts = newWindowCosts();
  for (let near: u32 = 1; near <= distance; near++) setWindowCost(windowCosts, near, 0);
  const costs = pairCosts(context, left, leftCount, right, rightCount, windowCosts);
  let kept: u32 = 0;
  for (let i: u32 = 0; i < context.count; i++) {
    if (load<u8>(costs + i) === 0) kept++;
    else remove(context, i);
  }
  return kept;
}

function keepSharing(context: Context, left: usize, leftCount: u32, right: usize, rightCount: u32, attributes: usize): u32 {
  const leftWords = changetype<Occurrences>(occurrencesOf(changetype<usize>(context), left, leftCount));
  const rightWords = changetype<Occurrences>(occurrencesOf(changetype<usize>(context), right, rightCount));
  let kept: u32 = 0;
  for (let i: u32 = 0; i < context.count; i++) {
    if (shareAttribute(leftWords, rightWords, i, attributes)) kept++;
    else remove(context, i);
  }
  return kept;
}

/** The context has been read, so its bitmap may change. */
function remove(context: Context, index: u32): void {
  bitmapRemove(context.bitmap, load<u32>(context.slots + ((<usize>index) << 2)));
}
