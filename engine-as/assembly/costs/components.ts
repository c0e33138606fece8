/**
 * Costs of the positional ranking rules. A component is the cost that one node (or one pair of adjacent nodes) of an
 * interpretation contributes to each document of a context: u16[count], IMPOSSIBLE for documents that do not satisfy it. The cost
 * of an interpretation is the sum of its components.
 */
import { alloc } from '../runtime/arena';
import { bitmapHas } from '../sets/bitmap';
import { Context } from './context';
import { Occurrences } from './occurrences';
import { bucketIndex, positionCosts } from './position-costs';
import { ATTRIBUTE_SEARCHED } from './sources';

export const IMPOSSIBLE: u32 = 0xffff;

const ATTRIBUTE_SHIFT: u32 = 16;

function startOf(occurrences: Occurrences, index: u32): u32 {
  return load<u32>(occurrences.starts + ((<usize>index) << 2));
}

function codeAt(occurrences: Occurrences, index: u32): u32 {
  return load<u32>(occurrences.codes + ((<usize>index) << 2));
}

/** A constant cost for the documents of a bitmap (0: all documents). */
export function presenceComponent(contextPointer: usize, bitmap: usize, cost: u32): usize {
  const context = changetype<Context>(contextPointer);
  const out = alloc(((<usize>context.count) << 1) + 16);
  for (let i: u32 = 0; i < context.count; i++) {
    const present = !bitmap || bitmapHas(bitmap, load<u32>(context.members + ((<usize>i) << 2)));
    store<u16>(out + ((<usize>i) << 1), <u16>(present ? cost : IMPOSSIBLE));
  }
  return out;
}

/** A set of documents with the same cost. */
@unmanaged
export class CostOf {
  cost: u32;
  /** bitmap over slots */
  documents: usize;
}

export function costOfAt(sets: usize, index: u32): CostOf {
  return changetype<CostOf>(sets + <usize>index * offsetof<CostOf>());
}

/**
 * Attribute rank: size of the node times the smallest weight of a searched attribute that contains it. `weights`: u16 per field.
 */
export function attributeComponent(
  contextPointer: usize,
  occurrencesPointer: usize,
  attributes: usize,
  weights: usize,
  size: u32,
): usize {
  const context = changetype<Context>(contextPointer);
  const occurrences = changetype<Occurrences>(occurrencesPointer);
  const out = alloc(((<usize>context.count) << 1) + 16);
  let from = startOf(occurrences, 0);
  for (let i: u32 = 0; i < context.count; i++) {
    const to = startOf(occurrences, i + 1);
    let best = IMPOSSIBLE;
    for (let k = from; k < to; k++) {
      const attribute = codeAt(occurrences, k) >>> ATTRIBUTE_SHIFT;
      if (!(load<u8>(attributes + attribute) & ATTRIBUTE_SEARCHED)) continue;
      const weight: u32 = load<u16>(weights + ((<usize>attribute) << 1));
      if (weight < best) best = weight;
    }
    from = to;
    store<u16>(out + ((<usize>i) << 1), <u16>(best === IMPOSSIBLE ? IMPOSSIBLE : min<u32>(best * size, IMPOSSIBLE - 1)));
  }
  return out;
}

/** Word position: cost of the occurrence nearest to the position of the node in the query. */
export function positionComponent(contextPointer: usize, occurrencesPointer: usize, start: u32, size: u32): usize {
  const context = changetype<Context>(contextPointer);
  const occurrences = changetype<Occurrences>(occurrencesPointer);
  const costs = positionCosts(start, size);
  const out = alloc(((<usize>context.count) << 1) + 16);
  let from = startOf(occurrences, 0);
  for (let i: u32 = 0; i < context.count; i++) {
    const to = startOf(occurrences, i + 1);
    let best = IMPOSSIBLE;
    for (let k = from; k < to; k++) {
      const cost: u32 = load<u16>(costs + ((<usize>bucketIndex(codeAt(occurrences, k) & 0xffff)) << 1));
      if (cost < best) best = cost;
    }
    from = to;
    store<u16>(out + ((<usize>i) << 1), <u16>best);
  }
  return out;
}

/**
 * Adds up components. `plan`: for each interpretation u32 n, then n addresses of components. For each of the documents `indices`
 * (u32[count], numbers in the context) writes the smallest cost (u16, IMPOSSIBLE when no interpretation is satisfied) and the
 * first interpretation that has it (u16).
 */
export function combineComponents(
  plan: usize,
  interpretations: u32,
  indices: usize,
  count: u32,
  costs: usize,
  chosen: usize,
): void {
  memory.fill(costs, 0xff, (<usize>count) << 1);
  let at = plan;
  for (let p: u32 = 0; p < interpretations; p++) {
    const parts = load<u32>(at);
    at += 4;
    for (let k: u32 = 0; k < count; k++) {
      const index = (<usize>load<u32>(indices + ((<usize>k) << 2))) << 1;
      let cost: u32 = 0;
      for (let c: u32 = 0; c < parts; c++) {
        const part: u32 = load<u16>(<usize>load<u32>(at + ((<usize>c) << 2)) + index);
        if (part === IMPOSSIBLE) {
          cost = IMPOSSIBLE;
          break;
        }
        cost += part;
      }
      if (cost < <u32>load<u16>(costs + ((<usize>k) << 1))) {
        store<u16>(costs + ((<usize>k) << 1), <u16>cost);
        store<u16>(chosen + ((<usize>k) << 1), <u16>p);
      }
    }
    at += (<usize>parts) << 2;
  }
}

/**
 * Extracts one cost: sets the documents with this cost in a bitmap, marks the interpretations that gave it (u8 each), and returns
 * the next greater cost, or IMPOSSIBLE. `slots`: u32[count]; slots in the bitmap `duplicates` (0: none) are skipped.
 */
export function costBucket(
  slots: usize,
  costs: usize,
  chosen: usize,
  count: u32,
  cost: u32,
  bitmap: usize,
  live: usize,
  duplicates: usize,
): u32 {
  let next = IMPOSSIBLE;
  for (let k: u32 = 0; k < count; k++) {
    const own: u32 = load<u16>(costs + ((<usize>k) << 1));
    if (own === cost) {
      const slot = load<u32>(slots + ((<usize>k) << 2));
      if (duplicates && bitmapHas(duplicates, slot)) continue;
      const byte = bitmap + (slot >>> 3);
      store<u8>(byte, <u8>(<u32>load<u8>(byte) | (1 << (slot & 7))));
      store<u8>(live + load<u16>(chosen + ((<usize>k) << 1)), 1);
    } else if (own > cost && own < next) next = own;
  }
  return next;
}

/** Smallest cost, or IMPOSSIBLE. */
export function leastCost(costs: usize, count: u32): u32 {
  let least = IMPOSSIBLE;
  for (let k: u32 = 0; k < count; k++) least = min<u32>(least, load<u16>(costs + ((<usize>k) << 1)));
  return least;
}
