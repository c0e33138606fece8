/** Reading the stored documents of long runs of terms. A drawing is in segment/layout.ts. */

import { alloc, arenaMark, arenaReset } from '../runtime/arena';
import {
  AttributeDocuments,
  bitmapBytes,
  LongRun,
  LongRunsHeader,
  NONE,
  PLACE_BITS,
  SET_BITMAP,
  SET_REST,
  TERM_EXACT,
  TERM_TOLERANT,
} from '../segment/layout';
import { SegmentView } from '../segment/view';
import { bitmapOr, bitmapRemove } from '../sets/bitmap';
import { postingsOrInto } from './decode';
import { documentsInto } from './document-lists';

const ALL: u32 = 0xffffffff;

export function longRunCount(view: SegmentView): u32 {
  return view.longRuns === 0 ? 0 : changetype<LongRunsHeader>(view.longRuns).count;
}

export function longRunAt(view: SegmentView, index: u32): LongRun {
  const runs = view.longRuns + changetype<LongRunsHeader>(view.longRuns).runsOffset;
  return changetype<LongRun>(runs + <usize>index * offsetof<LongRun>());
}

/** Index of the first long run that is not before the terms [from, to) in the order of the section. */
export function firstLongRun(view: SegmentView, from: u32, to: u32): u32 {
  let low: u32 = 0;
  let high = longRunCount(view);
  while (low < high) {
    const middle = (low + high) >>> 1;
    const run = longRunAt(view, middle);
    if (run.from < from || (run.from === from && run.to > to)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The stored long run of the terms [from, to); 0: there is none. */
export function findLongRun(viewPointer: usize, from: u32, to: u32): LongRun {
  const view = changetype<SegmentView>(viewPointer);
  const index = firstLongRun(view, from, to);
  if (index === longRunCount(view)) return changetype<LongRun>(0);
  const run = longRunAt(view, index);
  return run.from === from && run.to === to ? run : changetype<LongRun>(0);
}

/** Whether all documents of a run have one of its words on the tolerant side. */
export function isAllTolerant(run: LongRun): bool {
  return (run.sides & (TERM_TOLERANT | TERM_EXACT)) === TERM_TOLERANT;
}

/** Whether a run is whole: the first positions of its documents are stored too, and none of its sets as a list of what it lacks. */
export function isWhole(run: LongRun): bool {
  return run.placesOffset !== NONE;
}

/** The same of a run that may be 0. */
export function isWholeRun(run: LongRun): bool {
  return changetype<usize>(run) !== 0 && isWhole(run);
}

function setsOf(view: SegmentView): usize {
  return view.longRuns + changetype<LongRunsHeader>(view.longRuns).setsOffset;
}

export function attributeAt(view: SegmentView, run: LongRun, index: u32): AttributeDocuments {
  return changetype<AttributeDocuments>(setsOf(view) + run.attributesOffset + <usize>index * offsetof<AttributeDocuments>());
}

/**
 * Adds the documents with a word of a run in an attribute to a bitmap over the documents of the segment. `documents`: bitmap of all
 * documents of the run; 0: computed if needed.
 */
export function attributeOrInto(
  view: SegmentView,
  run: LongRun,
  part: AttributeDocuments,
  bitmap: usize,
  documents: usize,
): void {
  const set = setsOf(view) + part.offset;
  const bytes = bitmapBytes(view.docCount);
  if (part.form === SET_BITMAP) {
    bitmapOr(bitmap, set, bytes);
    return;
  }
  if (part.form !== SET_REST) {
    documentsInto(set, set + part.length, 0, 0, bitmap, ALL);
    return;
  }
  const mark = arenaMark();
  const own = alloc(bytes);
  if (documents !== 0) memory.copy(own, documents, bytes);
  else {
    memory.fill(own, 0, bytes);
    runOrInto(changetype<usize>(view), run.from, run.to, own);
  }
  removeListed(own, set, part.length);
  bitmapOr(bitmap, own, bytes);
  arenaReset(mark);
}

/** Removes the documents of a list from a bitmap. */
function removeListed(bitmap: usize, list: usize, length: u32): void {
  let document: u32 = NONE;
  for (let at = list; at < list + length; ) {
    let byte: u32 = load<u8>(at++);
    document += byte & 0x7f;
    for (let shift: u32 = 7; byte >= 0x80; shift += 7) {
      byte = load<u8>(at++);
      document += (byte & 0x7f) << shift;
    }
    bitmapRemove(bitmap, document);
  }
}

/**
 * Adds the documents of a run to a bitmap over the documents of the segment. `fieldFlags`: u8 per field, only attributes with the bit `flag` count.
 */
export function longRunOrInto(view: SegmentView, run: LongRun, bitmap: usize, fieldFlags: usize, flag: u8): void {
  for (let i: u32 = 0; i < run.attributeCount; i++) {
    const part = attributeAt(view, run, i);
    if (load<u8>(fieldFlags + part.attribute) & flag) attributeOrInto(view, run, part, bitmap, 0);
  }
}

/**
 * Adds the documents whose first position in a whole run has a cost for the first word of a query.
 * @returns whether there are any
 */
export function placeOrInto(view: SegmentView, run: LongRun, cost: u32, bitmap: usize): bool {
  const bytes: usize = bitmapBytes(view.docCount);
  const places = setsOf(view) + run.placesOffset;
  let any: v128 = i64x2.splat(0);
  for (let at: usize = 0; at < bytes; at += 16) {
    let members = i8x16.splat(-1);
    for (let bit: u32 = 0; bit < PLACE_BITS; bit++) {
      const plane = v128.load(places + <usize>bit * bytes + at);
      members = ((1 + cost) >>> bit) & 1 ? v128.and(members, plane) : v128.andnot(members, plane);
    }
    any = v128.or(any, members);
    v128.store(bitmap + at, v128.or(v128.load(bitmap + at), members));
  }
  return v128.any_true(any);
}

/** Adds the documents of a whole run to a bitmap over the documents of the segment: those that have a place. */
export function wholeRunOrInto(view: SegmentView, run: LongRun, bitmap: usize): void {
  const bytes: usize = bitmapBytes(view.docCount);
  const places = setsOf(view) + run.placesOffset;
  for (let at: usize = 0; at < bytes; at += 16) {
    let members = v128.load(bitmap + at);
    for (let bit: u32 = 0; bit < PLACE_BITS; bit++) members = v128.or(members, v128.load(places + <usize>bit * bytes + at));
    v128.store(bitmap + at, members);
  }
}

/** Adds the documents of the terms [from, to) to a bitmap over the documents of the segment. */
export function runOrInto(view: usize, from: u32, to: u32, bitmap: usize): void {
  const run = findLongRun(view, from, to);
  if (isWholeRun(run)) wholeRunOrInto(changetype<SegmentView>(view), run, bitmap);
  else for (let term = from; term < to; term++) postingsOrInto(view, term, bitmap);
}
