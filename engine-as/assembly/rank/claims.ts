/**
 * Documents are claimed: a variant of an interpretation takes those of its documents that no variant before it took. The rest shrinks
 * from call to call.
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
  /** bitmap of the documents that are left */
  rest: usize;
  left: u32;
  /** u32[MAX_TERMS + 1]: addresses of bitmaps, for each place of a path the documents of a variant read that far; 0: not used yet */
  narrowed: usize;
  /** the path that was read last, and how many of its states {@link narrowed} is known for */
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

/** Takes the documents out that lost to equivalent ones. */
export function removeDead(search: Search, claims: Claims): void {
  if (search.dead === 0) return;
  bitmapAndNot(claims.rest, search.dead, search.bytes);
  claims.left = bitmapCount(claims.rest, search.bytes);
}

/** A bitmap for a place of a path, the same one each time. */
function bitmapAt(search: Search, claims: Claims, place: u32): usize {
  const cell = claims.narrowed + ((<usize>place) << 2);
  if (load<u32>(cell) === 0) store<u32>(cell, <u32>alloc(max<usize>(search.bytes, 16)));
  return load<u32>(cell);
}

/** What is left of a set of documents within another one (0: of all that are left); 0 when nothing is. Valid until `place` is used again. */
export function narrow(search: Search, claims: Claims, place: u32, within: usize, documents: usize): usize {
  if (documents === 0) return 0;
  const narrowed = bitmapAt(search, claims, place);
  return bitmapIntersect(narrowed, within !== 0 ? within : claims.rest, documents, search.bytes) ? narrowed : 0;
}

/** Claims the documents of `claimed` (0: all) that are still there, and adds them to a bucket; answers how many they are. */
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
 * Claims the documents that satisfy all the states of a path. What the path before was narrowed to by the states that both begin with is
 * used again: it may hold documents that were claimed since, which are not taken twice. The last set of a path is the one that taking
 * changes, so that it is made anew.
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
