/** The costs of all documents of a bucket by rules whose cost is a sum of choices, added up for each interpretation. */
import { CostOf, costOfAt } from '../../costs/components';
import { CostSums, NO_SUM, sumsAdd, sumsCreate, sumsLeast } from '../../costs/cost-sums';
import { copyOf, newBitmap } from '../../derive/sources';
import { Live, Path, pathAt, pathCount, pushNewPath, stateAt } from '../../graph/interpretations';
import { Search } from '../../plan/search';
import { alloc } from '../../runtime/arena';
import { Assignment, assign } from '../assignment';
import { choiceDocuments, choicesOf, costOf } from './choice-kinds';
import { NO_STATE } from './proximity';

/** Each interpretation takes a few bitmaps, so with more of them combinations are tried instead. */
export const MAX_SUMMED_PATHS: u32 = 8;

/** The sums of one interpretation. */
@unmanaged
class PathSums {
  path: Path;
  sums: CostSums;
  /** the smallest sum of an unassigned document, and a bitmap of the documents that have it */
  least: u32;
  nearest: usize;
}

function sumsAt(all: usize, index: u32): PathSums {
  return changetype<PathSums>(all + <usize>index * offsetof<PathSums>());
}

/** Adds up the costs of the unassigned documents. `kind`: CHOOSE_…; `greatest`: the greatest cost. Returns PathSums[]. */
export function sumsOfPaths(search: Search, kind: u32, live: Live, greatest: u32, assignment: Assignment): usize {
  const count = pathCount(live.paths);
  const all = alloc(<usize>count * offsetof<PathSums>());
  for (let i: u32 = 0; i < count; i++) {
    const own = sumsAt(all, i);
    own.path = pathAt(live.paths, i);
    own.sums = sumsCreate(copyOf(search, assignment.unassigned), search.bytes, greatest);
    own.nearest = newBitmap(search);
    for (let k: u32 = 0; k < own.path.count; k++) addState(search, kind, own, k);
  }
  return all;
}

/** Adds the cost of a node. */
function addState(search: Search, kind: u32, own: PathSums, place: u32): void {
  const state = stateAt(own.path, place);
  const before = place > 0 ? stateAt(own.path, place - 1) : NO_STATE;
  const count = choicesOf(search, kind, state, before);
  const sets = alloc(<usize>count * offsetof<CostOf>());
  let filled: u32 = 0;
  for (let choice: u32 = 0; choice < count; choice++) {
    const documents = choiceDocuments(search, kind, state, before, choice);
    if (documents === 0) continue;
    const set: CostOf = costOfAt(sets, filled++);
    set.cost = costOf(search, kind, state, choice);
    set.documents = documents;
  }
  sumsAdd(own.sums, sets, filled);
}

/** The smallest cost of an unassigned document; {@link NO_SUM} when there is none. `count`: number of interpretations. */
export function leastSum(all: usize, count: u32, assignment: Assignment): u32 {
  let least = NO_SUM;
  for (let i: u32 = 0; i < count; i++) {
    const own = sumsAt(all, i);
    own.least = sumsLeast(own.sums, assignment.unassigned, own.nearest);
    least = min<u32>(least, own.least);
  }
  return least;
}

/**
 * Assigns the documents with the smallest cost to the bucket, and adds their interpretations to a list. Returns their number.
 */
export function assignLeast(search: Search, all: usize, count: u32, least: u32, assignment: Assignment, paths: usize): u32 {
  let assigned: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const own = sumsAt(all, i);
    if (own.least !== least) continue;
    const taken = assign(search, assignment, own.nearest);
    if (taken > 0) pushNewPath(paths, own.path);
    assigned += taken;
  }
  return assigned;
}
