/**
 * The documents of a bucket in one segment, by ascending sort key: one value after the other.
 *
 *   many documents: the values of the column are gone through in their order, and their documents looked up in the bucket
 *   few, or the first values are not theirs: the keys of the documents are put in order, piece by piece
 */
import { KeyOrder, keyOrderBegin, keyOrderNext } from '../../columns/order';
import { KEY_NONE, SortValue, sortKeysInto, sortValueInto } from '../../columns/sort-keys';
import { documentAt, firstDocument, readingCost, readValue, ValueDocuments, valueDocuments } from '../../columns/value-documents';
import { NO_FIELD, PlanSegment } from '../../plan/plan';
import { Search, segmentOf } from '../../plan/search';
import { ASK_SORT_KEYS, ASK_SORT_VALUE, ask, payloadOf, RemoteSortValue, requestFor } from '../../remote/request';
import { alloc } from '../../runtime/arena';
import { bitmapBytes } from '../../segment/layout';
import { columnOf, SegmentView } from '../../segment/view';
import { bitmapFirst, bitmapHas } from '../../sets/bitmap';
import { FIRST_STEP, groupAdd, groupMove, STEP_GROWTH, ValueEvaluation } from './value-evaluation';

/** Cost of sorting the key of one document, in documents of a list that could be looked up in the bucket in the same time. */
const KEY_COST: u32 = 4;

@unmanaged
export class SortedPart {
  segment: u32;
  field: u32;
  ascending: bool;
  /** address of the column, 0: no document has the field, or it stands in another memory */
  column: usize;
  /** documents of the bucket in the segment */
  count: u32;
  /** the next value: what its documents share */
  value: SortValue;
  /** documents left? */
  hasHead: bool;
  /** by values: their documents, null for values of a kind that the column has not; null both: by keys */
  numbers: ValueDocuments;
  texts: ValueDocuments;
  /** values gone through, numbers and then texts, and how many there are */
  key: u32;
  keyCount: u32;
  /** what was looked up, and where putting keys in order begins to cost less, in documents of lists */
  spent: f64;
  most: f64;
  /** by keys: u32[count] slots, and their keys */
  slots: usize;
  keys: usize;
  order: KeyOrder;
  /** documents of the current step of the order, and how many of them were taken */
  members: u32;
  taken: u32;
  /** documents asked for by the next step */
  want: u32;
  /** documents of the step that share the next key; 0: there is none left */
  heads: u32;
}

function isWalked(part: SortedPart): bool {
  return changetype<usize>(part.numbers) !== 0 || changetype<usize>(part.texts) !== 0;
}

/** Reads the first value. `part.segment`, `field`, `ascending` and `count` are set, all else is 0. */
export function partBegin(search: Search, evaluation: ValueEvaluation, part: SortedPart): void {
  const segment = segmentOf(search, part.segment);
  part.value = changetype<SortValue>(alloc(offsetof<SortValue>()));
  part.column = segment.isHere && part.field !== NO_FIELD ? columnOf(segment.view, part.field) : 0;
  part.most = <f64>part.count * <f64>KEY_COST;
  // where the documents of the bucket are spread over the values, the first ones are met after so many
  const expected = <f64>FIRST_STEP * (<f64>segment.docCount / <f64>part.count);
  if (part.column !== 0 && expected < part.most) openValues(segment, part);
  if (!isWalked(part)) beginKeys(search, evaluation, part);
  readHead(search, evaluation, part);
}

function openValues(segment: PlanSegment, part: SortedPart): void {
  const view = changetype<SegmentView>(segment.view);
  part.numbers = valueDocuments(view, part.field, false);
  part.texts = valueDocuments(view, part.field, true);
  part.key = 0;
  part.keyCount = numberCount(part);
  if (changetype<usize>(part.texts) !== 0) part.keyCount += part.texts.valueCount;
}

function numberCount(part: SortedPart): u32 {
  return changetype<usize>(part.numbers) === 0 ? 0 : part.numbers.valueCount;
}

/** The documents that have no smaller sort key than the next value, as far as they have its own. */
function valuesAtKey(part: SortedPart): ValueDocuments {
  const numbers = numberCount(part);
  const values = part.key < numbers ? part.numbers : part.texts;
  const place = part.key < numbers ? part.key : part.key - numbers;
  readValue(values, part.ascending ? place : values.valueCount - 1 - place);
  return values;
}

/** What is left of the bucket in the segment: a bitmap over its documents. */
function restOf(search: Search, evaluation: ValueEvaluation, part: SortedPart): usize {
  return evaluation.rest + (segmentOf(search, part.segment).base >>> 3);
}

function readHead(search: Search, evaluation: ValueEvaluation, part: SortedPart): void {
  if (isWalked(part) && walkToHead(search, evaluation, part)) return;
  part.heads = 0;
  part.hasHead = false;
  if (part.taken === part.members) {
    part.members = keyOrderNext(changetype<usize>(part.order), min<u32>(part.want, part.count));
    part.want *= STEP_GROWTH;
    part.taken = 0;
    if (part.members === 0) return;
  }
  const key = keyOf(part, part.taken);
  // a step has all of a key
  while (part.taken + part.heads < part.members && keyOf(part, part.taken + part.heads) === key) part.heads++;
  part.hasHead = true;
  readSortValue(search, part, key);
}

/** Goes to the next value that a document of the bucket has. False: from now on it goes by keys. */
function walkToHead(search: Search, evaluation: ValueEvaluation, part: SortedPart): bool {
  const rest = restOf(search, evaluation, part);
  for (; part.key < part.keyCount; part.key++) {
    const values = valuesAtKey(part);
    part.spent += <f64>(readingCost(values) + 1);
    if (part.spent > part.most) {
      part.numbers = changetype<ValueDocuments>(0);
      part.texts = changetype<ValueDocuments>(0);
      beginKeys(search, evaluation, part);
      return false;
    }
    if (firstDocument(values, rest) === KEY_NONE) continue;
    part.hasHead = true;
    sortValueInto(part.column, part.key, part.ascending, part.value);
    return true;
  }
  // documents without a value
  part.hasHead = part.count > 0;
  sortValueInto(part.column, KEY_NONE, part.ascending, part.value);
  return true;
}

/** Moves the documents that share the next value into the group, and reads the value after it. */
export function takeHead(search: Search, evaluation: ValueEvaluation, part: SortedPart): void {
  if (isWalked(part)) {
    part.count -= takeValue(search, evaluation, part);
  } else {
    for (let i: u32 = 0; i < part.heads; i++) {
      groupAdd(evaluation, load<u32>(part.slots + ((<usize>indexAt(part, part.taken + i)) << 2)));
    }
    part.taken += part.heads;
  }
  readHead(search, evaluation, part);
}

/** Answers how many documents it moved. */
function takeValue(search: Search, evaluation: ValueEvaluation, part: SortedPart): u32 {
  const segment = segmentOf(search, part.segment);
  if (part.key === part.keyCount) return groupMove(evaluation, segment.base, bitmapBytes(segment.docCount), 0);
  const values = valuesAtKey(part);
  part.key++;
  if (values.bitmap) return groupMove(evaluation, segment.base, bitmapBytes(segment.docCount), values.bitmap);
  const rest = restOf(search, evaluation, part);
  const before = evaluation.group.count;
  for (let place = values.from; place < values.end; place++) {
    const local = documentAt(values, place);
    if (bitmapHas(rest, local)) groupAdd(evaluation, segment.base + local);
  }
  return evaluation.group.count - before;
}

/** Puts the keys of what is left of the bucket in order. */
function beginKeys(search: Search, evaluation: ValueEvaluation, part: SortedPart): void {
  const segment = segmentOf(search, part.segment);
  const bytes = (<usize>part.count) << 2;
  part.slots = alloc(bytes + 16);
  const request = requestFor(segment, ASK_SORT_KEYS, <u32>bytes);
  const locals = payloadOf(request);
  bitmapFirst(restOf(search, evaluation, part), bitmapBytes(segment.docCount), part.count, locals);
  for (let at: usize = 0; at < bytes; at += 4) store<u32>(part.slots + at, segment.base + load<u32>(locals + at));
  if (segment.isHere) {
    part.keys = alloc(bytes + 16);
    sortKeysInto(segment.view, part.field, part.ascending, locals, part.count, part.keys);
  } else {
    request.from = part.field;
    request.flag = part.ascending ? 1 : 0;
    part.keys = ask(part.segment, request);
  }
  part.order = changetype<KeyOrder>(keyOrderBegin(part.keys, part.count));
  part.members = 0;
  part.taken = 0;
  part.want = FIRST_STEP;
}

function indexAt(part: SortedPart, place: u32): u32 {
  return load<u32>(part.order.indices + ((<usize>place) << 2));
}

function keyOf(part: SortedPart, place: u32): u32 {
  return load<u32>(part.keys + ((<usize>indexAt(part, place)) << 2));
}

function readSortValue(search: Search, part: SortedPart, key: u32): void {
  const segment = segmentOf(search, part.segment);
  if (segment.isHere) {
    sortValueInto(part.column, key, part.ascending, part.value);
    return;
  }
  const request = requestFor(segment, ASK_SORT_VALUE, 0);
  request.from = part.field;
  request.to = key;
  request.flag = part.ascending ? 1 : 0;
  const answer = changetype<RemoteSortValue>(ask(part.segment, request));
  part.value.kind = answer.kind;
  part.value.number = answer.number;
  part.value.length = answer.length;
  part.value.text = changetype<usize>(answer) + offsetof<RemoteSortValue>();
}
