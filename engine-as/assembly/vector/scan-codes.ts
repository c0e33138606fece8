/**
 * Scans the codes of vectors block by block. From its code follows an upper bound of the cosine of a vector. Rows are first
 * compared for the vectors with the greatest bounds; then for those others whose bound is not below what was found.
 */
import { alloc, allocZeroed } from '../runtime/arena';
import { NONE } from '../segment/layout';
import { bitmapHas } from '../sets/bitmap';
import { Best, bestCreate, bestOffer, Scored } from './best';
import { biasesOf, blockBytesOf, blockCountOf, errorsOf, factorsOf, nibblesOf } from './codes';
import { BLOCK_VECTORS, NIBBLE_BITS, sumNibbles } from './kernels';
import { VECTORS_ONE_EACH, VectorsHeader, vectorOrdinal, vectorOwner } from './layout';
import { Probe, rowCosine } from './probe';
import { prefetchRows, Quantized } from './quantized';
import { ANY_ORDINAL } from './scan';
import { leastOf, offer, Search } from './search-state';

/**
 * Number of standard deviations added to estimates from codes. Vectors whose estimate is lower than the truth by more than this
 * are missed.
 */
const CODE_DEVIATIONS: f32 = 2.5;
/** When at most this many vectors of a block are allowed, reading their rows costs less than scanning the codes of the block. */
const FEW: u32 = 2;
/**
 * Number of vectors whose rows are compared first: FIRST_EACH per wanted document, plus FIRST_SPARE. With fewer more of the
 * others are compared, with more the first ones cost as much.
 */
const FIRST_EACH: u32 = 2;
const FIRST_SPARE: u32 = 24;

/** A scan over the codes of a segment; may be divided into several steps. */
@unmanaged
export class Scan {
  /** u32[]: for each block, a bit per vector that may be among the nearest */
  lanes: usize;
  /** f32[]: upper bound of the cosine of each of these vectors; Infinity where the code was not read */
  most: usize;
  /** Best of vectors: those with the greatest upper bounds */
  first: usize;
  /** document of the last vector compared, and its best cosine so far, which is offered when the next document begins */
  document: u32;
  near: f32;
  /** u32[]: vectors whose rows are to be compared next, and their number */
  passed: usize;
  passedCount: u32;
  /** sum of the bytes read by the last prefetch */
  prefetched: u32;
}

/** Number of vectors whose rows are prefetched together. */
const COMPARED_TOGETHER: u32 = 64;

export function scanCreate(search: Search): Scan {
  const scan = changetype<Scan>(alloc(offsetof<Scan>()));
  const count = changetype<Quantized>(search.quantized).count;
  const blocks = <usize>blockCountOf(count);
  scan.lanes = allocZeroed(blocks << 2);
  scan.most = alloc((blocks * BLOCK_VECTORS) << 2);
  scan.first = bestCreate(min<u32>(count, FIRST_EACH * changetype<Best>(search.nearest).limit + FIRST_SPARE));
  scan.document = NONE;
  scan.near = -Infinity;
  scan.passed = alloc((<usize>COMPARED_TOGETHER) << 2);
  scan.passedCount = 0;
  return scan;
}

/** Scans the codes of the vectors from … end - 1 of allowed documents; `from` is the first of a block. */
export function scanCodes(search: Search, from: u32, end: u32, allowed: usize, ordinal: u32): void {
  const quantized = changetype<Quantized>(search.quantized);
  const scan = changetype<Scan>(search.scan);
  const blockBytes = <usize>blockBytesOf(quantized.components);
  for (let first = from; first < end; first += BLOCK_VECTORS) {
    let lanes = allowedLanes(search.header, first, min<u32>(end, first + BLOCK_VECTORS), allowed, ordinal);
    if (lanes === 0) continue;
    const number = first / BLOCK_VECTORS;
    if (quantized.codes !== 0 && <u32>popcnt<u32>(lanes) > FEW) {
      lanes &= nearLanes(search, quantized.codes + <usize>number * blockBytes, first);
      offerFirst(scan, lanes, first);
    } else {
      for (let left = lanes; left !== 0; left &= left - 1) store<f32>(mostOf(scan, first + <u32>ctz<u32>(left)), Infinity);
    }
    store<u32>(scan.lanes + ((<usize>number) << 2), lanes);
  }
}

/** Compares the rows of the vectors with the greatest upper bounds. The result shows how near the others must be. */
export function scanFirst(search: Search): void {
  const scan = changetype<Scan>(search.scan);
  const first = changetype<Best>(scan.first);
  const blocks = blockCountOf(changetype<Quantized>(search.quantized).count);
  const chosen = allocZeroed((<usize>blocks) << 2);
  for (let i: u32 = 0; i < first.count; i++) {
    const vector = changetype<Scored>(first.entries + <usize>i * offsetof<Scored>()).document;
    const at = chosen + ((<usize>(vector / BLOCK_VECTORS)) << 2);
    store<u32>(at, load<u32>(at) | ((<u32>1) << (vector % BLOCK_VECTORS)));
  }
  // In ascending order, so that the vectors of a document are compared one after the other.
  for (let block: u32 = 0; block < blocks; block++) {
    const at = (<usize>block) << 2;
    let lanes = load<u32>(chosen + at);
    if (lanes === 0) continue;
    store<u32>(scan.lanes + at, load<u32>(scan.lanes + at) & ~lanes);
    for (; lanes !== 0; lanes &= lanes - 1) pass(search, block * BLOCK_VECTORS + <u32>ctz<u32>(lanes));
  }
  compareRows(search);
  if (changetype<VectorsHeader>(search.header).flags & VECTORS_ONE_EACH) return;
  // Other vectors of the same documents may still be offered, and a document must not count twice.
  search.least = leastOf(search);
  changetype<Best>(search.nearest).count = 0;
}

/**
 * Compares the rows of those of the other vectors from … end - 1 that may be among the nearest; `from` is the first of a block.
 */
export function scanRows(search: Search, from: u32, end: u32): void {
  const scan = changetype<Scan>(search.scan);
  for (let first = from; first < end; first += BLOCK_VECTORS) {
    let lanes = load<u32>(scan.lanes + ((<usize>(first / BLOCK_VECTORS)) << 2));
    if (lanes !== 0) lanes &= lanesFrom(mostOf(scan, first), leastOf(search));
    for (; lanes !== 0; lanes &= lanes - 1) pass(search, first + <u32>ctz<u32>(lanes));
  }
  compareRows(search);
}

/** A bit for each of f32[BLOCK_VECTORS] that is at least a limit. */
function lanesFrom(numbers: usize, limit: f32): u32 {
  const limits = f32x4.splat(limit);
  let lanes: u32 = 0;
  for (let lane: u32 = 0; lane < BLOCK_VECTORS; lane += 4) {
    lanes |= (<u32>i32x4.bitmask(f32x4.ge(v128.load(numbers + ((<usize>lane) << 2)), limits))) << lane;
  }
  return lanes;
}

/** Lists a vector whose row is to be compared. */
function pass(search: Search, vector: u32): void {
  const scan = changetype<Scan>(search.scan);
  store<u32>(scan.passed + ((<usize>scan.passedCount) << 2), vector);
  if (++scan.passedCount === COMPARED_TOGETHER) compareListed(search);
}

/** Compares the rows of the listed vectors, and offers the document of the last one. */
function compareRows(search: Search): void {
  const scan = changetype<Scan>(search.scan);
  compareListed(search);
  endDocument(search);
  scan.document = NONE;
}

function compareListed(search: Search): void {
  const quantized = changetype<Quantized>(search.quantized);
  const scan = changetype<Scan>(search.scan);
  scan.prefetched = prefetchRows(quantized, scan.passed, scan.passedCount);
  for (let i: u32 = 0; i < scan.passedCount; i++) {
    const vector = load<u32>(scan.passed + ((<usize>i) << 2));
    const owner = vectorOwner(search.header, vector);
    if (owner !== scan.document) {
      endDocument(search);
      scan.document = owner;
    }
    scan.near = max<f32>(scan.near, rowCosine(changetype<Probe>(search.probe), quantized, vector));
  }
  scan.passedCount = 0;
}

function endDocument(search: Search): void {
  const scan = changetype<Scan>(search.scan);
  if (scan.near > -Infinity) offer(search, scan.near, scan.document);
  scan.near = -Infinity;
}

function mostOf(scan: Scan, vector: u32): usize {
  return scan.most + ((<usize>vector) << 2);
}

/** Offers vectors of a block to those compared first. */
function offerFirst(scan: Scan, lanes: u32, block: u32): void {
  const first = changetype<Best>(scan.first);
  let left = lanes;
  if (first.count === first.limit) left &= lanesFrom(mostOf(scan, block), changetype<Scored>(first.entries).similarity);
  for (; left !== 0; left &= left - 1) {
    const vector = block + <u32>ctz<u32>(left);
    bestOffer(scan.first, load<f32>(mostOf(scan, vector)), vector);
  }
}

/** The allowed vectors of a block, one bit each. */
function allowedLanes(header: usize, first: u32, end: u32, allowed: usize, ordinal: u32): u32 {
  if (changetype<VectorsHeader>(header).flags & VECTORS_ONE_EACH && ordinal === ANY_ORDINAL) {
    return load<u32>(allowed + (first >>> 3));
  }
  let lanes: u32 = 0;
  for (let vector = first; vector < end; vector++) {
    if (!bitmapHas(allowed, vectorOwner(header, vector))) continue;
    if (ordinal !== ANY_ORDINAL && vectorOrdinal(header, vector) !== ordinal) continue;
    lanes |= 1 << (vector - first);
  }
  return lanes;
}

/**
 * Writes an upper bound of the cosine of each vector of a block, and returns a bit for each whose bound reaches the least cosine
 * needed.
 */
function nearLanes(search: Search, block: usize, first: u32): u32 {
  const probe = changetype<Probe>(search.probe);
  sumNibbles(nibblesOf(block), probe.tables, changetype<Quantized>(search.quantized).components / NIBBLE_BITS, probe.sums);
  const out = mostOf(changetype<Scan>(search.scan), first);
  const step = f32x4.splat(probe.step);
  const reach = f32x4.splat(probe.reach);
  const shared = f32x4.splat(probe.shared);
  const deviations = f32x4.splat(CODE_DEVIATIONS * probe.norm);
  const limit = f32x4.splat(search.least);
  let lanes: u32 = 0;
  for (let lane: u32 = 0; lane < BLOCK_VECTORS; lane += 4) {
    const at = (<usize>lane) << 2;
    const sum = f32x4.sub(f32x4.mul(step, v128.load(probe.sums + at)), reach);
    const product = f32x4.mul(v128.load(factorsOf(block) + at), sum);
    const cosine = f32x4.add(f32x4.add(shared, v128.load(biasesOf(block) + at)), product);
    const most = f32x4.add(cosine, f32x4.mul(deviations, v128.load(errorsOf(block) + at)));
    v128.store(out + at, most);
    lanes |= (<u32>i32x4.bitmask(f32x4.ge(most, limit))) << lane;
  }
  return lanes;
}
