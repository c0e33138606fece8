/** The distinct attribute: keeps one document of each value of a field. */
import { pushValueKey, pushValueOrdinals, valueCount } from '../columns/document-values';
import { NO_FIELD } from '../plan/plan';
import { Search, segmentOf } from '../plan/search';
import { payloadOf, REQUEST_VALUES, requestFor, sendRequest } from '../remote/request';
import { alloc, allocZeroed } from '../runtime/arena';
import { Buffer, bufferCreate, bufferPush32, bufferPushBytes } from '../runtime/buffer';
import { keyNumber, numberTable } from '../runtime/key-table';
import { columnOf } from '../segment/view-parts';
import { bitmapAdd, bitmapRemove } from '../sets/bitmap';
import { bitmapFirst } from '../sets/members';
import { byValueCreate, countByValue, DistinctByValue, keepByValue } from './distinct-by-value';
import { inOrder } from './order';

/** The values of the documents of one segment. */
@unmanaged
class SegmentValues {
  base: u32;
  docCount: u32;
  /** column of the field; 0: no document has the field, or the segment is in another memory */
  column: usize;
  /** u32 by ordinal of the column: number of the value, plus 1; 0: not assigned yet */
  numbers: usize;
  /**
   * for a segment in another memory: u32 by local number, offset in {@link values} of the values of the document; 0: not copied
   */
  starts: usize;
  /** Buffer: for each document u32 count, then the u32 numbers of its values */
  values: usize;
}

@unmanaged
export class Distinct {
  /** null: the candidates are listed by their values, in the members below */
  byValue: DistinctByValue;
  /** SegmentValues[segmentCount] */
  segments: usize;
  segmentCount: u32;
  /** hash table from values to their numbers; 0: there is one segment, and ordinals serve as numbers */
  table: usize;
  valueCount: u32;
  /** u32[valueCount + 1] and u32[]: the documents (slots) of each value */
  starts: usize;
  documents: usize;
  /** u8[valueCount]: whether a document with the value was kept */
  taken: usize;
  /** Buffers: ordinals and numbers of the values of the current document, and a key */
  ordinals: usize;
  numbers: usize;
  key: usize;
}

function valuesOf(distinct: Distinct, index: u32): SegmentValues {
  return changetype<SegmentValues>(distinct.segments + <usize>index * offsetof<SegmentValues>());
}

function isByValue(distinct: Distinct): bool {
  return changetype<usize>(distinct.byValue) !== 0;
}

/** Reads the values of the documents of a bitmap. */
export function distinctCreate(search: Search, universe: usize): Distinct {
  const distinct = changetype<Distinct>(alloc(offsetof<Distinct>()));
  distinct.byValue = byValueCreate(search, universe);
  if (isByValue(distinct)) return distinct;
  const field = search.plan.distinctField;
  const isAlone = search.plan.segments.count === 1 && search.inOneMemory;
  distinct.segmentCount = search.plan.segments.count;
  distinct.segments = alloc(<usize>distinct.segmentCount * offsetof<SegmentValues>());
  distinct.table = isAlone ? 0 : numberTable();
  distinct.valueCount = 0;
  distinct.ordinals = bufferCreate(64);
  distinct.numbers = bufferCreate(64);
  distinct.key = bufferCreate(64);
  for (let number: u32 = 0; number < distinct.segmentCount; number++) {
    const segment = segmentOf(search, number);
    const values = valuesOf(distinct, number);
    values.base = segment.base;
    values.docCount = segment.docCount;
    values.column = segment.isHere && field !== NO_FIELD ? columnOf(segment.view, field) : 0;
    const count: u32 = values.column === 0 ? 0 : valueCount(values.column);
    values.numbers = isAlone ? 0 : allocZeroed(((<usize>count) << 2) + 4);
    values.starts = 0;
    if (isAlone) distinct.valueCount = count;
    if (!segment.isHere && field !== NO_FIELD) readRemote(search, distinct, number, universe);
  }
  readDocuments(search, distinct, universe);
  return distinct;
}

/** Requests the values of the documents of a bitmap from another memory. */
function readRemote(search: Search, distinct: Distinct, number: u32, universe: usize): void {
  const segment = segmentOf(search, number);
  const values = valuesOf(distinct, number);
  const request = requestFor(segment, REQUEST_VALUES, segment.docCount << 2);
  const bytes = ((segment.docCount + 127) >>> 7) << 4;
  const locals = payloadOf(request);
  const count = bitmapFirst(universe + (segment.base >>> 3), bytes, segment.docCount, locals);
  request.payload = count << 2;
  request.from = search.plan.distinctField;
  values.starts = allocZeroed(((<usize>segment.docCount) << 2) + 4);
  values.values = bufferCreate(256);
  bufferPush32(values.values, 0);
  let answer = sendRequest(number, request);
  for (let i: u32 = 0; i < count; i++) {
    const start = <u32>changetype<Buffer>(values.values).length;
    store<u32>(values.starts + ((<usize>load<u32>(locals + ((<usize>i) << 2))) << 2), start);
    const own = load<u32>(answer);
    answer += 4;
    bufferPush32(values.values, own);
    for (let k: u32 = 0; k < own; k++) {
      const length: usize = load<u32>(answer);
      bufferPush32(values.values, numberOf(distinct, answer + 4, length));
      answer += 4 + length;
    }
  }
}

/** The number of a value, by its key. */
function numberOf(distinct: Distinct, bytes: usize, length: usize): u32 {
  changetype<Buffer>(distinct.key).length = 0;
  bufferPushBytes(distinct.key, bytes, length);
  const number = keyNumber(distinct.table, distinct.key, distinct.valueCount);
  if (number === distinct.valueCount) distinct.valueCount++;
  return number;
}

/** Reads the numbers of the values of a document into {@link Distinct.numbers}. Returns how many there are. */
function readNumbers(distinct: Distinct, slot: u32): u32 {
  let index: u32 = 0;
  while (index + 1 < distinct.segmentCount && valuesOf(distinct, index + 1).base <= slot) index++;
  const values = valuesOf(distinct, index);
  const local = slot - values.base;
  const out = changetype<Buffer>(distinct.numbers);
  out.length = 0;
  if (values.starts !== 0) {
    const start: usize = load<u32>(values.starts + ((<usize>local) << 2));
    const list = changetype<Buffer>(values.values).data + start;
    const count: u32 = start === 0 ? 0 : load<u32>(list);
    for (let i: u32 = 0; i < count; i++) bufferPush32(distinct.numbers, load<u32>(list + 4 + ((<usize>i) << 2)));
    return count;
  }
  if (values.column === 0) return 0;
  if (distinct.table === 0) {
    pushValueOrdinals(values.column, local, distinct.numbers);
    return <u32>(out.length >> 2);
  }
  const ordinals = changetype<Buffer>(distinct.ordinals);
  ordinals.length = 0;
  pushValueOrdinals(values.column, local, distinct.ordinals);
  const count = <u32>(ordinals.length >> 2);
  for (let i: u32 = 0; i < count; i++) {
    const ordinal = load<u32>(ordinals.data + ((<usize>i) << 2));
    const cell = values.numbers + ((<usize>ordinal) << 2);
    if (load<u32>(cell) === 0) store<u32>(cell, 1 + numberOfOrdinal(distinct, values.column, ordinal));
    bufferPush32(distinct.numbers, load<u32>(cell) - 1);
  }
  return count;
}

function numberOfOrdinal(distinct: Distinct, column: usize, ordinal: u32): u32 {
  const key = bufferCreate(64);
  pushValueKey(column, ordinal, key);
  // The length precedes the bytes.
  return numberOf(distinct, changetype<Buffer>(key).data + 4, <usize>load<u32>(changetype<Buffer>(key).data));
}

function numberAt(distinct: Distinct, index: u32): u32 {
  return load<u32>(changetype<Buffer>(distinct.numbers).data + ((<usize>index) << 2));
}

/** Lists the documents of each value. */
function readDocuments(search: Search, distinct: Distinct, universe: usize): void {
  /** u32 pairs of a value and a slot */
  const pairs = bufferCreate(4096);
  for (let at: u32 = 0; at < search.bytes; at += 8) {
    for (let bits = load<u64>(universe + at); bits !== 0; bits &= bits - 1) {
      const slot = (at << 3) + <u32>ctz<u64>(bits);
      const count = readNumbers(distinct, slot);
      for (let i: u32 = 0; i < count; i++) {
        bufferPush32(pairs, numberAt(distinct, i));
        bufferPush32(pairs, slot);
      }
    }
  }
  const values: usize = distinct.valueCount;
  const pairCount = changetype<Buffer>(pairs).length >> 3;
  distinct.taken = allocZeroed(values + 4);
  distinct.starts = allocZeroed((values + 2) << 2);
  distinct.documents = alloc((pairCount << 2) + 4);
  const data = changetype<Buffer>(pairs).data;
  const end = data + changetype<Buffer>(pairs).length;
  for (let pair = data; pair < end; pair += 8) {
    const cell = distinct.starts + ((<usize>load<u32>(pair) + 2) << 2);
    store<u32>(cell, load<u32>(cell) + 1);
  }
  for (let value: usize = 2; value < values + 2; value++) {
    const cell = distinct.starts + (value << 2);
    store<u32>(cell, load<u32>(cell) + load<u32>(cell - 4));
  }
  // Counting sort: each start is advanced to its end, which is the start of the next value.
  for (let pair = data; pair < end; pair += 8) {
    const cell = distinct.starts + ((<usize>load<u32>(pair) + 1) << 2);
    store<u32>(distinct.documents + ((<usize>load<u32>(cell)) << 2), load<u32>(pair, 4));
    store<u32>(cell, load<u32>(cell) + 1);
  }
}

/**
 * Keeps a document unless one with the same value was kept before. The other documents with its values are removed from the count
 * and from the ranking. Returns whether the document was kept.
 */
export function distinctKeep(search: Search, distinct: Distinct, slot: u32, counted: usize): bool {
  if (isByValue(distinct)) return keepByValue(search, distinct.byValue, slot, counted);
  const count = readNumbers(distinct, slot);
  for (let i: u32 = 0; i < count; i++) {
    if (!load<u8>(distinct.taken + numberAt(distinct, i))) continue;
    bitmapRemove(counted, slot);
    return false;
  }
  for (let i: u32 = 0; i < count; i++) {
    const value: usize = numberAt(distinct, i);
    store<u8>(distinct.taken + value, 1);
    const end = load<u32>(distinct.starts + ((value + 1) << 2));
    for (let at = load<u32>(distinct.starts + (value << 2)); at < end; at++) {
      const other = load<u32>(distinct.documents + ((<usize>at) << 2));
      if (other === slot) continue;
      bitmapRemove(counted, other);
      bitmapAdd(search.duplicates, other);
    }
  }
  return true;
}

/** Leaves one document of each value in the bitmap of counted documents, the first in internal order. */
export function distinctCount(search: Search, distinct: Distinct, counted: usize): void {
  if (isByValue(distinct)) {
    countByValue(search, distinct.byValue, counted);
    return;
  }
  memory.fill(distinct.taken, 0, distinct.valueCount);
  const all = inOrder(search, counted, 0xffffffff);
  for (let place: u32 = 0; place < all.count; place++) {
    const slot = load<u32>(all.slots + ((<usize>place) << 2));
    const count = readNumbers(distinct, slot);
    let isSeen = false;
    for (let i: u32 = 0; i < count && !isSeen; i++) isSeen = load<u8>(distinct.taken + numberAt(distinct, i)) !== 0;
    if (isSeen) bitmapRemove(counted, slot);
    for (let i: u32 = 0; i < count && !isSeen; i++) store<u8>(distinct.taken + numberAt(distinct, i), 1);
  }
}
