/** Distances between two words, computed for all documents of a set at once. */

import { blockCreate } from '../postings/block';
import { documentCodesOfOne, documentWordCount, oneSet } from '../postings/document-words';
import { alloc, allocZeroed, arenaMark, arenaReset } from '../runtime/arena';
import { SegmentView } from '../segment/view';
import { bitmapAdd, bitmapAnd, bitmapCount, bitmapHas } from '../sets/bitmap';
import { NEAR_COSTS } from './components';
import { Context, contextCreate, contextIndex } from './context';
import { cacheCostSets, NO_COST } from './cost-sets';
import { Occurrences, occurrencesOf } from './occurrences';
import { decodeCodes } from './positions';
import { areReadByDocument, prefetchNext } from './source-groups';
import { documentsOfSource, Source, sourceAt, sourceBegin, sourceBlock } from './sources';

/** Number of neighbouring codes on each side with which a code is compared. */
const REACH: u32 = 3;
const WINDOW: u32 = 2 * REACH + 1;
const ATTRIBUTE_SHIFT: u32 = 16;
/** Bytes of codes that are compared at once. */
const LANE_BYTES: usize = 16;

/** Costs of pairs: u8[WINDOW], indexed by the place of the indexed word in the window around the streamed one. */
let costs: usize = 0;
/** The documents, and the occurrences in them of the words on the indexed side. */
let context: Context = changetype<Context>(0);
let indexed: Occurrences = changetype<Occurrences>(0);

/**
 * Documents where a word of one source is near a word of another one, both of one segment (base 0): CostSets of the costs 0, 1 and
 * 2. `backward`: a right word may also precede a left one.
 */
export function pairSets(left: usize, right: usize, bytes: u32, backward: bool): usize {
  const mark = arenaMark();
  const both = documentsOfSource(left, bytes);
  bitmapAnd(both, documentsOfSource(right, bytes), bytes);
  const documents = changetype<Context>(contextCreate(both, bytes, bitmapCount(both, bytes)));
  const windowCosts = newWindowCosts();
  for (let distance: u32 = 1; distance <= NEAR_COSTS; distance++) {
    setWindowCost(windowCosts, distance, distance - 1);
    if (backward && distance < NEAR_COSTS) setWindowCostBackward(windowCosts, distance, distance);
  }
  const found = pairCosts(documents, left, 1, right, 1, windowCosts);
  const bitmaps = allocZeroed(<usize>(bytes * NEAR_COSTS));
  for (let i: u32 = 0; i < documents.count; i++) {
    const cost = load<u8>(found + i);
    if (cost !== NO_COST) bitmapAdd(bitmaps + <usize>cost * bytes, load<u32>(documents.slots + ((<usize>i) << 2)));
  }
  const sets = cacheCostSets(bitmaps, bytes, NEAR_COSTS);
  arenaReset(mark);
  return sets;
}

/** Costs of pairs: u8[WINDOW], indexed by the place of the left word in the window around the right one; all NO_COST. */
export function newWindowCosts(): usize {
  const windowCosts = alloc(WINDOW);
  memory.fill(windowCosts, NO_COST, WINDOW);
  return windowCosts;
}

/** Sets the cost of pairs whose right word follows the left one at `distance` words, at most {@link REACH}. */
export function setWindowCost(windowCosts: usize, distance: u32, cost: u32): void {
  store<u8>(windowCosts + (REACH - distance), cost);
}

/** The same for pairs whose right word precedes the left one. */
function setWindowCostBackward(windowCosts: usize, distance: u32, cost: u32): void {
  store<u8>(windowCosts + (REACH + distance), cost);
}

/**
 * The least cost of a pair of words from two lists of sources: u8 by document of a context, NO_COST without a pair. The
 * occurrences of the side with fewer terms are indexed by document; those of the other side are streamed: compared with them as
 * they are read.
 */
export function pairCosts(
  documents: Context,
  left: usize,
  leftCount: u32,
  right: usize,
  rightCount: u32,
  windowCosts: usize,
): usize {
  context = documents;
  const found = alloc(context.count);
  memory.fill(found, NO_COST, context.count);
  const isLeftStreamed = termsOf(left, leftCount) > termsOf(right, rightCount);
  costs = alloc(WINDOW);
  for (let place: u32 = 0; place < WINDOW; place++) {
    store<u8>(costs + place, load<u8>(windowCosts + (isLeftStreamed ? WINDOW - 1 - place : place)));
  }
  const indexedSources = isLeftStreamed ? right : left;
  const indexedCount = isLeftStreamed ? rightCount : leftCount;
  indexed = changetype<Occurrences>(occurrencesOf(changetype<usize>(context), indexedSources, indexedCount));
  const streamed = isLeftStreamed ? left : right;
  const streamedCount = isLeftStreamed ? leftCount : rightCount;
  for (let s: u32 = 0; s < streamedCount; s++) {
    const source = sourceAt(streamed, s);
    if (areReadByDocument(context, source)) streamByDocument(source, found);
    else streamByTerm(source, found);
  }
  return found;
}

function termsOf(sources: usize, count: u32): u32 {
  let terms: u32 = 0;
  for (let s: u32 = 0; s < count; s++) terms += sourceAt(sources, s).to - sourceAt(sources, s).from;
  return terms;
}

/** Reads the words of one document after the other. */
function streamByDocument(source: Source, found: usize): void {
  const view = changetype<SegmentView>(source.view);
  const words = oneSet(source.from, source.to, 0);
  for (let i: u32 = 0; i < context.count; i++) {
    prefetchNext(context, source, i);
    const slot = load<u32>(context.slots + ((<usize>i) << 2));
    if (slot < source.base || slot - source.base >= view.docCount || load<u8>(found + i) === 0) continue;
    const mark = arenaMark();
    const codes = alloc((<usize>documentWordCount(view, slot - source.base)) << 2);
    compare(codes, documentCodesOfOne(view, slot - source.base, words, codes), i, found);
    arenaReset(mark);
  }
}

/** Reads the documents of one word after the other. */
function streamByTerm(source: Source, found: usize): void {
  const block = blockCreate();
  sourceBegin(source);
  while (sourceBlock(block) > 0) {
    for (let at: usize = 0; at < (<usize>block.count) << 2; at += 4) {
      const slot = source.base + load<u32>(block.docs + at);
      if (!bitmapHas(context.bitmap, slot)) continue;
      const index = contextIndex(context, slot);
      if (load<u8>(found + index) === 0) continue;
      const mark = arenaMark();
      const length = load<u32>(block.lengths + at);
      const codes = alloc((<usize>length) << 2);
      compare(codes, decodeCodes(load<u32>(block.positions + at), length, codes), index, found);
      arenaReset(mark);
    }
  }
}

/** Lowers the cost of document number `index` of the context to that of the nearest pair with one of the codes. */
function compare(codes: usize, last: usize, index: u32, found: usize): void {
  let least: u32 = load<u8>(found + index);
  const starts = indexed.starts + ((<usize>index) << 2);
  const first = indexed.codes + ((<usize>load<u32>(starts)) << 2);
  const end = indexed.codes + ((<usize>load<u32>(starts, 4)) << 2);
  for (let at = codes; at < last && least > 0; at += 4) {
    const code = load<u32>(at);
    const low = i32x4.splat(code - REACH);
    for (let place = first; place < end; place += LANE_BYTES) {
      let near = i32x4.bitmask(i32x4.lt_u(i32x4.sub(v128.load(place), low), i32x4.splat(WINDOW)));
      // Lanes past the end contain codes of the next document.
      if (end - place < LANE_BYTES) near &= (1 << (<u32>(end - place) >> 2)) - 1;
      for (; near !== 0; near &= near - 1) {
        const other = load<u32>(place + (ctz<u32>(near) << 2));
        if (other >>> ATTRIBUTE_SHIFT !== code >>> ATTRIBUTE_SHIFT) continue;
        least = min<u32>(least, load<u8>(costs + (other - code + REACH)));
      }
    }
  }
  store<u8>(found + index, least);
}
