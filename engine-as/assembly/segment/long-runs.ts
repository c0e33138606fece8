/**
 * Writes the documents of long runs of terms. Runs are disjoint or nested: the documents of a run that ends are added to those of
 * the enclosing run.
 */
import { costOfPosition, costsByPosition } from '../costs/position-costs';
import { alloc, allocZeroed } from '../runtime/arena';
import { Buffer } from '../runtime/buffer';
import { Pages, pageAddress, pageLength, pagesAlign, pagesAppend, pagesCount, pagesCreate } from '../runtime/pages';
import { bitmapCount, bitmapOr, bitmapSlots } from '../sets/bitmap';
import { configLongRun } from './config';
import { FoundRun } from './find-runs';
import {
  AttributeDocuments,
  bitmapBytes,
  isListed,
  LongRun,
  LongRunsHeader,
  PLACE_BITS,
  SECTION_LONG_RUNS,
  TERM_EXACT,
  TERM_TOLERANT,
} from './layout';
import { sectionBegin, sectionEnd } from './writer';

/**
 * A run is long when its postings are at least 1/n of the documents: then the sets of all long runs take about 1/20 of a segment.
 */
const LONG_RUN_SHARE: u32 = 2;
/** Most attributes for which documents are kept separately; with more the section is left out. */
const MAX_ATTRIBUTES: u32 = 16;
const BITMAP_ALIGNMENT: u32 = 16;
/** In arrays of places by document: the document does not contain the run. */
const NO_PLACE: u8 = 0xff;
const LANES: u32 = 16;

/** The documents of an open run found so far. */
@unmanaged
class OpenRun {
  /** number of the run */
  index: u32;
  sides: u32;
  /** a bitmap for each attribute, in the order in which attributes were met */
  bitmaps: usize;
  /** u8[docCount], in whole lanes: least place, or NO_PLACE */
  places: usize;
}

let documentCount: u32 = 0;
let bytes: u32 = 0;
/** Buffer of FoundRun, and a LongRun for each */
let found: usize = 0;
let runs: usize = 0;
let runCount: u32 = 0;
/** next run to open */
let nextRun: u32 = 0;
/** usize[]: addresses of OpenRun, outermost first; closed ones are reused */
let openRuns: usize = 0;
let open: u32 = 0;
let made: u32 = 0;
/** u32[MAX_ATTRIBUTES] attributes in the order in which they were met */
let attributes: usize = 0;
let attributeCount: u32 = 0;
/** u8 by position, see costOfPosition */
let costs: usize = 0;
/** Pages: sets of the runs that were closed */
let sets: usize = 0;
/** AttributeDocuments[MAX_ATTRIBUTES] of a run, and a bitmap or list that is being made */
let parts: usize = 0;
let work: usize = 0;

/** Number of postings from which a run is long. */
export function leastPostings(docCount: u32): u32 {
  return max<u32>(docCount / LONG_RUN_SHARE, max<u32>(configLongRun(), 1));
}

/** `foundRuns`: Buffer of FoundRun, see findRunsEnd. */
export function longRunsBegin(foundRuns: usize, docCount: u32): void {
  documentCount = docCount;
  bytes = bitmapBytes(docCount);
  found = foundRuns;
  runCount = <u32>(changetype<Buffer>(found).length / offsetof<FoundRun>());
  if (runCount === 0) return;
  runs = allocZeroed(<usize>runCount * offsetof<LongRun>());
  nextRun = 0;
  openRuns = alloc((<usize>runCount) << 2);
  open = 0;
  made = 0;
  attributes = alloc((<usize>MAX_ATTRIBUTES) << 2);
  attributeCount = 0;
  costs = costsByPosition(0);
  sets = pagesCreate();
  parts = alloc(<usize>MAX_ATTRIBUTES * offsetof<AttributeDocuments>());
  work = alloc(bytes);
}

function foundAt(index: u32): FoundRun {
  return changetype<FoundRun>(changetype<Buffer>(found).data + <usize>index * offsetof<FoundRun>());
}

function openAt(depth: u32): OpenRun {
  return changetype<OpenRun>(<usize>load<u32>(openRuns + ((<usize>depth) << 2)));
}

/** Starts the postings of a term. */
export function longRunsTerm(term: u32, flags: u32): void {
  closeRuns(term);
  while (nextRun < runCount && foundAt(nextRun).from === term) openRun(nextRun++);
  if (open > 0) openAt(open - 1).sides |= flags & (TERM_TOLERANT | TERM_EXACT);
}

function openRun(index: u32): void {
  if (open === made) {
    const run = changetype<OpenRun>(alloc(offsetof<OpenRun>()));
    run.bitmaps = allocZeroed(<usize>(bytes * MAX_ATTRIBUTES));
    run.places = alloc((<usize>bytes) << 3);
    store<u32>(openRuns + ((<usize>made) << 2), <u32>changetype<usize>(run));
    made++;
    memory.fill(run.places, NO_PLACE, (<usize>bytes) << 3);
  }
  const run = openAt(open++);
  run.index = index;
  run.sides = 0;
}

/** Index of an attribute in the order of first appearance; MAX_ATTRIBUTES when there are too many. */
function numberOf(attribute: u32): u32 {
  for (let i: u32 = 0; i < attributeCount; i++) if (load<u32>(attributes + ((<usize>i) << 2)) === attribute) return i;
  if (attributeCount === MAX_ATTRIBUTES) return MAX_ATTRIBUTES;
  store<u32>(attributes + ((<usize>attributeCount) << 2), attribute);
  return attributeCount++;
}

/** A posting of the term: its document and u32 codes `attribute << 16 | position`, ascending. */
export function longRunsPosting(document: u32, codes: usize, count: u32): void {
  if (open === 0) return;
  const run = openAt(open - 1);
  let before: u32 = 0xffffffff;
  let first: u32 = 0xffff;
  for (let at = codes; at < codes + ((<usize>count) << 2); at += 4) {
    const code = load<u32>(at);
    if (code >>> 16 === before) continue;
    before = code >>> 16;
    first = min<u32>(first, code & 0xffff);
    const number = numberOf(before);
    if (number === MAX_ATTRIBUTES) {
      giveUp();
      return;
    }
    const byte = run.bitmaps + <usize>(number * bytes) + (document >>> 3);
    store<u8>(byte, <u32>load<u8>(byte) | (1 << (document & 7)));
  }
  const place = run.places + document;
  store<u8>(place, min<u32>(load<u8>(place), 1 + costOfPosition(costs, first)));
}

/** Leaves the section out. */
function giveUp(): void {
  runCount = 0;
  open = 0;
}

/** Closes the runs that end before a term. */
function closeRuns(term: u32): void {
  while (open > 0 && foundAt(openAt(open - 1).index).to <= term) {
    const run = openAt(--open);
    writeRun(run);
    if (open > 0) addToOuter(run, openAt(open - 1));
    memory.fill(run.bitmaps, 0, <usize>(bytes * attributeCount));
    memory.fill(run.places, NO_PLACE, (<usize>bytes) << 3);
  }
}

function addToOuter(run: OpenRun, outer: OpenRun): void {
  outer.sides |= run.sides;
  for (let i: u32 = 0; i < attributeCount; i++) {
    bitmapOr(outer.bitmaps + <usize>(i * bytes), run.bitmaps + <usize>(i * bytes), bytes);
  }
  for (let at: u32 = 0; at < bytes << 3; at += LANES) {
    v128.store(outer.places + at, i8x16.min_u(v128.load(outer.places + at), v128.load(run.places + at)));
  }
}

/** Writes the sets of a run. */
function writeRun(run: OpenRun): void {
  const target = changetype<LongRun>(runs + <usize>run.index * offsetof<LongRun>());
  target.from = foundAt(run.index).from;
  target.to = foundAt(run.index).to;
  target.sides = run.sides;
  let before: i32 = -1;
  for (let next = nextAttribute(before); next !== MAX_ATTRIBUTES; next = nextAttribute(before)) {
    before = load<u32>(attributes + ((<usize>next) << 2));
    const bitmap = run.bitmaps + <usize>(next * bytes);
    const count = bitmapCount(bitmap, bytes);
    if (count === 0) continue;
    const part = changetype<AttributeDocuments>(parts + <usize>target.attributeCount * offsetof<AttributeDocuments>());
    target.attributeCount++;
    part.attribute = before;
    part.count = count;
    part.offset = startSet();
    if (isListed(count, documentCount)) pagesAppend(sets, work, (<usize>bitmapSlots(bitmap, bytes, work)) << 2);
    else pagesAppend(sets, bitmap, bytes);
  }
  writePlaces(run, target);
  pagesAlign(sets, BITMAP_ALIGNMENT);
  target.attributesOffset = <u32>changetype<Pages>(sets).length;
  pagesAppend(sets, parts, <usize>target.attributeCount * offsetof<AttributeDocuments>());
}

function startSet(): u32 {
  pagesAlign(sets, BITMAP_ALIGNMENT);
  return <u32>changetype<Pages>(sets).length;
}

/** Number of the attribute that follows another one in ascending order, MAX_ATTRIBUTES after the last one. */
function nextAttribute(before: i32): u32 {
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

function writePlaces(run: OpenRun, target: LongRun): void {
  target.placesOffset = startSet();
  const none = i8x16.splat(<i8>NO_PLACE);
  for (let bit: u32 = 0; bit < PLACE_BITS; bit++) {
    for (let at: u32 = 0; at < bytes << 3; at += LANES) {
      const lanes = v128.load(run.places + at);
      const places = v128.andnot(lanes, i8x16.eq(lanes, none));
      store<u16>(work + (at >>> 3), i8x16.bitmask(i8x16.shl(places, 7 - bit)));
    }
    pagesAppend(sets, work, bytes);
  }
}

/** Writes SECTION_LONG_RUNS, if there are any. */
export function writeLongRuns(termCount: u32): void {
  if (runCount === 0) return;
  closeRuns(termCount);
  const header = changetype<LongRunsHeader>(alloc(offsetof<LongRunsHeader>()));
  header.count = runCount;
  header.runsOffset = <u32>offsetof<LongRunsHeader>();
  const tableEnd = header.runsOffset + runCount * <u32>offsetof<LongRun>();
  header.setsOffset = (tableEnd + BITMAP_ALIGNMENT - 1) & ~(BITMAP_ALIGNMENT - 1);
  header.reserved = 0;
  const pages = sectionBegin();
  pagesAppend(pages, changetype<usize>(header), offsetof<LongRunsHeader>());
  pagesAppend(pages, runs, <usize>runCount * offsetof<LongRun>());
  pagesAlign(pages, BITMAP_ALIGNMENT);
  for (let page: u32 = 0; page < pagesCount(sets); page++) {
    pagesAppend(pages, pageAddress(sets, page), pageLength(sets, page));
  }
  sectionEnd(SECTION_LONG_RUNS, 0);
}
