/** Sources of documents and occurrences for a set of words: terms of segments, in the slots of an index. */

import { Block } from '../postings/block';
import {
  postingsBegin,
  postingsBlock,
  postingsDoc,
  postingsNext,
  postingsOrInto,
  postingsPositions,
  postingsPositionsLength,
} from '../postings/decode';
import { findLongRun, isAllTolerant, isWhole, longRunOrInto, runOrInto, wholeRunOrInto } from '../postings/long-runs';
import { allocZeroed } from '../runtime/arena';
import { TERM_EXACT, TERM_TOLERANT } from '../segment/layout';
import { SegmentView } from '../segment/view';
import { bitmapAdd } from '../sets/bitmap';
import { groupAttribute, groupsBegin, groupsNext } from './positions';

/** A run of terms of one segment. */
@unmanaged
export class Source {
  /** SegmentView */
  view: usize;
  /** first slot of the segment */
  base: u32;
  /** terms [from, to) */
  from: u32;
  to: u32;
  /** bitmap over slots: only these documents are considered; 0: all */
  within: usize;
}

/** Flags of a field in the current search; one byte per field id. ATTRIBUTE_EXACT: words match without typos only. */
export const ATTRIBUTE_EXACT: u8 = 1;
/** The search has no restriction on attributes, or this attribute is included. */
export const ATTRIBUTE_SEARCHED: u8 = 2;

export function sourceAt(sources: usize, index: u32): Source {
  return changetype<Source>(sources + <usize>index * offsetof<Source>());
}

/**
 * Adds the documents that contain a word of the sources to a bitmap. `attributes`: u8 per field, or 0 when every occurrence
 * counts; `tolerantOnly`: only occurrences on the tolerant side count.
 */
export function sourcesOrInto(
  sources: usize,
  count: u32,
  bitmap: usize,
  attributes: usize,
  restricted: bool,
  tolerantOnly: bool,
): void {
  for (let s: u32 = 0; s < count; s++) {
    const source = sourceAt(sources, s);
    const target = bitmap + (source.base >>> 3);
    const long = findLongRun(source.view, source.from, source.to);
    const isStored = changetype<usize>(long) !== 0 && (restricted || isWhole(long));
    if (isStored && (!tolerantOnly || isAllTolerant(long))) {
      if (restricted) longRunOrInto(changetype<SegmentView>(source.view), long, target, attributes, ATTRIBUTE_SEARCHED);
      else wholeRunOrInto(changetype<SegmentView>(source.view), long, target);
      continue;
    }
    const flags = changetype<SegmentView>(source.view).termFlags;
    for (let term = source.from; term < source.to; term++) {
      const sides = load<u8>(flags + term);
      if (tolerantOnly && !(sides & TERM_TOLERANT)) continue;
      if (restricted || (tolerantOnly && sides & TERM_EXACT))
        addChecked(source.view, term, target, attributes, restricted, tolerantOnly);
      else postingsOrInto(source.view, term, target);
    }
  }
}

/** The slow path: checks the attributes of each posting. */
function addChecked(view: usize, term: u32, bitmap: usize, attributes: usize, restricted: bool, tolerantOnly: bool): void {
  postingsBegin(view, term);
  while (postingsNext()) {
    groupsBegin(postingsPositions(), postingsPositionsLength());
    while (groupsNext()) {
      const kind = load<u8>(attributes + groupAttribute());
      if (restricted && !(kind & ATTRIBUTE_SEARCHED)) continue;
      if (tolerantOnly && kind & ATTRIBUTE_EXACT) continue;
      bitmapAdd(bitmap, postingsDoc());
      break;
    }
  }
}

/** A new bitmap of the documents of a source of one segment (base 0). */
export function documentsOfSource(sourcePointer: usize, bytes: u32): usize {
  const source = changetype<Source>(sourcePointer);
  const documents = allocZeroed(bytes);
  runOrInto(source.view, source.from, source.to, documents);
  return documents;
}

// The terms of a source are read one after the other, with one cursor per instance.
let cursorView: usize = 0;
let cursorTerm: u32 = 0;
let cursorEnd: u32 = 0;

/** Moves the cursor before the first posting of a source, which must have a term. */
export function sourceBegin(source: Source): void {
  cursorView = source.view;
  cursorTerm = source.from;
  cursorEnd = source.to;
  postingsBegin(cursorView, cursorTerm);
}

/** Reads the next block of postings, term after term; returns their number, 0 after the last one. */
export function sourceBlock(block: Block): u32 {
  let count = postingsBlock(block);
  while (count === 0 && ++cursorTerm < cursorEnd) {
    postingsBegin(cursorView, cursorTerm);
    count = postingsBlock(block);
  }
  return count;
}

/** Number of postings of the terms [from, to). */
export function runPostings(view: usize, from: u32, to: u32): u32 {
  const frequencies = changetype<SegmentView>(view).termDocFreq;
  let postings: u32 = 0;
  for (let term = from; term < to; term++) postings += load<u32>(frequencies + ((<usize>term) << 2));
  return postings;
}
