/**
 * The documents of a bucket in one segment, value by value, in ascending order of sort keys. Two methods:
 *
 *   by values: goes through the values of the column in order and looks their documents up in the bucket; for many documents
 *   by keys: sorts the keys of the documents, step by step; for few documents, or when the first values have none of them
 */
import { KeyOrder, keyOrderBegin, keyOrderNext } from '../../columns/order';
import { KEY_NONE, SortValue, sortKeysInto, sortValueInto } from '../../columns/sort-keys';
import { documentAt, firstDocument, readingCost, readValue, ValueDocuments, valueDocuments } from '../../columns/value-documents';
import { slotOf } from '../../plan/numbering';
import { NO_FIELD } from '../../plan/plan';
import { Search, segmentOf } from '../../plan/search';
import { PlanSegment } from '../../plan/segments';
import { payloadOf, REQUEST_SORT_KEYS, REQUEST_SORT_VALUE, RemoteSortValue, requestFor, sendRequest } from '../../remote/request';
import { alloc } from '../../runtime/arena';
import { bitmapBytes } from '../../segment/layout';
import { SegmentView } from '../../segment/view';
import { columnOf } from '../../segment/view-parts';
import { bitmapHas } from '../../sets/bitmap';
import { bitmapFirst } from '../../sets/members';
import { FIRST_STEP, groupAdd, groupMove, STEP_GROWTH, ValueEvaluation } from './value-evaluation';

/** Cost model: sorting the key of one document costs as much as looking up this many documents of a list in the bucket. */
const KEY_COST: u32 = 4;

@unmanaged
export class SortedPart {
  segment: u32;
  field: u32;
  ascending: bool;
  /** address of the column; 0: no document has the field, or the segment is in another memory */
  column: usize;
  /** documents of the bucket in the segment that are left */
  count: u32;
  /** the next value */
  value: SortValue;
  /** whether documents are left */
  hasHead: bool;
  /** by values: the documents of each value, null for a kind of value that the column lacks; both null: by keys */
  numbers: ValueDocuments;
  texts: ValueDocuments;
  /** number of values read (numbers first, then texts), and of all values */
  key: u32;
  keyCount: u32;
  /** cost spent by values, and the cost from which sorting keys is cheaper; in entries of lists */
  spent: f64;
  most: f64;
  /** in a bucket over numbers: u32[count], its documents in ascending order; otherwise 0 */
  numbered: usize;
  /** by keys: u32[count] slots or numbers, and u32[count] keys */
  members: usize;
  keys: usize;
  order: KeyOrder;
  /** number of documents of the current step of the order, and how many of them were taken */
  found: u32;
  taken: u32;
  /** number of documents for the next step */
  want: u32;
  /** number of documents of the step with the next key; 0: none left */
  heads: u32;
}

function isWalked(part: SortedPart): bool {
  return changetype<usize>(part.numbers) !== 0 || changetype<usize>(part.texts) !== 0;
}

/** Reads the first value. `segment`, `field`, `ascending`, `count` and `numbered` of the part are set; all other members are 0. */
export function partBegin(search: Search, evaluation: ValueEvaluation, part: SortedPart): void {
  const segment = segmentOf(search, part.segment);
  part.value = changetype<SortValue>(alloc(offsetof<SortValue>()));
  part.column = segment.isHere && part.field !== NO_FIELD ? columnOf(segment.view, part.field) : 0;
  part.most = <f64>part.count * <f64>KEY_COST;
  // Expected number of documents to pass before the first FIRST_STEP are found, if the bucket is spread evenly.
  const expected = <f64>FIRST_STEP * (<f64>segment.docCount / <f64>part.count);
  if (part.column !== 0 && part.numbered === 0 && expected < part.most) openValues(segment, part);
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

/** Reads the next value in sort direction. Returns its documents. */
function valuesAtKey(part: SortedPart): ValueDocuments {
  const numbers = numberCount(part);
  const values = part.key < numbers ? part.numbers : part.texts;
  const place = part.key < numbers ? part.key : part.key - numbers;
  readValue(values, part.ascending ? place : values.valueCount - 1 - place);
  return values;
}

/** Bitmap over the documents of the segment: those of the bucket that are left. */
function restOf(search: Search, evaluation: ValueEvaluation, part: SortedPart): usize {
  return evaluation.rest + (segmentOf(search, part.segment).base >>> 3);
}

function readHead(search: Search, evaluation: ValueEvaluation, part: SortedPart): void {
  if (isWalked(part) && walkToHead(search, evaluation, part)) return;
  part.heads = 0;
  part.hasHead = false;
  if (part.taken === part.found) {
    part.found = keyOrderNext(changetype<usize>(part.order), min<u32>(part.want, part.count));
    part.want *= STEP_GROWTH;
    part.taken = 0;
    if (part.found === 0) return;
  }
  const key = keyOf(part, part.taken);
  // A step contains all documents of a key.
  while (part.taken + part.heads < part.found && keyOf(part, part.taken + part.heads) === key) part.heads++;
  part.hasHead = true;
  readSortValue(search, part, key);
}

/** Moves to the next value that a document of the bucket has. Returns false when continuing by keys costs less. */
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
  // The remaining documents have no value.
  part.hasHead = part.count > 0;
  sortValueInto(part.column, KEY_NONE, part.ascending, part.value);
  return true;
}

/** Moves the documents with the next value into the group, then reads the value after it. */
export function takeHead(search: Search, evaluation: ValueEvaluation, part: SortedPart): void {
  if (isWalked(part)) {
    part.count -= takeValue(search, evaluation, part);
  } else {
    for (let i: u32 = 0; i < part.heads; i++) {
      groupAdd(evaluation, load<u32>(part.members + ((<usize>indexAt(part, part.taken + i)) << 2)));
    }
    part.taken += part.heads;
  }
  readHead(search, evaluation, part);
}

/** Moves the documents of the next value into the group. Returns their number. */
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

/** Begins to sort the keys of the documents that are left. */
function beginKeys(search: Search, evaluation: ValueEvaluation, part: SortedPart): void {
  const segment = segmentOf(search, part.segment);
  const bytes = (<usize>part.count) << 2;
  const request = requestFor(segment, REQUEST_SORT_KEYS, <u32>bytes);
  const locals = payloadOf(request);
  if (part.numbered !== 0) {
    part.members = part.numbered;
    for (let at: usize = 0; at < bytes; at += 4) {
      store<u32>(locals + at, slotOf(search.numbering, load<u32>(part.members + at)) - segment.base);
    }
  } else {
    part.members = alloc(bytes + 16);
    bitmapFirst(restOf(search, evaluation, part), bitmapBytes(segment.docCount), part.count, locals);
    for (let at: usize = 0; at < bytes; at += 4) store<u32>(part.members + at, segment.base + load<u32>(locals + at));
  }
  if (segment.isHere) {
    part.keys = alloc(bytes + 16);
    sortKeysInto(segment.view, part.field, part.ascending, locals, part.count, part.keys);
  } else {
    request.from = part.field;
    request.flag = part.ascending ? 1 : 0;
    part.keys = sendRequest(part.segment, request);
  }
  part.order = changetype<KeyOrder>(keyOrderBegin(part.keys, part.count));
  part.found = 0;
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
  const request = requestFor(segment, REQUEST_SORT_VALUE, 0);
  request.from = part.field;
  request.to = key;
  request.flag = part.ascending ? 1 : 0;
  const answer = changetype<RemoteSortValue>(sendRequest(part.segment, request));
  part.value.kind = answer.kind;
  part.value.number = answer.number;
  part.value.length = answer.length;
  part.value.text = changetype<usize>(answer) + offsetof<RemoteSortValue>();
}
