/** Lower bounds of the proximity costs of the documents of a bucket, known without their positions: neighbours that are not adjacent cost something. */
import { CostOf, costOfAt } from '../../costs/components';
import { CostSums, NO_SUM, sumsAdd, sumsCreate, sumsLeast } from '../../costs/cost-sums';
import { readsDistances } from '../../derive/pairs';
import { copyOf, newBitmap } from '../../derive/sources';
import { Path, stateAt } from '../../graph/interpretations';
import { nodeOf } from '../../graph/state';
import { Search } from '../../plan/search';
import { alloc, allocZeroed } from '../../runtime/arena';
import { bitmapAndNot } from '../../sets/bitmap';
import { Bucket } from '../bucket';
import { adjacentOf } from './adjacent';
import { isPlainWord, statesFollow } from './proximity';

@unmanaged
export class Bounds {
  /** what each document costs at least */
  least: u32;
  /** documents of level l cost at least `least + l` */
  levels: u32;
  /** u32[levels]: a bitmap of the documents of each level; 0: none */
  documents: usize;
}

/** A bitmap of the documents of a level; 0: none. */
export function documentsOfLevel(bounds: Bounds, level: u32): usize {
  return load<u32>(bounds.documents + ((<usize>level) << 2));
}

/** The bounds of a bucket whose documents satisfy one interpretation. */
export function boundsOf(search: Search, bucket: Bucket, path: Path): Bounds {
  const bounds = changetype<Bounds>(alloc(offsetof<Bounds>()));
  bounds.least = 0;
  for (let k: u32 = 0; k < path.count; k++) bounds.least += nodeOf(search, stateAt(path, k)).size - 1;
  /** u32 each: a bitmap of the documents where two neighbours may be adjacent */
  const adjacent = alloc((<usize>path.count) << 2);
  let known: u32 = 0;
  for (let k: u32 = 1; k < path.count; k++) {
    const documents = mayBeAdjacent(search, stateAt(path, k - 1), stateAt(path, k));
    if (documents === 0) continue;
    store<u32>(adjacent + ((<usize>known) << 2), <u32>documents);
    known++;
  }
  bounds.levels = known + 1;
  bounds.documents = allocZeroed((<usize>bounds.levels) << 2);
  if (known === 0) store<u32>(bounds.documents, <u32>bucket.bitmap);
  else setLevels(search, bucket, bounds, adjacent);
  return bounds;
}

/** A bitmap that contains the documents where two neighbours are adjacent; 0: nothing is known about them. */
function mayBeAdjacent(search: Search, left: u32, right: u32): usize {
  if (!readsDistances(search) || !statesFollow(search, left, right)) return 0;
  if (!isPlainWord(search, left) || !isPlainWord(search, right)) return 0;
  const adjacent = adjacentOf(search, left, right);
  return adjacent.unknown === search.plan.segments.count ? 0 : adjacent.documents;
}

/** Writes the levels: the numbers of neighbours that are not adjacent. */
function setLevels(search: Search, bucket: Bucket, bounds: Bounds, adjacent: usize): void {
  const sums: CostSums = sumsCreate(copyOf(search, bucket.bitmap), search.bytes, bounds.levels - 1);
  const sets = alloc(2 * offsetof<CostOf>());
  const near: CostOf = costOfAt(sets, 0);
  const others: CostOf = costOfAt(sets, 1);
  near.cost = 0;
  others.cost = 1;
  others.documents = bucket.bitmap;
  for (let i: u32 = 0; i + 1 < bounds.levels; i++) {
    near.documents = load<u32>(adjacent + ((<usize>i) << 2));
    sumsAdd(sums, sets, 2);
  }
  const left = copyOf(search, bucket.bitmap);
  while (true) {
    const documents = newBitmap(search);
    const level = sumsLeast(sums, left, documents);
    if (level === NO_SUM) return;
    store<u32>(bounds.documents + ((<usize>level) << 2), <u32>documents);
    bitmapAndNot(left, documents, search.bytes);
  }
}
