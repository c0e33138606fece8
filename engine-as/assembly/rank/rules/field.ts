/** Sorting by a field: one bucket for each value. Numbers come before texts, documents without a value last. */

import { KeyOrder, keyOrderBegin, keyOrderNext } from '../../columns/order';
import { SORT_NUMBER, SORT_TEXT, SortValue, sortKeysInto, sortValueInto } from '../../columns/sort-keys';
import { copyOf, newBitmap } from '../../derive/sources';
import { compareBytes } from '../../derive/word-lists';
import { NO_FIELD, Step, VALUE_NONE, VALUE_NUMBER, VALUE_TEXT } from '../../plan/plan';
import { Search, segmentOf } from '../../plan/search';
import { ASK_SORT_KEYS, ASK_SORT_VALUE, ask, payloadOf, RemoteSortValue, requestFor } from '../../remote/request';
import { alloc } from '../../runtime/arena';
import { columnOf } from '../../segment/view';
import { bitmapAdd, bitmapFirst, bitmapRemove } from '../../sets/bitmap';
import { Bucket, bucketOf, rankStep, ruleAt } from '../bucket';
import { EVALUATION_FIELD, Evaluation } from '../evaluation';

/** Members of the first step of an order; each further step is larger by {@link STEP_GROWTH}. */
export const FIRST_STEP: u32 = 64;
export const STEP_GROWTH: u32 = 4;

/** The documents of a bucket in one segment, by ascending key. */
@unmanaged
class Part {
  segment: u32;
  /** place of the first one among the documents of the bucket */
  first: u32;
  count: u32;
  /** u32[count] sort keys */
  keys: usize;
  order: KeyOrder;
  /** documents of the current step of the order, and how many of them were taken */
  members: u32;
  taken: u32;
  /** documents asked for by the next step */
  want: u32;
  /** documents of the step that share the next key; 0: there is none left */
  heads: u32;
  value: SortValue;
}

@unmanaged
export class ValueEvaluation extends Evaluation {
  /** u32[count]: documents of the bucket, ascending */
  slots: usize;
  /** bucket that is handed out, again and again: its documents are taken back before it is filled anew */
  group: Bucket;
  groupSlots: usize;
}

@unmanaged
class FieldEvaluation extends ValueEvaluation {
  field: u32;
  ascending: bool;
  /** of the group */
  value: SortValue;
  /** Part[partCount] */
  parts: usize;
  partCount: u32;
}

/** What sorting by a field and by distance have in common. */
export function valueBegin(search: Search, evaluation: ValueEvaluation, rule: u32, bucket: Bucket): void {
  const room = ((<usize>bucket.count) << 2) + 16;
  evaluation.rule = rule;
  evaluation.bucket = bucket;
  evaluation.rest = copyOf(search, bucket.bitmap);
  evaluation.slots = alloc(room);
  bitmapFirst(bucket.bitmap, search.bytes, bucket.count, evaluation.slots);
  evaluation.groupSlots = alloc(room);
  evaluation.group = bucketOf(newBitmap(search), 0, bucket.live, bucket.context, rankStep(rule, 0, 0));
  evaluation.group.slots = evaluation.groupSlots;
}

/** Takes back the documents of the group before. */
export function groupBegin(evaluation: ValueEvaluation): void {
  const group = evaluation.group;
  for (let i: u32 = 0; i < group.count; i++) bitmapRemove(group.bitmap, load<u32>(group.slots + ((<usize>i) << 2)));
  group.count = 0;
}

/** Adds the document of a place among those of the bucket. */
export function groupAdd(evaluation: ValueEvaluation, place: u32): void {
  const group = evaluation.group;
  const slot = load<u32>(evaluation.slots + ((<usize>place) << 2));
  store<u32>(group.slots + ((<usize>group.count) << 2), slot);
  group.count++;
  bitmapAdd(group.bitmap, slot);
  bitmapRemove(evaluation.rest, slot);
}

function partAt(evaluation: FieldEvaluation, index: u32): Part {
  return changetype<Part>(evaluation.parts + <usize>index * offsetof<Part>());
}

export function fieldBegin(search: Search, rule: u32, bucket: Bucket): Evaluation {
  const evaluation = changetype<FieldEvaluation>(alloc(offsetof<FieldEvaluation>()));
  valueBegin(search, evaluation, rule, bucket);
  evaluation.kind = EVALUATION_FIELD;
  evaluation.field = ruleAt(search, rule).field;
  evaluation.ascending = ruleAt(search, rule).ascending !== 0;
  evaluation.value = changetype<SortValue>(alloc(offsetof<SortValue>()));
  evaluation.parts = alloc(<usize>search.plan.segments.count * offsetof<Part>());
  evaluation.partCount = 0;
  let place: u32 = 0;
  for (let number: u32 = 0; number < search.plan.segments.count; number++) {
    const segment = segmentOf(search, number);
    const first = place;
    while (place < bucket.count && load<u32>(evaluation.slots + ((<usize>place) << 2)) - segment.base < segment.docCount) place++;
    if (place === first) continue;
    const part = partAt(evaluation, evaluation.partCount++);
    part.segment = number;
    part.first = first;
    part.count = place - first;
    readKeys(search, evaluation, part);
    part.order = changetype<KeyOrder>(keyOrderBegin(part.keys, part.count));
    part.members = 0;
    part.taken = 0;
    part.want = FIRST_STEP;
    part.value = changetype<SortValue>(alloc(offsetof<SortValue>()));
    readHead(search, evaluation, part);
  }
  return evaluation;
}

function readKeys(search: Search, evaluation: FieldEvaluation, part: Part): void {
  const segment = segmentOf(search, part.segment);
  const bytes = (<usize>part.count) << 2;
  const request = requestFor(segment, ASK_SORT_KEYS, <u32>bytes);
  const locals = payloadOf(request);
  for (let i: u32 = 0; i < part.count; i++) {
    store<u32>(locals + ((<usize>i) << 2), load<u32>(evaluation.slots + ((<usize>(part.first + i)) << 2)) - segment.base);
  }
  if (segment.isHere) {
    part.keys = alloc(bytes + 16);
    sortKeysInto(segment.view, evaluation.field, evaluation.ascending, locals, part.count, part.keys);
    return;
  }
  request.from = evaluation.field;
  request.flag = evaluation.ascending ? 1 : 0;
  part.keys = ask(part.segment, request);
}

function indexAt(part: Part, place: u32): u32 {
  return load<u32>(part.order.indices + ((<usize>place) << 2));
}

function keyOf(part: Part, place: u32): u32 {
  return load<u32>(part.keys + ((<usize>indexAt(part, place)) << 2));
}

/** Finds the next documents that share a key; a step has all of a key. */
function readHead(search: Search, evaluation: FieldEvaluation, part: Part): void {
  part.heads = 0;
  if (part.taken === part.members) {
    part.members = keyOrderNext(changetype<usize>(part.order), min<u32>(part.want, part.count));
    part.want *= STEP_GROWTH;
    part.taken = 0;
    if (part.members === 0) return;
  }
  const key = keyOf(part, part.taken);
  while (part.taken + part.heads < part.members && keyOf(part, part.taken + part.heads) === key) part.heads++;
  readValue(search, evaluation, part, key);
}

function readValue(search: Search, evaluation: FieldEvaluation, part: Part, key: u32): void {
  const segment = segmentOf(search, part.segment);
  if (segment.isHere) {
    const column = evaluation.field === NO_FIELD ? <usize>0 : columnOf(segment.view, evaluation.field);
    sortValueInto(column, key, evaluation.ascending, part.value);
    return;
  }
  const request = requestFor(segment, ASK_SORT_VALUE, 0);
  request.from = evaluation.field;
  request.to = key;
  request.flag = evaluation.ascending ? 1 : 0;
  const answer = changetype<RemoteSortValue>(ask(part.segment, request));
  part.value.kind = answer.kind;
  part.value.number = answer.number;
  part.value.length = answer.length;
  part.value.text = changetype<usize>(answer) + offsetof<RemoteSortValue>();
}

/** Order of two values; only within its kind it is turned round. */
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
  let best: Part = changetype<Part>(0);
  for (let i: u32 = 0; i < evaluation.partCount; i++) {
    const part = partAt(evaluation, i);
    if (part.heads === 0) continue;
    if (changetype<usize>(best) === 0 || compareValues(part.value, best.value, evaluation.ascending) < 0) best = part;
  }
  if (changetype<usize>(best) === 0) return changetype<Bucket>(0);
  // the parts that share the value move on, so they are compared with a copy of it
  const value = evaluation.value;
  memory.copy(changetype<usize>(value), changetype<usize>(best.value), offsetof<SortValue>());
  setValue(evaluation.group.step, value);
  groupBegin(evaluation);
  for (let i: u32 = 0; i < evaluation.partCount; i++) {
    const part = partAt(evaluation, i);
    if (part.heads === 0 || compareValues(part.value, value, evaluation.ascending) !== 0) continue;
    for (let k: u32 = 0; k < part.heads; k++) groupAdd(evaluation, part.first + indexAt(part, part.taken + k));
    part.taken += part.heads;
    readHead(search, evaluation, part);
  }
  return evaluation.group;
}

function setValue(step: Step, value: SortValue): void {
  step.valueKind = value.kind === SORT_NUMBER ? VALUE_NUMBER : value.kind === SORT_TEXT ? VALUE_TEXT : VALUE_NONE;
  step.number = value.number;
  step.text = value.text;
  step.textLength = value.length;
}
