/** Sorting by a field: one bucket for each value. Numbers come before texts, documents without a value last. */
import { SORT_NUMBER, SORT_TEXT, SortValue } from '../../columns/sort-keys';
import { compareBytes } from '../../derive/word-lists';
import { slotOf } from '../../plan/numbering';
import { Step, VALUE_NONE, VALUE_NUMBER, VALUE_TEXT } from '../../plan/plan';
import { Search, segmentBytes, segmentOf } from '../../plan/search';
import { alloc, allocZeroed } from '../../runtime/arena';
import { bitmapCount } from '../../sets/bitmap';
import { bitmapFirst } from '../../sets/members';
import { Bucket, ruleAt } from '../bucket';
import { EVALUATION_FIELD, Evaluation } from '../evaluation';
import { partBegin, SortedPart, takeHead } from './sorted-part';
import { groupBegin, ValueEvaluation, valueBegin } from './value-evaluation';

@unmanaged
class FieldEvaluation extends ValueEvaluation {
  ascending: bool;
  /** value of the current group */
  value: SortValue;
  /** SortedPart[partCount] */
  parts: usize;
  partCount: u32;
}

function partAt(evaluation: FieldEvaluation, index: u32): SortedPart {
  return changetype<SortedPart>(evaluation.parts + <usize>index * offsetof<SortedPart>());
}

export function fieldBegin(search: Search, rule: u32, bucket: Bucket): Evaluation {
  const evaluation = changetype<FieldEvaluation>(alloc(offsetof<FieldEvaluation>()));
  valueBegin(search, evaluation, rule, bucket);
  evaluation.kind = EVALUATION_FIELD;
  evaluation.ascending = ruleAt(search, rule).ascending !== 0;
  evaluation.value = changetype<SortValue>(alloc(offsetof<SortValue>()));
  evaluation.parts = allocZeroed(<usize>search.plan.segments.count * offsetof<SortedPart>());
  evaluation.partCount = 0;
  const isNumbered = changetype<usize>(search.numbering) !== 0;
  let members: usize = isNumbered ? membersOf(search, bucket) : 0;
  const end = members + ((<usize>bucket.count) << 2);
  for (let number: u32 = 0; number < search.plan.segments.count; number++) {
    const count = isNumbered ? countIn(search, number, members, end) : countSlots(search, number, bucket);
    if (count === 0) continue;
    const part = partAt(evaluation, evaluation.partCount++);
    part.segment = number;
    part.field = ruleAt(search, rule).field;
    part.ascending = evaluation.ascending;
    part.count = count;
    part.numbered = members;
    partBegin(search, evaluation, part);
    if (isNumbered) members += (<usize>count) << 2;
  }
  return evaluation;
}

/** u32[]: the numbers of the documents of a bucket, ascending. */
function membersOf(search: Search, bucket: Bucket): usize {
  const members = alloc(((<usize>bucket.count) << 2) + 16);
  bitmapFirst(bucket.bitmap, search.bytes, bucket.count, members);
  return members;
}

/** How many numbers at the beginning of a list are documents of a segment. */
function countIn(search: Search, segment: u32, members: usize, end: usize): u32 {
  const base = segmentOf(search, segment).base;
  const docCount = segmentOf(search, segment).docCount;
  let at = members;
  while (at < end && slotOf(search.numbering, load<u32>(at)) - base < docCount) at += 4;
  return <u32>((at - members) >> 2);
}

function countSlots(search: Search, segment: u32, bucket: Bucket): u32 {
  return bitmapCount(bucket.bitmap + (segmentOf(search, segment).base >>> 3), segmentBytes(search, segment));
}

/** Compares two values. The sort direction applies within numbers and within texts. */
function compareValues(left: SortValue, right: SortValue, ascending: bool): i32 {
  if (left.kind !== right.kind) return placeOf(left) - placeOf(right);
  let order: i32 = 0;
  if (left.kind === SORT_TEXT) order = compareBytes(left.text, left.length, right.text, right.length);
  else if (left.kind === SORT_NUMBER) order = left.number < right.number ? -1 : left.number > right.number ? 1 : 0;
  return ascending ? order : -order;
}

function placeOf(value: SortValue): i32 {
  return value.kind === SORT_NUMBER ? 0 : value.kind === SORT_TEXT ? 1 : 2;
}

export function fieldNext(search: Search, pointer: Evaluation): Bucket {
  const evaluation = changetype<FieldEvaluation>(pointer);
  let best: SortedPart = changetype<SortedPart>(0);
  for (let i: u32 = 0; i < evaluation.partCount; i++) {
    const part = partAt(evaluation, i);
    if (!part.hasHead) continue;
    if (changetype<usize>(best) === 0 || compareValues(part.value, best.value, evaluation.ascending) < 0) best = part;
  }
  if (changetype<usize>(best) === 0) return changetype<Bucket>(0);
  // Copied, because the loop below advances the part that the value belongs to.
  const value = evaluation.value;
  memory.copy(changetype<usize>(value), changetype<usize>(best.value), offsetof<SortValue>());
  setValue(evaluation.group.step, value);
  groupBegin(search, evaluation);
  for (let i: u32 = 0; i < evaluation.partCount; i++) {
    const part = partAt(evaluation, i);
    if (part.hasHead && compareValues(part.value, value, evaluation.ascending) === 0) takeHead(search, evaluation, part);
  }
  return evaluation.group;
}

function setValue(step: Step, value: SortValue): void {
  step.valueKind = value.kind === SORT_NUMBER ? VALUE_NUMBER : value.kind === SORT_TEXT ? VALUE_TEXT : VALUE_NONE;
  step.number = value.number;
  step.text = value.text;
  step.textLength = value.length;
}
