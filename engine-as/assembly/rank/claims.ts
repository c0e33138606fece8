/**
 * Divides documents among the variants of interpretations: each variant claims those of its documents that no earlier variant
 * claimed.
 */
import { copyOf } from '../derive/sources';
import { PATH_BYTES, Path, pathCreate, stateAt } from '../graph/interpretations';
import { MAX_TERMS } from '../graph/query';
import { documentsOf } from '../graph/state';
import { Search } from '../plan/search';
import { alloc, allocZeroed } from '../runtime/arena';
import { bitmapAndNot, bitmapCopy, bitmapCount, bitmapIntersect, bitmapMove } from '../sets/bitmap';

@unmanaged
export class Claims {
  /** bitmap of the unclaimed documents */
  rest: usize;
  left: u32;
  /**
   * u32[MAX_TERMS + 1]: for each place of a path the address of a bitmap of the documents that satisfy the states up to there; 0:
   * not allocated
   */
  narrowed: usize;
  /** the last path, and for how many of its states {@link narrowed} is valid */
  path: Path;
  known: u32;
}

export function claimsOf(search: Search, bitmap: usize, count: u32): Claims {
  const claims = changetype<Claims>(alloc(offsetof<Claims>()));
  claims.rest = copyOf(search, bitmap);
  claims.left = count;
  claims.narrowed = allocZeroed((<usize>(MAX_TERMS + 1)) << 2);
  claims.path = pathCreate();
  claims.known = 0;
  return claims;
}

/** Removes the documents that distinct has dropped. */
export function removeDuplicates(search: Search, claims: Claims): void {
  if (search.duplicates === 0) return;
  bitmapAndNot(claims.rest, search.duplicates, search.bytes);
  claims.left = bitmapCount(claims.rest, search.bytes);
}

/** The bitmap for a place of a path; allocated at its first use. */
function bitmapAt(search: Search, claims: Claims, place: u32): usize {
  const cell = claims.narrowed + ((<usize>place) << 2);
  if (load<u32>(cell) === 0) store<u32>(cell, <u32>alloc(max<usize>(search.bytes, 16)));
  return load<u32>(cell);
}

/**
 * Intersects a set of documents with another one (0: with the unclaimed documents). Returns 0 when the result is empty; otherwise
 * a bitmap that is valid until `place` is used again.
 */
export function narrow(search: Search, claims: Claims, place: u32, within: usize, documents: usize): usize {
  if (documents === 0) return 0;
  const narrowed = bitmapAt(search, claims, place);
  return bitmapIntersect(narrowed, within !== 0 ? within : claims.rest, documents, search.bytes) ? narrowed : 0;
}

/** Claims the unclaimed documents of `claimed` (0: all of them) and adds them to a bucket. Returns their number. */
export function take(search: Search, claims: Claims, claimed: usize, bucket: usize): u32 {
  let wanted = claimed;
  if (wanted === 0) {
    wanted = bitmapAt(search, claims, MAX_TERMS);
    bitmapCopy(wanted, claims.rest, search.bytes);
  }
  const count = bitmapMove(claims.rest, wanted, bucket, search.bytes);
  claims.left -= count;
  return count;
}

/**
 * Claims the documents that satisfy all states of a path, and adds them to a bucket. Returns their number. For states that the
 * previous path began with too, the intersections are reused. They may contain documents that were claimed since; the last
 * intersection is always computed anew and leaves these out.
 */
export function takePath(search: Search, claims: Claims, path: Path, bucket: usize): u32 {
  const before = claims.path;
  let place: u32 = 0;
  while (place < claims.known && place + 1 < path.count && stateAt(before, place) === stateAt(path, place)) place++;
  memory.copy(changetype<usize>(before), changetype<usize>(path), PATH_BYTES);
  let documents: usize = place === 0 ? 0 : bitmapAt(search, claims, place - 1);
  for (; place < path.count; place++) {
    documents = narrow(search, claims, place, documents, documentsOf(search, stateAt(path, place)));
    if (documents === 0) {
      claims.known = place;
      return 0;
    }
  }
  claims.known = path.count === 0 ? 0 : path.count - 1;
  return take(search, claims, documents, bucket);
}
