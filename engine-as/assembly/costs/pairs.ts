/** Distances between two words, computed for all documents of a set at once. */

import { documentCodesOfOne, documentWordCount, oneSet } from '../postings/document-words';
import { allocZeroed, arenaMark, arenaReset } from '../runtime/arena';
import { SegmentView } from '../segment/view';
import { bitmapAdd, bitmapAnd, bitmapCount } from '../sets/bitmap';
import { Context, contextCreate } from './context';
import { NO_COST, setsOfBitmaps } from './cost-sets';
import { edgeCosts, NEAR_COSTS } from './edges';
import { codesRoom, compareCodes, NearWords, nearWordsCreate, reversedWindowCosts, streamSource } from './near-words';
import { Occurrences, occurrencesOf } from './occurrences';
import { areReadByDocument, prefetchNext } from './source-groups';
import { documentsOfSource, Source, sourceAt } from './sources';

/**
 * Documents where a word of one source is near a word of another one, both of one segment (base 0): CostSets of the costs 0, 1 and
 * 2. `backward`: a right word may also precede a left one.
 */
export function pairSets(left: usize, right: usize, bytes: u32, backward: bool): usize {
  const mark = arenaMark();
  const both = documentsOfSource(left, bytes);
  bitmapAnd(both, documentsOfSource(right, bytes), bytes);
  const documents = changetype<Context>(contextCreate(both, bytes, bitmapCount(both, bytes)));
  const found = pairCosts(documents, left, 1, right, 1, edgeCosts(true, backward));
  const bitmaps = allocZeroed(<usize>(bytes * NEAR_COSTS));
  for (let i: u32 = 0; i < documents.count; i++) {
    const cost = load<u8>(found + i);
    if (cost !== NO_COST) bitmapAdd(bitmaps + <usize>cost * bytes, load<u32>(documents.slots + ((<usize>i) << 2)));
  }
  const sets = setsOfBitmaps(bitmaps, bytes, NEAR_COSTS, 0);
  arenaReset(mark);
  return sets;
}

/**
 * The least cost of a pair of words from two lists of sources: u8 by document of a context, NO_COST without a pair. The
 * occurrences of the side with fewer terms are indexed by document; those of the other side are compared with them as they are read.
 */
export function pairCosts(
  context: Context,
  left: usize,
  leftCount: u32,
  right: usize,
  rightCount: u32,
  windowCosts: usize,
): usize {
  const near = nearWordsCreate(context);
  const isLeftStreamed = termsOf(left, leftCount) > termsOf(right, rightCount);
  const indexed = isLeftStreamed
    ? occurrencesOf(changetype<usize>(context), right, rightCount)
    : occurrencesOf(changetype<usize>(context), left, leftCount);
  const costs = isLeftStreamed ? reversedWindowCosts(windowCosts) : windowCosts;
  const streamed = isLeftStreamed ? left : right;
  const streamedCount = isLeftStreamed ? leftCount : rightCount;
  for (let s: u32 = 0; s < streamedCount; s++) {
    const source = sourceAt(streamed, s);
    if (areReadByDocument(context, source)) streamDocuments(near, changetype<Occurrences>(indexed), source, costs);
    else streamSource(near, changetype<Occurrences>(indexed), source, costs);
  }
  return near.costs;
}

function termsOf(sources: usize, count: u32): u32 {
  let terms: u32 = 0;
  for (let s: u32 = 0; s < count; s++) terms += sourceAt(sources, s).to - sourceAt(sources, s).from;
  return terms;
}

/** Reads the words of one document after the other. */
function streamDocuments(near: NearWords, indexed: Occurrences, source: Source, windowCosts: usize): void {
  const context: Context = near.context;
  const view = changetype<SegmentView>(source.view);
  const words = oneSet(source.from, source.to, 0);
  for (let i: u32 = 0; i < context.count; i++) {
    prefetchNext(context, source, i);
    const slot = load<u32>(context.slots + ((<usize>i) << 2));
    if (slot < source.base || slot - source.base >= view.docCount || load<u8>(near.costs + i) === 0) continue;
    const codes = codesRoom(near, documentWordCount(view, slot - source.base));
    compareCodes(near, indexed, i, codes, documentCodesOfOne(view, slot - source.base, words, codes), windowCosts);
  }
}
