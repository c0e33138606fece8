/**
 * Similarity of vectors, which replaces all rules of relevancy: one bucket for each similarity, nearest first, and a last one with the
 * documents without a vector.
 *
 * The order is that of the reference server, which has a separate index for the vectors of each ordinal. Documents come in rounds. A round
 * has the nearest documents by their first vectors (as many as the page needs), the nearest by their second vectors and so on, merged by
 * similarity; the next round has the same of the remaining documents. So a nearer document may be in a later round, which is visible in
 * answers.
 */
import { copyOf } from '../../derive/sources';
import { VALUE_NONE, VALUE_NUMBER } from '../../plan/plan';
import { Search, segmentBytes, segmentOf } from '../../plan/search';
import { VectorTarget } from '../../plan/vector-target';
import { alloc, allocZeroed } from '../../runtime/arena';
import { bitmapAnd, bitmapCount, bitmapHas } from '../../sets/bitmap';
import { Neighbour, Neighbours, nearestDocuments, neighbourAt } from '../../vector/neighbours';
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
  /** number of those found that were taken or skipped */
  at: u32;
  /** number of neighbours searched */
  asked: u32;
  isEnded: bool;
  /** Neighbour[]: what the current round takes from the list, and how many of these have been merged into it */
  taken: usize;
  takenCount: u32;
  takenAt: u32;
}

@unmanaged
class SimilarityEvaluation extends ValueEvaluation {
  /** NearestList[] */
  lists: usize;
  listCount: u32;
  /** Neighbour[]: the documents of the current round, nearest first, and how many of these have been returned or skipped */
  round: usize;
  roundCount: u32;
  roundAt: u32;
  /** whether the current group is the first of its round: then no remaining document is nearer */
  beginsRound: bool;
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
  evaluation.roundCount = 0;
  evaluation.roundAt = 0;
  evaluation.beginsRound = true;
  evaluation.listCount = 0;
  const ordinals = search.ordinals;
  evaluation.lists = allocZeroed(<usize>ordinals.count * offsetof<NearestList>());
  for (let i: u32 = 0; i < ordinals.count; i++) {
    const own = ordinals.at(i);
    let bitmap = bucket.bitmap;
    if (own.documents !== 0) {
      bitmap = copyOf(search, bitmap);
      bitmapAnd(bitmap, own.documents, search.bytes);
    }
    const count = bitmapCount(bitmap, search.bytes);
    if (count === 0) continue;
    const list = listAt(evaluation, evaluation.listCount++);
    list.bitmap = bitmap;
    list.count = count;
    list.ordinal = own.ordinal;
  }
  const size = search.plan.roundSize;
  for (let i: u32 = 0; i < evaluation.listCount; i++) {
    const list = listAt(evaluation, i);
    list.taken = alloc(<usize>min(size, list.count) * offsetof<Neighbour>());
  }
  evaluation.round = alloc(<usize>min(size, bucket.count) * evaluation.listCount * offsetof<Neighbour>());
  return evaluation;
}

export function similarityNext(search: Search, pointer: Evaluation): Bucket {
  const evaluation = changetype<SimilarityEvaluation>(pointer);
  skipTaken(search, evaluation);
  evaluation.beginsRound = evaluation.roundAt === evaluation.roundCount;
  if (evaluation.beginsRound) beginRound(search, evaluation);
  groupBegin(search, evaluation);
  const step = evaluation.group.step;
  if (evaluation.roundAt === evaluation.roundCount) {
    step.valueKind = VALUE_NONE;
    step.number = 0;
    return bucketOfOthers(search, evaluation);
  }
  const first = entryAt(evaluation.round, evaluation.roundAt);
  step.valueKind = VALUE_NUMBER;
  step.number = first.score;
  let last: u32 = 0;
  for (; evaluation.roundAt < evaluation.roundCount; evaluation.roundAt++) {
    const next = entryAt(evaluation.round, evaluation.roundAt);
    if (next.similarity !== first.similarity) break;
    if (!isLeft(search, evaluation, next.slot)) continue;
    groupAdd(evaluation, next.slot);
    // Listed slots ascend; those of several ordinals may not.
    if (next.slot < last) evaluation.group.slots = 0;
    last = next.slot;
  }
  return evaluation.group;
}

/** Whether a document that has not been returned may be nearer than the current group. */
export function mayBeNearer(pointer: Evaluation): bool {
  const evaluation = changetype<SimilarityEvaluation>(pointer);
  return evaluation.kind === EVALUATION_SIMILARITY && !evaluation.beginsRound;
}

/** The remaining documents of the bucket, which have no vector. 0: none. */
function bucketOfOthers(search: Search, evaluation: SimilarityEvaluation): Bucket {
  evaluation.beginsRound = true;
  for (let number: u32 = 0; number < search.plan.segments.count; number++) {
    groupMove(evaluation, segmentOf(search, number).base, segmentBytes(search, number), 0);
  }
  return evaluation.group.count === 0 ? changetype<Bucket>(0) : evaluation.group;
}

/** Whether a document has neither been returned nor been excluded by a returned one with the same distinct value. */
function isLeft(search: Search, evaluation: SimilarityEvaluation, slot: u32): bool {
  return bitmapHas(evaluation.rest, slot) && (search.duplicates === 0 || !bitmapHas(search.duplicates, slot));
}

function skipTaken(search: Search, evaluation: SimilarityEvaluation): void {
  while (
    evaluation.roundAt < evaluation.roundCount &&
    !isLeft(search, evaluation, entryAt(evaluation.round, evaluation.roundAt).slot)
  ) {
    evaluation.roundAt++;
  }
}

/** Takes the next documents from each list and merges them; at equal similarity those of the first list come first. */
function beginRound(search: Search, evaluation: SimilarityEvaluation): void {
  evaluation.roundAt = 0;
  evaluation.roundCount = 0;
  for (let i: u32 = 0; i < evaluation.listCount; i++) take(search, evaluation, listAt(evaluation, i));
  for (;;) {
    let best: NearestList = changetype<NearestList>(0);
    for (let i: u32 = 0; i < evaluation.listCount; i++) {
      const list = listAt(evaluation, i);
      if (list.takenAt === list.takenCount) continue;
      if (changetype<usize>(best) === 0 || headOf(list).similarity > headOf(best).similarity) best = list;
    }
    if (changetype<usize>(best) === 0) return;
    const entry = entryAt(evaluation.round, evaluation.roundCount++);
    memory.copy(changetype<usize>(entry), changetype<usize>(headOf(best)), offsetof<Neighbour>());
    best.takenAt++;
  }
}

function headOf(list: NearestList): Neighbour {
  return entryAt(list.taken, list.takenAt);
}

function take(search: Search, evaluation: SimilarityEvaluation, list: NearestList): void {
  const wanted = min(search.plan.roundSize, list.count);
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
  list.isEnded = found.isTimedOut || found.count < list.asked || list.asked === list.count;
  list.found = found;
}
