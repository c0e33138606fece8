/**
 * Divides documents among the variants of interpretations: each variant gets those of its documents that no earlier variant has
 * got.
 */
import { copyOf, unwritten } from '../derive/sources';
import { PATH_BYTES, Path, pathCreate, stateAt } from '../graph/interpretations';
import { MAX_TERMS } from '../graph/query';
import { documentsOf } from '../graph/state';
import { Search } from '../plan/search';
import { alloc, allocZeroed } from '../runtime/arena';
import {
  bitmapAndNot,
  bitmapCopy,
  bitmapCount,
  bitmapDifference,
  bitmapIntersect,
  bitmapMove,
  bitmapSplit,
} from '../sets/bitmap';

@unmanaged
export class Assignment {
  /** bitmap of the documents that no variant has got, but see {@link isDue}; and their number */
  unassigned: usize;
  count: u32;
  /** whether that bitmap is the one that was given, which is not written to */
  isGiven: bool;
  /** bitmap of the documents assigned since {@link beginBucket}; 0: none */
  filled: usize;
  /** whether {@link unassigned} still has those of {@link filled}: often no other bucket is needed */
  isDue: bool;
  /**
   * u32[MAX_TERMS + 1]: for each place of a path the address of a bitmap of the documents that satisfy the states up to there; 0:
   * not allocated
   */
  narrowed: usize;
  /** the last path, and for how many of its states {@link narrowed} is valid */
  path: Path;
  known: u32;
}

export function assignmentOf(bitmap: usize, count: u32): Assignment {
  const assignment = changetype<Assignment>(alloc(offsetof<Assignment>()));
  assignment.unassigned = bitmap;
  assignment.count = count;
  assignment.isGiven = true;
  assignment.filled = 0;
  assignment.isDue = false;
  assignment.narrowed = allocZeroed((<usize>(MAX_TERMS + 1)) << 2);
  assignment.path = pathCreate();
  assignment.known = 0;
  return assignment;
}

/** Removes the documents that distinct has dropped. */
export function removeDuplicates(search: Search, assignment: Assignment): void {
  if (search.duplicates === 0) return;
  settle(search, assignment);
  if (assignment.isGiven) assignment.unassigned = copyOf(search, assignment.unassigned);
  assignment.isGiven = false;
  bitmapAndNot(assignment.unassigned, search.duplicates, search.bytes);
  assignment.count = bitmapCount(assignment.unassigned, search.bytes);
}

/** Starts with another bucket. */
export function beginBucket(search: Search, assignment: Assignment): void {
  settle(search, assignment);
  assignment.filled = 0;
}

/** Removes the documents of the bucket from the unassigned ones. */
function settle(search: Search, assignment: Assignment): void {
  if (!assignment.isDue) return;
  const rest = assignment.isGiven ? unwritten(search) : assignment.unassigned;
  bitmapDifference(rest, assignment.unassigned, assignment.filled, search.bytes);
  assignment.unassigned = rest;
  assignment.isGiven = false;
  assignment.isDue = false;
}

/** The bitmap for a place of a path; allocated at its first use. */
function bitmapAt(search: Search, assignment: Assignment, place: u32): usize {
  const cell = assignment.narrowed + ((<usize>place) << 2);
  if (load<u32>(cell) === 0) store<u32>(cell, <u32>unwritten(search));
  return load<u32>(cell);
}

/**
 * Intersects a set of documents with another one (0: with the unassigned documents). Returns 0 when the result is empty; otherwise
 * a bitmap that is valid until `place` is used again.
 */
export function narrow(search: Search, assignment: Assignment, place: u32, within: usize, documents: usize): usize {
  if (documents === 0) return 0;
  settle(search, assignment);
  const narrowed = bitmapAt(search, assignment, place);
  return bitmapIntersect(narrowed, within !== 0 ? within : assignment.unassigned, documents, search.bytes) ? narrowed : 0;
}

/** Assigns the unassigned documents of `documents` (0: all of them) to the bucket. Returns their number. */
export function assign(search: Search, assignment: Assignment, documents: usize): u32 {
  settle(search, assignment);
  const count = assignment.filled === 0 ? assignFirst(search, assignment, documents) : assignMore(search, assignment, documents);
  assignment.count -= count;
  return count;
}

/** Assigns the documents that were narrowed down for the last place of a path, which have not been assigned. Returns their number. */
export function assignNarrowed(search: Search, assignment: Assignment, place: u32): u32 {
  const cell = assignment.narrowed + ((<usize>place) << 2);
  const documents: usize = load<u32>(cell);
  if (assignment.filled !== 0) return assign(search, assignment, documents);
  // The first documents of a bucket become its bitmap.
  store<u32>(cell, 0);
  const count = bitmapCount(documents, search.bytes);
  assignment.filled = documents;
  assignment.isDue = true;
  assignment.count -= count;
  return count;
}

function assignFirst(search: Search, assignment: Assignment, documents: usize): u32 {
  const from = assignment.unassigned;
  assignment.filled = unwritten(search);
  if (assignment.isGiven) assignment.unassigned = unwritten(search);
  assignment.isGiven = false;
  return bitmapSplit(from, documents !== 0 ? documents : from, assignment.filled, assignment.unassigned, search.bytes);
}

function assignMore(search: Search, assignment: Assignment, documents: usize): u32 {
  let wanted = documents;
  if (wanted === 0) {
    wanted = bitmapAt(search, assignment, MAX_TERMS);
    bitmapCopy(wanted, assignment.unassigned, search.bytes);
  }
  return bitmapMove(assignment.unassigned, wanted, assignment.filled, search.bytes);
}

/**
 * Assigns the documents that satisfy all states of a path to the bucket. Returns their number. For states that the
 * previous path began with too, the intersections are reused. They may contain documents that were assigned since, which are left out.
 */
export function assignPath(search: Search, assignment: Assignment, path: Path): u32 {
  const before = assignment.path;
  let place: u32 = 0;
  while (place < assignment.known && place + 1 < path.count && stateAt(before, place) === stateAt(path, place)) place++;
  memory.copy(changetype<usize>(before), changetype<usize>(path), PATH_BYTES);
  const isNew = place === 0;
  let documents: usize = isNew ? 0 : bitmapAt(search, assignment, place - 1);
  for (; place < path.count; place++) {
    documents = narrow(search, assignment, place, documents, documentsOf(search, stateAt(path, place)));
    if (documents === 0) {
      assignment.known = place;
      return 0;
    }
  }
  assignment.known = path.count === 0 ? 0 : path.count - 1;
  return isNew && path.count > 0 ? assignNarrowed(search, assignment, path.count - 1) : assign(search, assignment, documents);
}
