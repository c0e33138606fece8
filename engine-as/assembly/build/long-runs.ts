/**
 * Writes the documents of long runs of terms. Runs are disjoint or nested: the documents of a run that ends are added to those of
 * the enclosing run.
 */
import { costOfPosition, costsByPosition } from '../costs/position-costs';
import { alloc, allocZeroed } from '../runtime/arena';
import { Buffer } from '../runtime/buffer';
import { Pages, pagesAlign, pagesAppend, pagesCreate } from '../runtime/pages';
import { bitmapBytes, LongRun, LongRunsHeader, NONE, PLACE_BITS, TERM_EXACT, TERM_TOLERANT } from '../segment/layout';
import { SECTION_LONG_RUNS } from '../segment/section-kinds';
import { sectionAlign, sectionAppend, sectionAppendPages, sectionBegin, sectionEnd } from '../segment/writer';
import { bitmapOr } from '../sets/bitmap';
import { configLongRun } from './config';
import { FoundRun } from './find-runs';
import { MAX_ATTRIBUTES, RunDocuments, runSetsBegin, writeRunSets } from './run-sets';

/**
 * Minimum postings of a run as 1/n of the documents: of a whole run, of the words with a prefix, of a term. So the sets take about the
 * same share of a segment, whatever its size.
 */
const WHOLE_SHARE: u32 = 2;
const PREFIX_SHARE: u32 = 16;
const TERM_SHARE: u32 = 64;
/**
 * A term needs 1/n of the absolute number of postings that a prefix needs: there are fewer such terms, and their documents overlap
 * less.
 */
const TERM_PART: u32 = 4;
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
  isWhole: bool;
  /** whether it is a single term and not whole: its documents are listed, so that it needs no bitmaps */
  isListed: bool;
  /** u32[MAX_ATTRIBUTES]: address of the bitmap of each attribute by its number, 0: none yet */
  bitmaps: usize;
  /** of a whole run: u8[docCount], in whole lanes: least place, or NO_PLACE */
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
/** u32[]: addresses of OpenRun, outermost first; closed ones are reused. The first `openWholeCount` are whole. */
let openRuns: usize = 0;
let open: u32 = 0;
let openWholeCount: u32 = 0;
let made: u32 = 0;
/** the documents of the open listed run, and of a run that is written */
let listed: RunDocuments = changetype<RunDocuments>(0);
let written: RunDocuments = changetype<RunDocuments>(0);
/** u32[MAX_ATTRIBUTES] attributes in the order of first appearance */
let attributes: usize = 0;
let attributeCount: u32 = 0;
/** u8 by position, see costOfPosition */
let costs: usize = 0;
/** Pages: sets of the runs that were closed */
let sets: usize = 0;
/** bitmap of a bit of all places */
let work: usize = 0;

/** Postings from which the words with a prefix are a long run. */
export function leastOfPrefix(docCount: u32): u32 {
  return max<u32>(docCount / PREFIX_SHARE, max<u32>(configLongRun(), 1));
}

/** Postings from which a term is a long run. */
export function leastOfTerm(docCount: u32): u32 {
  return max<u32>(docCount / TERM_SHARE, max<u32>(configLongRun() / TERM_PART, 1));
}

/** Postings from which a long run is whole. */
function leastOfWhole(docCount: u32): u32 {
  return max<u32>(docCount / WHOLE_SHARE, max<u32>(configLongRun(), 1));
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
  openWholeCount = 0;
  made = 0;
  listed = changetype<RunDocuments>(allocZeroed(offsetof<RunDocuments>()));
  listed.documents = alloc((<usize>docCount) << 2);
  listed.masks = alloc((<usize>docCount) << 3);
  written = changetype<RunDocuments>(allocZeroed(offsetof<RunDocuments>()));
  attributes = alloc((<usize>MAX_ATTRIBUTES) << 2);
  attributeCount = 0;
  costs = costsByPosition(0);
  sets = pagesCreate();
  work = alloc(bytes);
  runSetsBegin(sets, docCount);
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
    const run = changetype<OpenRun>(allocZeroed(offsetof<OpenRun>()));
    run.bitmaps = allocZeroed((<usize>MAX_ATTRIBUTES) << 2);
    store<u32>(openRuns + ((<usize>made) << 2), <u32>changetype<usize>(run));
    made++;
  }
  const run = openAt(open++);
  const range = foundAt(index);
  run.index = index;
  run.sides = 0;
  run.isWhole = range.postings >= leastOfWhole(documentCount);
  run.isListed = !run.isWhole && range.to === range.from + 1;
  if (run.isListed) listed.count = 0;
  if (!run.isWhole) return;
  openWholeCount = open;
  if (run.places === 0) run.places = alloc((<usize>bytes) << 3);
  memory.fill(run.places, NO_PLACE, (<usize>bytes) << 3);
}

/** Number of an attribute in the order of first appearance; MAX_ATTRIBUTES when there are too many. */
function numberOf(attribute: u32): u32 {
  for (let i: u32 = 0; i < attributeCount; i++) if (load<u32>(attributes + ((<usize>i) << 2)) === attribute) return i;
  if (attributeCount === MAX_ATTRIBUTES) return MAX_ATTRIBUTES;
  store<u32>(attributes + ((<usize>attributeCount) << 2), attribute);
  return attributeCount++;
}

/** A posting of the term: its document and u32 codes `attribute << 16 | position`, ascending. */
export function longRunsPosting(document: u32, codes: usize, count: u32): void {
  if (open === 0) return;
  let before: u32 = 0xffffffff;
  let first: u32 = 0xffff;
  let mask: u64 = 0;
  for (let at = codes; at < codes + ((<usize>count) << 2); at += 4) {
    const code = load<u32>(at);
    if (code >>> 16 === before) continue;
    before = code >>> 16;
    first = min<u32>(first, code & 0xffff);
    const number = numberOf(before);
    if (number === MAX_ATTRIBUTES) {
      leaveOut();
      return;
    }
    mask |= (<u64>1) << number;
  }
  let depth = open - 1;
  if (openAt(depth).isListed) {
    store<u32>(listed.documents + ((<usize>listed.count) << 2), document);
    store<u64>(listed.masks + ((<usize>listed.count) << 3), mask);
    listed.count++;
    if (depth === 0) return;
    depth--;
  }
  addPosting(openAt(depth), document, mask);
  if (openWholeCount === 0) return;
  const place = openAt(openWholeCount - 1).places + document;
  store<u8>(place, min<u32>(load<u8>(place), 1 + costOfPosition(costs, first)));
}

function addPosting(run: OpenRun, document: u32, mask: u64): void {
  for (let left = mask; left !== 0; left &= left - 1) {
    const byte = bitmapOf(run, <u32>ctz(left)) + (document >>> 3);
    store<u8>(byte, <u32>load<u8>(byte) | (1 << (document & 7)));
  }
}

/** The bitmap of an attribute by its number, made when it is first needed. */
function bitmapOf(run: OpenRun, number: u32): usize {
  const cell = run.bitmaps + ((<usize>number) << 2);
  if (load<u32>(cell) === 0) store<u32>(cell, <u32>allocZeroed(bytes));
  return load<u32>(cell);
}

/** Leaves the section out, because there are too many attributes. */
function leaveOut(): void {
  runCount = 0;
  open = 0;
}

/** Closes the runs that end before a term. */
function closeRuns(term: u32): void {
  while (open > 0 && foundAt(openAt(open - 1).index).to <= term) {
    const run = openAt(--open);
    openWholeCount = min(openWholeCount, open);
    writeRun(run);
    if (open > 0) addToOuter(run, openAt(open - 1));
    for (let i: u32 = 0; i < attributeCount; i++) {
      const bitmap: usize = load<u32>(run.bitmaps + ((<usize>i) << 2));
      if (bitmap !== 0) memory.fill(bitmap, 0, bytes);
    }
  }
}

function addToOuter(run: OpenRun, outer: OpenRun): void {
  outer.sides |= run.sides;
  // The documents of a listed run were added as they were found.
  if (run.isListed) return;
  for (let i: u32 = 0; i < attributeCount; i++) {
    const bitmap: usize = load<u32>(run.bitmaps + ((<usize>i) << 2));
    if (bitmap !== 0) bitmapOr(bitmapOf(outer, i), bitmap, bytes);
  }
  if (!run.isWhole) return;
  for (let at: u32 = 0; at < bytes << 3; at += LANES) {
    v128.store(outer.places + at, i8x16.min_u(v128.load(outer.places + at), v128.load(run.places + at)));
  }
}

function writeRun(run: OpenRun): void {
  const target = changetype<LongRun>(runs + <usize>run.index * offsetof<LongRun>());
  target.from = foundAt(run.index).from;
  target.to = foundAt(run.index).to;
  target.sides = run.sides;
  target.placesOffset = run.isWhole ? writePlaces(run) : NONE;
  written.bitmaps = run.bitmaps;
  writeRunSets(target, run.isListed ? listed : written, run.isWhole, attributes, attributeCount);
}

/** Writes the bitmaps of the places; returns where they begin. */
function writePlaces(run: OpenRun): u32 {
  pagesAlign(sets, BITMAP_ALIGNMENT);
  const offset = <u32>changetype<Pages>(sets).length;
  const none = i8x16.splat(<i8>NO_PLACE);
  for (let bit: u32 = 0; bit < PLACE_BITS; bit++) {
    for (let at: u32 = 0; at < bytes << 3; at += LANES) {
      const lanes = v128.load(run.places + at);
      const places = v128.andnot(lanes, i8x16.eq(lanes, none));
      store<u16>(work + (at >>> 3), i8x16.bitmask(i8x16.shl(places, 7 - bit)));
    }
    pagesAppend(sets, work, bytes);
  }
  return offset;
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
  sectionBegin();
  sectionAppend(changetype<usize>(header), offsetof<LongRunsHeader>());
  sectionAppend(runs, <usize>runCount * offsetof<LongRun>());
  sectionAlign(BITMAP_ALIGNMENT);
  sectionAppendPages(sets);
  sectionEnd(SECTION_LONG_RUNS, 0);
}
