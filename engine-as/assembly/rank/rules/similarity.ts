/**
 * Similarity of vectors, which takes the place of all rules of relevancy: one bucket for each similarity, nearest first, at the end the
 * documents without a vector.
 *
 * The order is that of the reference server, which has a separate index for the vectors of each ordinal: a turn has the nearest documents
 * by their first vectors (as many as the page needs), the nearest by their second ones and so on, nearest first; then follows the same
 * of the remaining documents. So a nearer document may come in a later turn, which is visible in answers.
 */
import { copyOf } from '../../derive/sources';
import { VALUE_NONE, VALUE_NUMBER } from '../../plan/plan';
import { Search, segmentBytes, segmentOf } from '../../plan/search';
import { alloc, allocZeroed } from '../../runtime/arena';
import { bitmapAnd, bitmapCount, bitmapHas } from '../../sets/bitmap';
import { Neighbour, Neighbours, nearestDocuments, neighbourAt } from '../../vector/neighbours';
import { VectorTarget } from '../../vector/target';
import { Bucket } from '../bucket';
import { EVALUATION_SIMILARITY, Evaluation } from '../evaluation';
import { groupAdd, groupBegin, groupMove, ValueEvaluation, valueBegin } from './value-evaluation';

/** Growth of the number of neighbours searched when there were too few. */
const MORE_NEIGHBOURS: u32 = 4;

/** The documents of the bucket by their vectors of one ordinal, nearest first; extended on demand. */
@unmanaged
class NearestList {
  bitmap: usize;
  count: u32;
  ordinal: u32;
  /** null: nothing was searched yet */
  found: Neighbours | null;
  /** those found that were taken or passed over */
  at: u32;
  /** number of neighbours searched */
  asked: u32;
  isEnded: bool;
  /** Neighbour[]: what the turn takes from the list, and how many of these stand in the turn */
  taken: usize;
  takenCount: u32;
  takenAt: u32;
}

@unmanaged
class SimilarityEvaluation extends ValueEvaluation {
  /** NearestList[] */
  lists: usize;
  listCount: u32;
  /** Neighbour[]: the documents of the turn, nearest first, and how many of these were handed out */
  turn: usize;
  turnCount: u32;
  turnAt: u32;
  /** whether the group at hand is the first of its turn: then no remaining document is nearer */
  beginsTurn: bool;
}

function listAt(evaluation: SimilarityEvaluation, index: u32): NearestList {
  return changetype<NearestList>(evaluation.lists + <usize>index * offsetof<NearestList>());
}

function entryAt(entries: usize, index: u32): Neighbour {
  return changetype<Neighbour>(entries + <usize>index * offsetof<Neighbour>());
}

export function similarityBegin(search: Search, rule: u32, bucket: Bucket): Evaluation {
  const evaluation = changetype<SimilarityEvaluation>(alloc(offsetof<SimilarityEvaluation>()));
  valueBegin(search, evaluation, rule, bucket);
  evaluation.kind = EVALUATION_SIMILARITY;
  evaluation.turnCount = 0;
  evaluation.turnAt = 0;
  evaluation.beginsTurn = true;
  evaluation.listCount = 0;
  const ordinals = search.ordinals;
  evaluation.lists = allocZeroed(<usize>ordinals.count * offsetof<NearestList>());
  for (let i: u32 = 0; i < ordinals.count; i++) {
    const holders = ordinals.at(i);
    let bitmap = bucket.bitmap;
    if (holders.documents !== 0) {
      bitmap = copyOf(search, bitmap);
      bitmapAnd(bitmap, holders.documents, search.bytes);
    }
    const count = bitmapCount(bitmap, search.bytes);
    if (count === 0) continue;
    const list = listAt(evaluation, evaluation.listCount++);
    list.bitmap = bitmap;
    list.count = count;
    list.ordinal = holders.ordinal;
  }
  const size = search.plan.turn;
  for (let i: u32 = 0; i < evaluation.listCount; i++) {
    const list = listAt(evaluation, i);
    list.taken = alloc(<usize>min(size, list.count) * offsetof<Neighbour>());
  }
  evaluation.turn = alloc(<usize>min(size, bucket.count) * evaluation.listCount * offsetof<Neighbour>());
  return evaluation;
}

export function similarityNext(search: Search, pointer: Evaluation): Bucket {
  const evaluation = changetype<SimilarityEvaluation>(pointer);
  passOver(search, evaluation);
  evaluation.beginsTurn = evaluation.turnAt === evaluation.turnCount;
  if (evaluation.beginsTurn) beginTurn(search, evaluation);
  groupBegin(search, evaluation);
  const step = evaluation.group.step;
  if (evaluation.turnAt === evaluation.turnCount) {
    step.valueKind = VALUE_NONE;
    step.number = 0;
    return bucketOfOthers(search, evaluation);
  }
  const first = entryAt(evaluation.turn, evaluation.turnAt);
  step.valueKind = VALUE_NUMBER;
  step.number = first.score;
  let last: u32 = 0;
  for (; evaluation.turnAt < evaluation.turnCount; evaluation.turnAt++) {
    const next = entryAt(evaluation.turn, evaluation.turnAt);
    if (next.similarity !== first.similarity) break;
    if (!isLeft(search, evaluation, next.slot)) continue;
    groupAdd(evaluation, next.slot);
    // Listed slots ascend; those of several ordinals may not.
    if (next.slot < last) evaluation.group.slots = 0;
    last = next.slot;
  }
  return evaluation.group;
}

/** Whether a document that was not handed out may be nearer than the group at hand. */
export function mayBeNearer(pointer: Evaluation): bool {
  const evaluation = changetype<SimilarityEvaluation>(pointer);
  return evaluation.kind === EVALUATION_SIMILARITY && !evaluation.beginsTurn;
}

/** What is left of the bucket: documents without a vector. 0: none. */
function bucketOfOthers(search: Search, evaluation: SimilarityEvaluation): Bucket {
  evaluation.beginsTurn = true;
  for (let number: u32 = 0; number < search.plan.segments.count; number++) {
    groupMove(evaluation, segmentOf(search, number).base, segmentBytes(search, number), 0);
  }
  return evaluation.group.count === 0 ? changetype<Bucket>(0) : evaluation.group;
}

/** Neither handed out nor excluded by a document that was. */
function isLeft(search: Search, evaluation: SimilarityEvaluation, slot: u32): bool {
  return bitmapHas(evaluation.rest, slot) && (search.dead === 0 || !bitmapHas(search.dead, slot));
}

function passOver(search: Search, evaluation: SimilarityEvaluation): void {
  while (
    evaluation.turnAt < evaluation.turnCount &&
    !isLeft(search, evaluation, entryAt(evaluation.turn, evaluation.turnAt).slot)
  ) {
    evaluation.turnAt++;
  }
}

/** Takes the next documents from each list, and puts them in order; of equals those of the first list come first. */
function beginTurn(search: Search, evaluation: SimilarityEvaluation): void {
  evaluation.turnAt = 0;
  evaluation.turnCount = 0;
  for (let i: u32 = 0; i < evaluation.listCount; i++) take(search, evaluation, listAt(evaluation, i));
  for (;;) {
    let best: NearestList = changetype<NearestList>(0);
    for (let i: u32 = 0; i < evaluation.listCount; i++) {
      const list = listAt(evaluation, i);
      if (list.takenAt === list.takenCount) continue;
      if (changetype<usize>(best) === 0 || headOf(list).similarity > headOf(best).similarity) best = list;
    }
    if (changetype<usize>(best) === 0) return;
    const entry = entryAt(evaluation.turn, evaluation.turnCount++);
    memory.copy(changetype<usize>(entry), changetype<usize>(headOf(best)), offsetof<Neighbour>());
    best.takenAt++;
  }
}

function headOf(list: NearestList): Neighbour {
  return entryAt(list.taken, list.takenAt);
}

function take(search: Search, evaluation: SimilarityEvaluation, list: NearestList): void {
  const wanted = min(search.plan.turn, list.count);
  list.takenAt = 0;
  list.takenCount = 0;
  while (list.takenCount < wanted) {
    const found = list.found;
    if (found === null || list.at === found.count) {
      if (list.isEnded) return;
      searchMore(search, list, wanted);
      continue;
    }
    const next = neighbourAt(found, list.at++);
    if (!isLeft(search, evaluation, next.slot)) continue;
    memory.copy(changetype<usize>(entryAt(list.taken, list.takenCount++)), changetype<usize>(next), offsetof<Neighbour>());
  }
}

function searchMore(search: Search, list: NearestList, wanted: u32): void {
  list.asked = min(list.count, max(list.asked * MORE_NEIGHBOURS, wanted));
  const target = changetype<VectorTarget>(search.plan.target);
  const found = nearestDocuments(search.plan.segments, target, list.bitmap, list.asked, list.ordinal);
  list.isEnded = found.isCut || found.count < list.asked || list.asked === list.count;
  list.found = found;
}
