/** What is known about the proximity costs of the documents of a bucket without their positions: neighbours that are not adjacent cost something. */
import { CostOf, costOfAt } from '../../costs/components';
import { CostSums, NO_SUM, sumsAdd, sumsCreate, sumsLeast } from '../../costs/cost-sums';
import { readsDistances } from '../../derive/pairs';
import { copyOf, newBitmap } from '../../derive/sources';
import { Path, stateAt } from '../../graph/interpretations';
import { nodeOf } from '../../graph/state';
import { Search } from '../../plan/search';
import { alloc, allocZeroed } from '../../runtime/arena';
import { bitmapAnd, bitmapAndNot } from '../../sets/bitmap';
import { Bucket } from '../bucket';
import { Adjacent, adjacentOf } from './adjacent';
import { statesFollow } from './proximity';

@unmanaged
export class Bounds {
  /** what each document costs at least */
  least: u32;
  /** bitmap of the documents that cost `least`, as is known; 0: none */
  nearest: usize;
  /** the other documents of level l cost at least `least + l` */
  levels: u32;
  /** u32[levels]: a bitmap of the documents of each level; 0: none */
  documents: usize;
}

/** A bitmap of the documents of a level; 0: none. */
export function documentsOfLevel(bounds: Bounds, level: u32): usize {
  return load<u32>(bounds.documents + ((<usize>level) << 2));
}

/** Cost model: adding this many postings to a bitmap takes as long as computing the proximity of a document. */
const POSTINGS_PER_DOCUMENT: u32 = 64;

/** As many postings are read to learn in which documents of a bucket two neighbours may be adjacent. */
export function mostPostings(bucket: Bucket): u32 {
  return bucket.count * POSTINGS_PER_DOCUMENT;
}

/** The bounds of a bucket whose documents satisfy one interpretation. */
export function boundsOf(search: Search, bucket: Bucket, path: Path): Bounds {
  const bounds = changetype<Bounds>(alloc(offsetof<Bounds>()));
  bounds.least = 0;
  for (let k: u32 = 0; k < path.count; k++) bounds.least += nodeOf(search, stateAt(path, k)).size - 1;
  /** u32 each: Adjacent of two neighbours of which something is known */
  const known = alloc((<usize>path.count) << 2);
  let count: u32 = 0;
  let areAllKnown = true;
  for (let k: u32 = 1; k < path.count; k++) {
    if (!statesFollow(search, stateAt(path, k - 1), stateAt(path, k))) continue;
    const adjacent = knownAdjacent(search, bucket, stateAt(path, k - 1), stateAt(path, k));
    if (changetype<usize>(adjacent) === 0) {
      areAllKnown = false;
      continue;
    }
    store<u32>(known + ((<usize>count) << 2), <u32>changetype<usize>(adjacent));
    count++;
  }
  bounds.levels = count + 1;
  bounds.documents = allocZeroed((<usize>bounds.levels) << 2);
  bounds.nearest = 0;
  const others = copyOf(search, bucket.bitmap);
  if (areAllKnown && count > 0) {
    bounds.nearest = nearestOf(search, bucket, known, count);
    bitmapAndNot(others, bounds.nearest, search.bytes);
  }
  if (count === 0) store<u32>(bounds.documents, <u32>others);
  else setLevels(search, bounds, others, known);
  return bounds;
}

function knownAt(known: usize, index: u32): Adjacent {
  return changetype<Adjacent>(<usize>load<u32>(known + ((<usize>index) << 2)));
}

/** The documents where two neighbours may be adjacent; 0: nothing is known about them. */
function knownAdjacent(search: Search, bucket: Bucket, left: u32, right: u32): Adjacent {
  const nothing = changetype<Adjacent>(0);
  if (!readsDistances(search) || !isWord(search, left) || !isWord(search, right)) return nothing;
  const adjacent = adjacentOf(search, left, right, mostPostings(bucket));
  return adjacent.unknown === search.plan.segments.count ? nothing : adjacent;
}

/** Whether a state represents single words, and maybe phrases in their place. */
function isWord(search: Search, state: u32): bool {
  const node = nodeOf(search, state);
  return node.size === 1 && !node.isPhrase;
}

/** The documents of a bucket where all neighbours are certainly adjacent. */
function nearestOf(search: Search, bucket: Bucket, known: usize, count: u32): usize {
  const nearest = copyOf(search, bucket.bitmap);
  for (let i: u32 = 0; i < count; i++) bitmapAnd(nearest, knownAt(known, i).certain, search.bytes);
  return nearest;
}

/** Writes the levels of some documents: the numbers of neighbours that cannot be adjacent. */
function setLevels(search: Search, bounds: Bounds, documents: usize, known: usize): void {
  const sums: CostSums = sumsCreate(copyOf(search, documents), search.bytes, bounds.levels - 1);
  const sets = alloc(2 * offsetof<CostOf>());
  const near: CostOf = costOfAt(sets, 0);
  const others: CostOf = costOfAt(sets, 1);
  near.cost = 0;
  others.cost = 1;
  others.documents = copyOf(search, documents);
  for (let i: u32 = 0; i + 1 < bounds.levels; i++) {
    near.documents = knownAt(known, i).possible;
    sumsAdd(sums, sets, 2);
  }
  while (true) {
    const own = newBitmap(search);
    const level = sumsLeast(sums, documents, own);
    if (level === NO_SUM) return;
    store<u32>(bounds.documents + ((<usize>level) << 2), <u32>own);
    bitmapAndNot(documents, own, search.bytes);
  }
}
