/** Documents in internal order: by internal id, which is the order of their first insertion. Within a segment slots ascend by internal id. */

import { toSlots } from '../plan/numbering';
import { Search, segmentBytes, segmentOf } from '../plan/search';
import { payloadOf, REQUEST_IDS, requestFor, sendRequest } from '../remote/request';
import { alloc } from '../runtime/arena';
import { SegmentView } from '../segment/view';
import { bitmapFirst } from '../sets/members';

/** The first documents of a segment, ascending by internal id. */
@unmanaged
class Sequence {
  base: u32;
  /** u32[count] local numbers */
  locals: usize;
  count: u32;
  /** u32 internal ids: by local number, or by index in {@link locals} when they were copied from another memory */
  ids: usize;
  byPlace: bool;
  at: u32;
}

/** A list of documents: u32[count] slots. */
@unmanaged
export class Slots {
  slots: usize;
  count: u32;
}

function slotsOf(slots: usize, count: u32): Slots {
  const result = changetype<Slots>(alloc(offsetof<Slots>()));
  result.slots = slots;
  result.count = count;
  return result;
}

/** The first `limit` documents of a bitmap in internal order. */
export function inOrder(search: Search, bitmap: usize, limit: u32): Slots {
  const segments = search.plan.segments.count;
  if (segments === 1) {
    const wanted = min<u32>(limit, segmentOf(search, 0).docCount);
    const out = alloc(((<usize>wanted) << 2) + 16);
    const count = bitmapFirst(bitmap, search.bytes, wanted, out);
    if (changetype<usize>(search.numbering) !== 0) toSlots(search.numbering, out, count);
    return slotsOf(out, count);
  }
  const sequences = alloc(<usize>segments * offsetof<Sequence>());
  const total =
    changetype<usize>(search.numbering) === 0
      ? fromSlots(search, bitmap, limit, sequences)
      : fromNumbers(search, bitmap, sequences);
  return merged(sequences, segments, min<u32>(limit, total));
}

/** The first `limit` documents of a list in internal order: u32[count] ascending slots. Segments must be in this memory. */
export function listInOrder(search: Search, slots: usize, count: u32, limit: u32): Slots {
  const segments = search.plan.segments.count;
  if (segments === 1) return slotsOf(slots, min<u32>(limit, count));
  const members = alloc(((<usize>count) << 2) + 16);
  memory.copy(members, slots, (<usize>count) << 2);
  const sequences = alloc(<usize>segments * offsetof<Sequence>());
  fromList(search, members, count, sequences);
  return merged(sequences, segments, min<u32>(limit, count));
}

/** The first `wanted` documents of the sequences of all segments. */
function merged(sequences: usize, segments: u32, wanted: u32): Slots {
  const out = alloc(((<usize>wanted) << 2) + 16);
  for (let place: u32 = 0; place < wanted; place++) {
    let next: Sequence = changetype<Sequence>(0);
    let least: u32 = 0xffffffff;
    for (let number: u32 = 0; number < segments; number++) {
      const sequence = changetype<Sequence>(sequences + <usize>number * offsetof<Sequence>());
      if (sequence.at === sequence.count) continue;
      const id = idAt(sequence);
      if (changetype<usize>(next) !== 0 && id >= least) continue;
      next = sequence;
      least = id;
    }
    store<u32>(out + ((<usize>place) << 2), next.base + load<u32>(next.locals + ((<usize>next.at) << 2)));
    next.at++;
  }
  return slotsOf(out, wanted);
}

/** Reads the first `limit` documents of each segment from a bitmap over slots. Returns their number. */
function fromSlots(search: Search, bitmap: usize, limit: u32, sequences: usize): u32 {
  let total: u32 = 0;
  for (let number: u32 = 0; number < search.plan.segments.count; number++) {
    const sequence = changetype<Sequence>(sequences + <usize>number * offsetof<Sequence>());
    readSequence(search, number, bitmap, limit, sequence);
    total += sequence.count;
  }
  return total;
}

/**
 * The same from a bitmap over numbers: all documents of a small bucket. It is not converted to a bitmap over slots, because for each group of
 * tied documents that would take time proportional to the size of the index.
 */
function fromNumbers(search: Search, bitmap: usize, sequences: usize): u32 {
  const numbering = search.numbering;
  const members = alloc(((<usize>numbering.count) << 2) + 16);
  const total = bitmapFirst(bitmap, search.bytes, numbering.count, members);
  toSlots(numbering, members, total);
  fromList(search, members, total, sequences);
  return total;
}

/** The same from a list of ascending slots, which are replaced by local numbers. */
function fromList(search: Search, members: usize, count: u32, sequences: usize): void {
  const end = members + ((<usize>count) << 2);
  let at = members;
  for (let number: u32 = 0; number < search.plan.segments.count; number++) {
    const segment = segmentOf(search, number);
    const sequence = changetype<Sequence>(sequences + <usize>number * offsetof<Sequence>());
    sequence.base = segment.base;
    sequence.at = 0;
    sequence.byPlace = false;
    sequence.locals = at;
    for (; at < end && load<u32>(at) - segment.base < segment.docCount; at += 4) store<u32>(at, load<u32>(at) - segment.base);
    sequence.count = <u32>((at - sequence.locals) >> 2);
    sequence.ids = changetype<SegmentView>(segment.view).docIds;
  }
}

function idAt(sequence: Sequence): u32 {
  const index = sequence.byPlace ? sequence.at : load<u32>(sequence.locals + ((<usize>sequence.at) << 2));
  return load<u32>(sequence.ids + ((<usize>index) << 2));
}

function readSequence(search: Search, number: u32, bitmap: usize, limit: u32, sequence: Sequence): void {
  const segment = segmentOf(search, number);
  const wanted = min<u32>(limit, segment.docCount);
  sequence.base = segment.base;
  sequence.at = 0;
  sequence.byPlace = !segment.isHere;
  sequence.locals = alloc(((<usize>wanted) << 2) + 16);
  sequence.count = bitmapFirst(bitmap + (segment.base >>> 3), segmentBytes(search, number), wanted, sequence.locals);
  if (segment.isHere) {
    sequence.ids = changetype<SegmentView>(segment.view).docIds;
  } else if (sequence.count > 0) {
    const request = requestFor(segment, REQUEST_IDS, sequence.count << 2);
    memory.copy(payloadOf(request), sequence.locals, (<usize>sequence.count) << 2);
    sequence.ids = sendRequest(number, request);
  }
}
