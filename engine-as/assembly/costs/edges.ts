/**
 * Proximity of two neighbouring nodes. Pairs of their words are found in occurrences, or as postings are read (`near-words`); the costs of all
 * pairs of a document are lowered one after the other, and become a component at last.
 */
import { alloc } from '../runtime/arena';
import { bitmapHas } from '../sets/bitmap';
import { IMPOSSIBLE } from './components';
import { NearWords, newWindowCosts, setWindowCost, setWindowCostBackward } from './near-words';
import { Occurrences } from './occurrences';
import { ATTRIBUTE_SEARCHED } from './sources';

/** The greatest distance in words at which two words are near each other; all greater ones have the same cost. */
const WINDOW: u32 = 3;
const FAR_COST: u32 = 3;
/** Number of costs of pairs within the window: 0, 1, 2. */
export const NEAR_COSTS: u32 = 3;
const ATTRIBUTE_SHIFT: u32 = 16;

/** Costs of pairs whose right word follows the left one, and of those whose right word precedes it, as far as asked for. */
export function edgeCosts(forward: bool, backward: bool): usize {
  const windowCosts = newWindowCosts();
  for (let distance: u32 = 1; distance <= NEAR_COSTS; distance++) {
    if (forward) setWindowCost(windowCosts, distance, distance - 1);
    if (backward && distance < NEAR_COSTS) setWindowCostBackward(windowCosts, distance, distance);
  }
  return windowCosts;
}

function lower(near: NearWords, index: u32, cost: u32): void {
  if (cost < NEAR_COSTS && cost < <u32>load<u8>(near.costs + index)) store<u8>(near.costs + index, cost);
}

/** Lowers the costs by the pairs whose right word follows the left one. */
export function lowerForward(near: NearWords, left: Occurrences, right: Occurrences): void {
  for (let i: u32 = 0; i < near.context.count; i++) {
    if (load<u8>(near.costs + i) > 0) lower(near, i, nearest(left, right, i) - 1);
  }
}

/** Lowers the costs by the pairs whose right word precedes the left one. */
export function lowerBackward(near: NearWords, left: Occurrences, right: Occurrences): void {
  for (let i: u32 = 0; i < near.context.count; i++) {
    if (load<u8>(near.costs + i) > 1) lower(near, i, nearest(right, left, i));
  }
}

/** Lowers the costs of documents in which two words share a searched attribute. */
export function lowerShared(near: NearWords, left: Occurrences, right: Occurrences, attributes: usize): void {
  for (let i: u32 = 0; i < near.context.count; i++) if (shareAttribute(left, right, i, attributes)) lower(near, i, 0);
}

/**
 * Smallest distance, up to WINDOW, from an occurrence of the left words to a later one of the right words in the same attribute;
 * WINDOW + 1 when there is none.
 */
function nearest(left: Occurrences, right: Occurrences, index: u32): u32 {
  const at = (<usize>index) << 2;
  let l = left.codes + ((<usize>load<u32>(left.starts + at)) << 2);
  const leftEnd = left.codes + ((<usize>load<u32>(left.starts + at, 4)) << 2);
  let r = right.codes + ((<usize>load<u32>(right.starts + at)) << 2);
  const rightEnd = right.codes + ((<usize>load<u32>(right.starts + at, 4)) << 2);
  if (l === leftEnd || r === rightEnd) return WINDOW + 1;
  let best = WINDOW + 1;
  let from = load<u32>(l);
  let to = load<u32>(r);
  while (true) {
    if (to <= from) {
      r += 4;
      if (r === rightEnd) return best;
      to = load<u32>(r);
      continue;
    }
    const distance = to - from;
    if (distance < best && from >>> ATTRIBUTE_SHIFT === to >>> ATTRIBUTE_SHIFT) {
      best = distance;
      if (best === 1) return 1;
    }
    l += 4;
    if (l === leftEnd) return best;
    from = load<u32>(l);
  }
}

function startOf(occurrences: Occurrences, index: u32): u32 {
  return load<u32>(occurrences.starts + ((<usize>index) << 2));
}

function codeAt(occurrences: Occurrences, index: u32): u32 {
  return load<u32>(occurrences.codes + ((<usize>index) << 2));
}

/** Whether both occur in a common searched attribute. */
export function shareAttribute(left: Occurrences, right: Occurrences, index: u32, attributes: usize): bool {
  let l = startOf(left, index);
  const leftEnd = startOf(left, index + 1);
  let r = startOf(right, index);
  const rightEnd = startOf(right, index + 1);
  while (l < leftEnd && r < rightEnd) {
    const a = codeAt(left, l) >>> ATTRIBUTE_SHIFT;
    const b = codeAt(right, r) >>> ATTRIBUTE_SHIFT;
    if (a === b) {
      if (load<u8>(attributes + a) & ATTRIBUTE_SEARCHED) return true;
      l++;
      r++;
    } else if (a < b) l++;
    else r++;
  }
  return false;
}

/**
 * The component of an edge. `size`: of the right node. `present`: documents that satisfy the right node (0: none); the only ones with the cost
 * of distant words.
 */
export function edgeComponent(near: NearWords, size: u32, present: usize): usize {
  const context = near.context;
  const out = alloc(((<usize>context.count) << 1) + 16);
  for (let i: u32 = 0; i < context.count; i++) {
    const best = min<u32>(load<u8>(near.costs + i), FAR_COST);
    let cost = size - 1 + best;
    if (best === FAR_COST && !(present !== 0 && bitmapHas(present, load<u32>(context.members + ((<usize>i) << 2)))))
      cost = IMPOSSIBLE;
    store<u16>(out + ((<usize>i) << 1), <u16>cost);
  }
  return out;
}
