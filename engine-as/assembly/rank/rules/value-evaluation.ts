/** What sorting by a field, by distance and by similarity have in common: tied documents are returned as a group, whose memory is reused. */
import { copyOf, newBitmap } from '../../derive/sources';
import { Search } from '../../plan/search';
import { alloc } from '../../runtime/arena';
import { bitmapAdd, bitmapAndNot, bitmapCopy, bitmapCount, bitmapIntersect, bitmapRemove } from '../../sets/bitmap';
import { Bucket, bucketOf, rankStep } from '../bucket';
import { Evaluation } from '../evaluation';

/** Number of documents in the first step of an order; each further step is larger by {@link STEP_GROWTH}. */
export const FIRST_STEP: u32 = 64;
export const STEP_GROWTH: u32 = 4;

@unmanaged
export class ValueEvaluation extends Evaluation {
  /** the bucket returned; emptied before it is filled again */
  group: Bucket;
  /** u32[count]: the documents of the group, if they were added one by one in ascending order; 0 in a bucket over numbers */
  groupSlots: usize;
}

export function valueBegin(search: Search, evaluation: ValueEvaluation, rule: u32, bucket: Bucket): void {
  evaluation.rule = rule;
  evaluation.bucket = bucket;
  evaluation.rest = copyOf(search, bucket.bitmap);
  evaluation.groupSlots = changetype<usize>(search.numbering) === 0 ? alloc(((<usize>bucket.count) << 2) + 16) : 0;
  evaluation.group = bucketOf(newBitmap(search), 0, bucket.live, bucket.context, rankStep(rule, 0, 0));
  evaluation.group.slots = evaluation.groupSlots;
}

/** Empties the group. */
export function groupBegin(search: Search, evaluation: ValueEvaluation): void {
  const group = evaluation.group;
  if (group.slots === 0) memory.fill(group.bitmap, 0, search.bytes);
  else for (let i: u32 = 0; i < group.count; i++) bitmapRemove(group.bitmap, load<u32>(group.slots + ((<usize>i) << 2)));
  group.slots = evaluation.groupSlots;
  group.count = 0;
}

/** Adds a document to the group, by its slot or, in a bucket over numbers, by its number. */
export function groupAdd(evaluation: ValueEvaluation, member: u32): void {
  const group = evaluation.group;
  if (group.slots !== 0) store<u32>(group.slots + ((<usize>group.count) << 2), member);
  group.count++;
  bitmapAdd(group.bitmap, member);
  bitmapRemove(evaluation.rest, member);
}

/**
 * Adds the remaining documents of the bucket in a segment to the group, which has none of this segment yet. `among`: bitmap over
 * the documents of the segment, only these are added; 0: all. Returns the number of documents added.
 */
export function groupMove(evaluation: ValueEvaluation, base: u32, bytes: u32, among: usize): u32 {
  const group = evaluation.group;
  const own = group.bitmap + (base >>> 3);
  const rest = evaluation.rest + (base >>> 3);
  if (among === 0) bitmapCopy(own, rest, bytes);
  else bitmapIntersect(own, rest, among, bytes);
  bitmapAndNot(rest, own, bytes);
  const count = bitmapCount(own, bytes);
  group.count += count;
  group.slots = 0;
  return count;
}
