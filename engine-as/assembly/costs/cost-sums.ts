/**
 * Sums of costs of all documents of a bitmap at once. A sum is stored in planes: bitmaps of the documents whose sum has a certain
 * bit. Adding a cost takes a few operations on bitmaps, however many combinations of costs have the same sum.
 */
import { alloc, allocZeroed } from '../runtime/arena';
import { CostOf, costOfAt } from './components';

/** Bytes of bitmaps that are added up at once. */
const LANE: usize = 16;
/** No document has a sum. */
export const NO_SUM: u32 = 0xffffffff;

@unmanaged
export class CostSums {
  /** bytes of each bitmap */
  bytes: u32;
  /** bitmap of the documents that have a sum */
  documents: usize;
  /** number of planes, and their bitmaps one after the other, that of the lowest bit first */
  planes: u32;
  data: usize;
}

/** Sums of 0 for the documents of a bitmap, which becomes part of them. `greatest`: the greatest sum that will be reached. */
export function sumsCreate(documents: usize, bytes: u32, greatest: u32): CostSums {
  const sums = changetype<CostSums>(alloc(offsetof<CostSums>()));
  sums.bytes = bytes;
  sums.documents = documents;
  sums.planes = 32 - clz<u32>(greatest);
  sums.data = allocZeroed(<usize>(sums.planes * bytes) + LANE);
  return sums;
}

/** Adds costs given by disjoint sets of documents: CostOf[count]. Documents that are in none of the sets lose their sum. */
export function sumsAdd(sums: CostSums, sets: usize, count: u32): void {
  const planes = sums.planes;
  /** The bits of the costs of the documents of a lane. */
  const values = alloc(<usize>planes * LANE);
  for (let at: usize = 0; at < sums.bytes; at += LANE) {
    let missing = v128.load(sums.documents + at);
    if (!v128.any_true(missing)) continue;
    let found = i64x2.splat(0);
    memory.fill(values, 0, <usize>planes * LANE);
    for (let s: u32 = 0; s < count && v128.any_true(missing); s++) {
      const set: CostOf = costOfAt(sets, s);
      const shared = v128.and(missing, v128.load(set.documents + at));
      if (!v128.any_true(shared)) continue;
      found = v128.or(found, shared);
      missing = v128.andnot(missing, shared);
      for (let bits = set.cost; bits !== 0; bits &= bits - 1) {
        const value = values + ((<usize>ctz<u32>(bits)) << 4);
        v128.store(value, v128.or(v128.load(value), shared));
      }
    }
    v128.store(sums.documents + at, found);
    addLane(sums.data + at, sums.bytes, values, planes);
  }
}

/** Adds the numbers of a lane to those in the planes from `target` on, which are `bytes` apart. */
function addLane(target: usize, bytes: u32, values: usize, planes: u32): void {
  let carry = i64x2.splat(0);
  for (let plane: u32 = 0; plane < planes; plane++) {
    const place = target + <usize>(plane * bytes);
    const before = v128.load(place);
    const value = v128.load(values + ((<usize>plane) << 4));
    const half = v128.xor(before, value);
    v128.store(place, v128.xor(half, carry));
    carry = v128.or(v128.and(before, value), v128.and(half, carry));
  }
}

/**
 * The smallest sum of a document that is in a bitmap too; {@link NO_SUM} when there is none. These documents are written to `out`. The
 * others of the bitmap are not considered any more.
 */
export function sumsLeast(sums: CostSums, among: usize, out: usize): u32 {
  let any = i64x2.splat(0);
  for (let at: usize = 0; at < sums.bytes; at += LANE) {
    const left = v128.and(v128.load(sums.documents + at), v128.load(among + at));
    v128.store(sums.documents + at, left);
    v128.store(out + at, left);
    any = v128.or(any, left);
  }
  if (!v128.any_true(any)) return NO_SUM;
  let least: u32 = 0;
  for (let plane = sums.planes; plane-- > 0; ) {
    const data = sums.data + <usize>(plane * sums.bytes);
    if (hasOutside(out, data, sums.bytes)) removeAll(out, data, sums.bytes);
    else least |= 1 << plane;
  }
  return least;
}

/** Whether a bitmap has a member that another one lacks. */
function hasOutside(bitmap: usize, other: usize, bytes: u32): bool {
  for (let at: usize = 0; at < bytes; at += LANE) {
    if (v128.any_true(v128.andnot(v128.load(bitmap + at), v128.load(other + at)))) return true;
  }
  return false;
}

function removeAll(bitmap: usize, other: usize, bytes: u32): void {
  for (let at: usize = 0; at < bytes; at += LANE) {
    const members = v128.load(bitmap + at);
    if (v128.any_true(members)) v128.store(bitmap + at, v128.andnot(members, v128.load(other + at)));
  }
}
