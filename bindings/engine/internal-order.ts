import { membersOf } from './bitmaps.js';
import { internalIds } from './segment-arrays.js';
import type { IndexReader, OpenSegment } from './segments.js';

/**
 * Pages of documents in internal order, that of first insertion. In a segment slots ascend with internal ids; an updated document
 * keeps its id but is stored in a newer segment.
 */

/** Bits per step over a bitmap: reading starts at multiples of it. */
const WORD_BITS = 64;
const LANE_BITS = 128;

/**
 * A page of the documents in a bitmap. The cost depends on the page, not on the offset, because the first document is found by
 * counting.
 * @returns slots
 */
export function pageInOrder(reader: IndexReader, bitmap: number, offset: number, limit: number): number[] {
  const first = offset === 0 ? 0 : idAt(reader, bitmap, offset);
  const members = reader.segments.map((segment) =>
    membersFrom(reader, bitmap, segment, lowerBound(internalIds(segment), first), limit),
  );
  // No scratch memory is allocated from here on, so views of the memory stay valid.
  const runs = reader.segments.map((segment, position) => ({
    base: segment.base,
    ids: internalIds(segment),
    locals: members[position] as Uint32Array,
    at: 0,
  }));
  const slots: number[] = [];
  while (slots.length < limit) {
    let next: (typeof runs)[number] | null = null;
    let least = Number.POSITIVE_INFINITY;
    for (const run of runs) {
      const local = run.locals[run.at];
      const id = local === undefined ? Number.POSITIVE_INFINITY : (run.ids[local] as number);
      if (id < least) {
        least = id;
        next = run;
      }
    }
    if (!next) break;
    slots.push(next.base + (next.locals[next.at++] as number));
  }
  return slots;
}

/** The internal id of the document that is preceded by `offset` members of the bitmap. */
function idAt(reader: IndexReader, bitmap: number, offset: number): number {
  const parts = reader.segments.map((segment) => ({ segment, ids: internalIds(segment) }));
  let low = 0;
  let high = 1 + Math.max(0, ...parts.map(({ ids }) => ids[ids.length - 1] ?? 0));
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    let upTo = 0;
    for (const { segment, ids } of parts) upTo += countBelow(reader, bitmap, segment, lowerBound(ids, middle + 1));
    if (upTo > offset) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Number of members of the bitmap among the first `locals` documents of a segment. */
function countBelow(reader: IndexReader, bitmap: number, segment: OpenSegment, locals: number): number {
  const { instance } = reader;
  const start = bitmap + segment.base / 8;
  const lanes = locals - (locals % LANE_BITS);
  let count = lanes > 0 ? instance.exports.bitmapCount(start, lanes / 8) : 0;
  for (let local = lanes; local < locals; local++) {
    if (((instance.bytes[start + (local >> 3)] as number) >> (local & 7)) & 1) count++;
  }
  return count;
}

/** Up to `limit` members of the bitmap in a segment, starting at local number `from`. */
function membersFrom(reader: IndexReader, bitmap: number, segment: OpenSegment, from: number, limit: number): Uint32Array {
  const { instance } = reader;
  const start = from - (from % WORD_BITS);
  const slots = Math.ceil(segment.ref.docCount / LANE_BITS) * LANE_BITS;
  const wanted = Math.min(limit + WORD_BITS, slots - start);
  if (wanted <= 0 || limit === 0) return new Uint32Array(0);
  return membersOf(instance, bitmap + (segment.base + start) / 8, (slots - start) / 8, wanted)
    .map((local) => local + start)
    .filter((local) => local >= from)
    .subarray(0, limit);
}

/** Number of ids below a bound. */
function lowerBound(ids: Uint32Array, bound: number): number {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ids[middle] as number) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
