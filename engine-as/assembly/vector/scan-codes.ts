/** Scanning the codes of vectors, a block at a time: only where the code comes near is the row looked at. */
import { alloc } from '../runtime/arena';
import { NONE } from '../segment/layout';
import { bitmapHas } from '../sets/bitmap';
import { leastOf, offer } from './candidates';
import { biasesOf, blockBytesOf, errorsOf, factorsOf, nibblesOf } from './codes';
import { BLOCK_VECTORS, NIBBLE_BITS, sumNibbles } from './kernels';
import { VECTORS_ONE_EACH, VectorsHeader, vectorOrdinal, vectorOwner } from './layout';
import { Probe, rowCosine } from './probe';
import { Quantized, touchRows } from './quantized';
import { ANY_ORDINAL } from './scan';
import { Search } from './search';

/** Standard deviations by which an estimate from a code may miss before it costs a hit. */
const CODE_DEVIATIONS: f32 = 2.5;
/** Where no more vectors of a block are allowed, their rows cost less than the codes of the block. */
const FEW: u32 = 2;

/** A scan over the codes of a segment, which may be made in several steps. */
@unmanaged
export class Scan {
  /** of the last vector that was compared, and its nearest so far: it is offered when the next one begins */
  document: u32;
  near: f32;
  /** u32[]: vectors whose rows are compared next, and how many they are */
  passed: usize;
  passedCount: u32;
  /** of the rows that were touched last */
  touched: u32;
}

/** Vectors whose rows are touched together. */
const TOGETHER: u32 = 64;

export function scanCreate(): Scan {
  const scan = changetype<Scan>(alloc(offsetof<Scan>()));
  scan.document = NONE;
  scan.near = -Infinity;
  scan.passed = alloc((<usize>(TOGETHER + BLOCK_VECTORS)) << 2);
  scan.passedCount = 0;
  return scan;
}

/** Offers the documents of the vectors from … end - 1 that are allowed and may be among the nearest; `from` is the first of a block. */
export function scanCodes(search: Search, from: u32, end: u32, allowed: usize, ordinal: u32): void {
  const quantized = changetype<Quantized>(search.quantized);
  const probe = changetype<Probe>(search.probe);
  const scan = changetype<Scan>(search.scan);
  const blockBytes = <usize>blockBytesOf(quantized.components);
  for (let first = from; first < end; first += BLOCK_VECTORS) {
    let lanes = allowedLanes(search.header, first, min<u32>(end, first + BLOCK_VECTORS), allowed, ordinal);
    if (lanes === 0) continue;
    if (quantized.codes !== 0 && <u32>popcnt<u32>(lanes) > FEW) {
      const block = quantized.codes + <usize>(first / BLOCK_VECTORS) * blockBytes;
      lanes &= nearLanes(probe, block, quantized.components, leastOf(search));
    }
    for (; lanes !== 0; lanes &= lanes - 1) {
      store<u32>(scan.passed + ((<usize>scan.passedCount) << 2), first + <u32>ctz<u32>(lanes));
      scan.passedCount++;
    }
    if (scan.passedCount >= TOGETHER) compareRows(search);
  }
  compareRows(search);
}

/** Ends a scan. */
export function scanEnd(search: Search): void {
  const scan = changetype<Scan>(search.scan);
  if (scan.near > -Infinity) offer(search, scan.near, scan.document);
  scan.near = -Infinity;
}

/** Looks at the rows of the vectors that have passed. */
function compareRows(search: Search): void {
  const quantized = changetype<Quantized>(search.quantized);
  const scan = changetype<Scan>(search.scan);
  scan.touched = touchRows(quantized, scan.passed, scan.passedCount);
  for (let i: u32 = 0; i < scan.passedCount; i++) {
    const vector = load<u32>(scan.passed + ((<usize>i) << 2));
    const owner = vectorOwner(search.header, vector);
    if (owner !== scan.document) {
      scanEnd(search);
      scan.document = owner;
    }
    scan.near = max<f32>(scan.near, rowCosine(changetype<Probe>(search.probe), quantized, vector));
  }
  scan.passedCount = 0;
}

/** The vectors of a block that count, a bit each. */
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

/** The vectors of a block whose cosine, estimated from their codes, may be above `least`. */
function nearLanes(probe: Probe, block: usize, components: u32, least: f32): u32 {
  sumNibbles(nibblesOf(block), probe.tables, components / NIBBLE_BITS, probe.sums);
  const step = f32x4.splat(probe.step);
  const reach = f32x4.splat(probe.reach);
  const shared = f32x4.splat(probe.shared);
  const deviations = f32x4.splat(CODE_DEVIATIONS * probe.norm);
  const limit = f32x4.splat(least);
  let lanes: u32 = 0;
  for (let lane: u32 = 0; lane < BLOCK_VECTORS; lane += 4) {
    const at = (<usize>lane) << 2;
    const sum = f32x4.sub(f32x4.mul(step, v128.load(probe.sums + at)), reach);
    const product = f32x4.mul(v128.load(factorsOf(block) + at), sum);
    const cosine = f32x4.add(f32x4.add(shared, v128.load(biasesOf(block) + at)), product);
    const most = f32x4.add(cosine, f32x4.mul(deviations, v128.load(errorsOf(block) + at)));
    lanes |= (<u32>i32x4.bitmask(f32x4.gt(most, limit))) << lane;
  }
  return lanes;
}
