/** Encodes the documents of a long run by attribute, each set in the form that takes the fewest bytes. A drawing is in segment/layout.ts. */
import { alloc } from '../runtime/arena';
import { Pages, pagesAlign, pagesAppend } from '../runtime/pages';
import { AttributeDocuments, bitmapBytes, LongRun, SET_BITMAP, SET_LIST, SET_REST } from '../segment/layout';
import { bitmapAddAll, bitmapCount, bitmapDifference, bitmapOr } from '../sets/bitmap';
import { bitmapSlots } from '../sets/members';
import { encodeDocuments } from './grouped-documents';

/** The greatest number of attributes, one for each bit of a mask; with more the section is left out. */
export const MAX_ATTRIBUTES: u32 = 64;
/** The sets of whole runs are combined by every search with a short prefix, so a list is only used if a bitmap is this many times as long. */
const WHOLE_LIST_PART: u32 = 4;
const ALIGNMENT: u32 = 16;

/** The documents of a run, as they were found. */
@unmanaged
export class RunDocuments {
  /** u32[MAX_ATTRIBUTES]: address of a bitmap for each attribute by its number, 0: no document; 0: they are listed instead */
  bitmaps: usize;
  /** u32[count], ascending, and u64[count] bits by number of the attributes */
  documents: usize;
  masks: usize;
  count: u32;
}

let bytes: u32 = 0;
/** Pages that sets are appended to */
let sets: usize = 0;
/** AttributeDocuments[MAX_ATTRIBUTES] of a run */
let parts: usize = 0;
/** bitmaps: of all documents of a run, and one as work space */
let all: usize = 0;
let work: usize = 0;
/** u32[docCount] documents to be encoded, and the encoded bytes */
let list: usize = 0;
let encoded: usize = 0;

/** `pages`: the Pages that sets are appended to. */
export function runSetsBegin(pages: usize, docCount: u32): void {
  bytes = bitmapBytes(docCount);
  sets = pages;
  parts = alloc(<usize>MAX_ATTRIBUTES * offsetof<AttributeDocuments>());
  all = alloc(bytes);
  work = alloc(bytes);
  list = alloc((<usize>docCount) << 2);
  // A difference takes at most as many bytes as documents that it passes.
  encoded = alloc(docCount);
}

/** Writes the sets of a run. `attributes`: u32 by number. */
export function writeRunSets(target: LongRun, run: RunDocuments, isWhole: bool, attributes: usize, attributeCount: u32): void {
  const count: u32 = isWhole ? 0 : countAll(run, attributeCount);
  let before: i32 = -1;
  for (
    let number = nextAttribute(attributes, attributeCount, before);
    number !== MAX_ATTRIBUTES;
    number = nextAttribute(attributes, attributeCount, before)
  ) {
    before = load<u32>(attributes + ((<usize>number) << 2));
    const own = countOf(run, number);
    if (own === 0) continue;
    const part = changetype<AttributeDocuments>(parts + <usize>target.attributeCount * offsetof<AttributeDocuments>());
    target.attributeCount++;
    part.attribute = before;
    const isRest = !isWhole && count - own < min<u32>(own, bytes);
    if (isRest || !writeList(run, number, own, isWhole ? WHOLE_LIST_PART : 1, part)) writeOther(run, number, isRest, part);
  }
  pagesAlign(sets, ALIGNMENT);
  target.attributesOffset = lengthOf(sets);
  pagesAppend(sets, parts, <usize>target.attributeCount * offsetof<AttributeDocuments>());
}

function lengthOf(pages: usize): u32 {
  return <u32>changetype<Pages>(pages).length;
}

/** Number of the attribute that follows another one in ascending order, MAX_ATTRIBUTES after the last one. */
function nextAttribute(attributes: usize, attributeCount: u32, before: i32): u32 {
  let next = MAX_ATTRIBUTES;
  let least = i32.MAX_VALUE;
  for (let i: u32 = 0; i < attributeCount; i++) {
    const attribute = load<i32>(attributes + ((<usize>i) << 2));
    if (attribute <= before || attribute >= least) continue;
    least = attribute;
    next = i;
  }
  return next;
}

function bitmapOf(run: RunDocuments, number: u32): usize {
  return load<u32>(run.bitmaps + ((<usize>number) << 2));
}

/** 1 when a listed document has an attribute, otherwise 0. */
function maskBit(run: RunDocuments, index: u32, number: u32): u32 {
  return <u32>(load<u64>(run.masks + ((<usize>index) << 3)) >>> number) & 1;
}

/** Number of documents of a run; `all` becomes their bitmap where it has bitmaps. */
function countAll(run: RunDocuments, attributeCount: u32): u32 {
  if (run.bitmaps === 0) return run.count;
  memory.fill(all, 0, bytes);
  for (let number: u32 = 0; number < attributeCount; number++) {
    if (bitmapOf(run, number) !== 0) bitmapOr(all, bitmapOf(run, number), bytes);
  }
  return bitmapCount(all, bytes);
}

/** Number of documents with an attribute. */
function countOf(run: RunDocuments, number: u32): u32 {
  if (run.bitmaps !== 0) return bitmapOf(run, number) === 0 ? 0 : bitmapCount(bitmapOf(run, number), bytes);
  let count: u32 = 0;
  for (let i: u32 = 0; i < run.count; i++) count += maskBit(run, i, number);
  return count;
}

/** Lists the documents with an attribute, or without it. Returns their number. */
function listDocuments(run: RunDocuments, number: u32, without: bool): u32 {
  if (run.bitmaps !== 0) {
    if (!without) return bitmapSlots(bitmapOf(run, number), bytes, list);
    bitmapDifference(work, all, bitmapOf(run, number), bytes);
    return bitmapSlots(work, bytes, list);
  }
  let count: u32 = 0;
  for (let i: u32 = 0; i < run.count; i++) {
    if (maskBit(run, i, number) === <u32>without) continue;
    store<u32>(list + ((<usize>count) << 2), load<u32>(run.documents + ((<usize>i) << 2)));
    count++;
  }
  return count;
}

/** Encodes the first `count` documents of the list. Returns their bytes. */
function encodeList(count: u32): u32 {
  return <u32>(encodeDocuments(list, list + ((<usize>count) << 2), 4, encoded) - encoded);
}

/** Writes the documents with an attribute as a list, unless a bitmap takes fewer bytes than `part` times the list. */
function writeList(run: RunDocuments, number: u32, count: u32, part: u32, target: AttributeDocuments): bool {
  // Each document takes a byte or more.
  if (count * part >= bytes) return false;
  const length = encodeList(listDocuments(run, number, false));
  if (length * part >= bytes) return false;
  append(target, SET_LIST, encoded, length);
  return true;
}

/** Writes the documents without an attribute as a list, or those with it as a bitmap. */
function writeOther(run: RunDocuments, number: u32, isRest: bool, target: AttributeDocuments): void {
  if (isRest) {
    append(target, SET_REST, encoded, encodeList(listDocuments(run, number, true)));
    return;
  }
  pagesAlign(sets, ALIGNMENT);
  if (run.bitmaps !== 0) {
    append(target, SET_BITMAP, bitmapOf(run, number), bytes);
    return;
  }
  memory.fill(work, 0, bytes);
  bitmapAddAll(work, list, listDocuments(run, number, false));
  append(target, SET_BITMAP, work, bytes);
}

function append(target: AttributeDocuments, form: u32, from: usize, length: u32): void {
  target.form = form;
  target.offset = lengthOf(sets);
  target.length = length;
  pagesAppend(sets, from, length);
}
