/**
 * The documents of one bucket, numbered densely, and the occurrences of words in them.
 */

import { postingsBegin, postingsDoc, postingsNextIn, postingsPositions, postingsPositionsLength } from '../postings/decode';
import { alloc } from '../runtime/arena';
import { SegmentView } from '../segment/view';
import { bitmapHas, bitmapSlots } from '../sets/bitmap';
import { decodeCodes } from './positions';
import { MaterializedRun, sourceAt } from './sources';

@unmanaged
export class Context {
  /** over slots */
  bitmap: usize;
  bytes: u32;
  count: u32;
  /** u32[count], ascending */
  slots: usize;
  /** u32 for each 64 slots: documents before them */
  ranks: usize;
}

/** Occurrences of a set of words in the documents of a context. */
@unmanaged
export class Occurrences {
  /** u32[count + 1]: first code of each document */
  starts: usize;
  /** u32 codes `attribute << 16 | position`, ascending within a document */
  codes: usize;
}

export function contextCreate(bitmap: usize, bytes: u32, count: u32): usize {
  const context = changetype<Context>(alloc(offsetof<Context>()));
  context.bitmap = bitmap;
  context.bytes = bytes;
  context.count = count;
  context.slots = alloc(((<usize>count) << 2) + 16);
  bitmapSlots(bitmap, bytes, context.slots);
  context.ranks = alloc(((<usize>bytes >> 3) << 2) + 16);
  let before: u32 = 0;
  for (let word: u32 = 0; word < bytes >>> 3; word++) {
    store<u32>(context.ranks + ((<usize>word) << 2), before);
    before += <u32>popcnt<u64>(load<u64>(bitmap + ((<usize>word) << 3)));
  }
  return changetype<usize>(context);
}

/** Number of a document of the context by its slot. */
export function contextIndex(context: Context, slot: u32): u32 {
  return rankIn(context.bitmap, context.ranks, slot);
}

/** Members of a bitmap before a member; `ranks`: u32 for each 64 bits, members before them. */
function rankIn(bitmap: usize, ranks: usize, member: u32): u32 {
  const word = load<u64>(bitmap + ((<usize>member >>> 6) << 3));
  const below = word & (((<u64>1) << (member & 63)) - 1);
  return load<u32>(ranks + ((<usize>member >>> 6) << 2)) + <u32>popcnt<u64>(below);
}

/** Writes the numbers of some documents of a context, given by a bitmap, and answers how many there are. */
export function contextIndices(contextPointer: usize, subset: usize, out: usize): u32 {
  const context = changetype<Context>(contextPointer);
  const count = bitmapSlots(subset, context.bytes, out);
  for (let i: u32 = 0; i < count; i++) {
    const at = out + ((<usize>i) << 2);
    store<u32>(at, contextIndex(context, load<u32>(at)));
  }
  return count;
}

/** A posting that was met, chained by document. */
@unmanaged
class Found {
  bytes: usize;
  length: u32;
  next: u32;
}

const NO_POSTING: u32 = 0xffffffff;
/** In the length of a Found: its bytes are codes already, counted in codes. */
const DECODED: u32 = 0x80000000;
/** A Found takes 16 bytes of its list. */
const FOUND_SHIFT: usize = 4;
/** Lists at the top of the arena grow by so much at a time. */
const RESERVED_BYTES: usize = 65536;

/** Collects the occurrences of the words of some sources in the documents of a context. */
export function occurrencesOf(contextPointer: usize, sources: usize, sourceCount: u32): usize {
  const context = changetype<Context>(contextPointer);
  const count = context.count;
  const result = changetype<Occurrences>(alloc(offsetof<Occurrences>()));
  result.starts = alloc((<usize>count + 1) << 2);
  if (sourceCount === 1 && sourceAt(sources, 0).to === sourceAt(sources, 0).from + 1 && !sourceAt(sources, 0).materialized) {
    occurrencesOfTerm(context, sources, result);
    return changetype<usize>(result);
  }
  const heads = alloc(((<usize>count) << 2) + 16);
  memory.fill(heads, 0xff, (<usize>count) << 2);
  // postings are chained from the end of the list, which grows at the top of the arena
  const list = alloc(0);
  let reserved = list;
  let found: u32 = 0;
  let bytes: usize = 0;
  for (let s: u32 = 0; s < sourceCount; s++) {
    const source = sourceAt(sources, s);
    const base = source.base;
    const within = source.within;
    if (source.materialized) {
      const run = changetype<MaterializedRun>(source.materialized);
      const end = base + changetype<SegmentView>(source.view).docCount;
      for (let i: u32 = 0; i < count; i++) {
        const slot = load<u32>(context.slots + ((<usize>i) << 2));
        if (slot < base) continue;
        if (slot >= end) break;
        if (within && !bitmapHas(within, slot)) continue;
        const local = slot - base;
        if (!bitmapHas(run.bitmap, local)) continue;
        const starts = run.starts + ((<usize>rankIn(run.bitmap, run.ranks, local)) << 2);
        const first = load<u32>(starts);
        const codes = load<u32>(starts, 4) - first;
        const at = list + ((<usize>found) << FOUND_SHIFT);
        if (at >= reserved) reserved = alloc(RESERVED_BYTES) + RESERVED_BYTES;
        const entry = changetype<Found>(at);
        entry.bytes = run.codes + ((<usize>first) << 2);
        entry.length = codes | DECODED;
        const head = heads + ((<usize>i) << 2);
        entry.next = load<u32>(head);
        store<u32>(head, found);
        found++;
        bytes += codes;
      }
      continue;
    }
    for (let term = source.from; term < source.to; term++) {
      postingsBegin(source.view, term);
      while (postingsNextIn(context.bitmap, base)) {
        const slot = base + postingsDoc();
        if (within && !bitmapHas(within, slot)) continue;
        const head = heads + ((<usize>contextIndex(context, slot)) << 2);
        const at = list + ((<usize>found) << FOUND_SHIFT);
        if (at >= reserved) reserved = alloc(RESERVED_BYTES) + RESERVED_BYTES;
        const entry = changetype<Found>(at);
        entry.bytes = postingsPositions();
        entry.length = postingsPositionsLength();
        entry.next = load<u32>(head);
        store<u32>(head, found);
        found++;
        bytes += entry.length;
      }
    }
  }
  result.codes = alloc((bytes << 2) + 16);
  let out = result.codes;
  for (let i: u32 = 0; i < count; i++) {
    const first = out;
    store<u32>(result.starts + ((<usize>i) << 2), <u32>((out - result.codes) >> 2));
    let entry = load<u32>(heads + ((<usize>i) << 2));
    let postings: u32 = 0;
    while (entry !== NO_POSTING) {
      const posting = changetype<Found>(list + ((<usize>entry) << FOUND_SHIFT));
      if (posting.length & DECODED) {
        const length = (<usize>(posting.length & ~DECODED)) << 2;
        memory.copy(out, posting.bytes, length);
        out += length;
      } else {
        out = decodeCodes(posting.bytes, posting.length, out);
      }
      entry = posting.next;
      postings++;
    }
    if (postings > 1) sortCodes(first, out);
  }
  store<u32>(result.starts + ((<usize>count) << 2), <u32>((out - result.codes) >> 2));
  return changetype<usize>(result);
}

/** The common case: one term, whose documents come in order. */
function occurrencesOfTerm(context: Context, sources: usize, result: Occurrences): void {
  const source = sourceAt(sources, 0);
  const base = source.base;
  const within = source.within;
  const bitmap = context.bitmap;
  const codes = alloc(0);
  let reserved = codes;
  let out = codes;
  let next: u32 = 0;
  postingsBegin(source.view, source.from);
  while (postingsNextIn(bitmap, base)) {
    const slot = base + postingsDoc();
    if (within && !bitmapHas(within, slot)) continue;
    const index = contextIndex(context, slot);
    const length = postingsPositionsLength();
    // a position takes a byte at least; the codes stay one block because nothing else is reserved meanwhile
    const room = out + ((<usize>length) << 2);
    if (room > reserved) reserved = alloc(room - reserved + RESERVED_BYTES) + (room - reserved) + RESERVED_BYTES;
    const from = <u32>((out - codes) >> 2);
    while (next <= index) {
      store<u32>(result.starts + ((<usize>next) << 2), from);
      next++;
    }
    out = decodeCodes(postingsPositions(), length, out);
  }
  const total = <u32>((out - codes) >> 2);
  while (next <= context.count) {
    store<u32>(result.starts + ((<usize>next) << 2), total);
    next++;
  }
  result.codes = codes;
}

/** Insertion sort: a document holds few occurrences of the words of one node, and runs are sorted already. */
function sortCodes(from: usize, to: usize): void {
  for (let at = from + 4; at < to; at += 4) {
    const code = load<u32>(at);
    let place = at;
    while (place > from && load<u32>(place - 4) > code) {
      store<u32>(place, load<u32>(place - 4));
      place -= 4;
    }
    if (place !== at) store<u32>(place, code);
  }
}
