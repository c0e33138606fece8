/** A component, see costs/components, from sets of documents by cost, which are added in ascending order of cost. */
import { alloc } from '../runtime/arena';
import { bitmapHas } from '../sets/bitmap';
import { IMPOSSIBLE } from './components';
import { Context, contextIndexIn } from './context';

@unmanaged
export class SetsComponent {
  /** of documents with slots */
  context: Context;
  /** u16[context.count] */
  costs: usize;
  /** number of documents that have no cost yet */
  left: u32;
}

/** Bytes of bitmaps that are compared at once. */
const LANE: usize = 16;

export function setsComponentCreate(contextPointer: usize): SetsComponent {
  const context = changetype<Context>(contextPointer);
  const component = changetype<SetsComponent>(alloc(offsetof<SetsComponent>()));
  component.context = context;
  component.costs = alloc(((<usize>context.count) << 1) + 16);
  component.left = context.count;
  memory.fill(component.costs, 0xff, (<usize>context.count) << 1);
  return component;
}

/**
 * Gives a cost to the documents of a bitmap over the slots from `base` on, except to those that have a lower one. `within`: only slots of this
 * bitmap count; 0: all.
 */
export function setsComponentAdd(
  component: SetsComponent,
  documents: usize,
  bytes: u32,
  base: u32,
  cost: u32,
  within: usize,
): void {
  const context = component.context;
  const bitmap = context.bitmap + (base >>> 3);
  const firstWord = base >>> 6;
  for (let lane: usize = 0; lane < bytes; lane += LANE) {
    let shared = v128.and(v128.load(bitmap + lane), v128.load(documents + lane));
    if (!v128.any_true(shared)) continue;
    if (within !== 0) shared = v128.and(shared, v128.load(within + (base >>> 3) + lane));
    const word = firstWord + <u32>(lane >>> 3);
    addWord(component, word, i64x2.extract_lane(shared, 0), cost);
    addWord(component, word + 1, i64x2.extract_lane(shared, 1), cost);
  }
}

/** Adds some documents of a word of the bitmap of the context. */
function addWord(component: SetsComponent, word: u32, documents: u64, cost: u32): void {
  for (let bits = documents; bits !== 0; bits &= bits - 1) addDocument(component, word, ctz<u64>(bits), cost);
}

function addDocument(component: SetsComponent, word: u32, bit: u64, cost: u32): void {
  const at = component.costs + ((<usize>contextIndexIn(component.context, word, bit)) << 1);
  if (<u32>load<u16>(at) !== IMPOSSIBLE) return;
  store<u16>(at, <u16>cost);
  component.left--;
}

/** The same for a list of local numbers (u32[count]). */
export function setsComponentAddListed(
  component: SetsComponent,
  list: usize,
  count: u32,
  base: u32,
  cost: u32,
  within: usize,
): void {
  const bitmap = component.context.bitmap;
  for (let at = list; at < list + ((<usize>count) << 2); at += 4) {
    const slot = base + load<u32>(at);
    if (!bitmapHas(bitmap, slot) || (within !== 0 && !bitmapHas(within, slot))) continue;
    addDocument(component, slot >>> 6, slot & 63, cost);
  }
}
