/** The documents nearest to a vector, from all segments of an index. */
import { PlanSegment, Segments } from '../plan/segments';
import { shownSimilarity, VectorTarget } from '../plan/vector-target';
import { bitmapOf, payloadOf, REQUEST_NEAREST, RemoteRequest, requestFor, sendRequest } from '../remote/request';
import { alloc, arenaMark, arenaReset } from '../runtime/arena';
import { bufferPush32, bufferPushBytes } from '../runtime/buffer';
import { bitmapBytes } from '../segment/layout';
import { SegmentView } from '../segment/view';
import { documentId } from '../segment/view-parts';
import { Scored } from './best';
import { VectorsHeader, vectorsOf } from './layout';
import { nearestVectors, VectorQuery } from './nearest';

@unmanaged
export class Neighbour {
  /** (1 + cos) / 2, for the nearest of the document's vectors; for binary vectors the share of equal bits. */
  similarity: f32;
  /** The similarity as it is shown: see {@link shownSimilarity}. */
  score: f32;
  slot: u32;
  /** Internal id of the document, which breaks ties. */
  id: u32;
}

@unmanaged
export class Neighbours {
  /** Neighbour[], the nearest first */
  list: usize;
  count: u32;
  /** The deadline passed before all were compared. */
  isTimedOut: bool;
  /** Segments whose graph was walked; the others were scanned. */
  walked: u32;
}

/**
 * The documents of a bitmap over slots that are nearest to a vector, ties by internal id. Documents without a vector of the embedder are
 * left out.
 * @param wanted number of documents
 * @param ordinal only vectors with this ordinal are compared, or ANY_ORDINAL
 */
export function nearestDocuments(
  segments: Segments,
  target: VectorTarget,
  allowed: usize,
  wanted: u32,
  ordinal: u32,
): Neighbours {
  const order = largestFirst(segments);
  let documents: u32 = 0;
  for (let number: u32 = 0; number < segments.count; number++) documents += segments.at(number).docCount;
  const limit = min(wanted, documents);
  const room = <usize>limit * offsetof<Neighbour>();
  const merged = changetype<Neighbours>(alloc(offsetof<Neighbours>()));
  merged.list = alloc(room);
  merged.count = 0;
  merged.isTimedOut = false;
  merged.walked = 0;
  let spare = alloc(room);
  for (let place: u32 = 0; place < segments.count && limit > 0; place++) {
    const number = load<u32>(order + ((<usize>place) << 2));
    const segment = segments.at(number);
    const mark = arenaMark();
    const query = queryOf(segment, target, allowed + (segment.base >>> 3), min(limit, segment.docCount), ordinal);
    // Only documents nearer than those found in other segments are searched for in this one.
    query.least = merged.count < limit ? 0 : neighbourAt(merged, limit - 1).similarity;
    const found = segment.isHere
      ? nearestOf(query, target.dimensions)
      : requestNearest(query, target.dimensions, number, segment);
    if (found.isTimedOut) merged.isTimedOut = true;
    merged.walked += found.walked;
    if (found.count > 0) {
      const before = merged.list;
      merge(merged, found, segment.base, limit, spare);
      spare = before;
    }
    arenaReset(mark);
  }
  for (let i: u32 = 0; i < merged.count; i++) {
    const neighbour = neighbourAt(merged, i);
    neighbour.score = shownSimilarity(target, neighbour.similarity);
  }
  return merged;
}

export function neighbourAt(neighbours: Neighbours, index: u32): Neighbour {
  return changetype<Neighbour>(neighbours.list + <usize>index * offsetof<Neighbour>());
}

/** u32 numbers of the segments, those with most documents first: what these find need not be looked for in the others. */
function largestFirst(segments: Segments): usize {
  const order = alloc(((<usize>segments.count) << 2) + 4);
  for (let number: u32 = 0; number < segments.count; number++) {
    const count = segments.at(number).docCount;
    let place = number;
    for (; place > 0; place--) {
      const before = load<u32>(order + ((<usize>place - 1) << 2));
      if (segments.at(before).docCount >= count) break;
      store<u32>(order + ((<usize>place) << 2), before);
    }
    store<u32>(order + ((<usize>place) << 2), number);
  }
  return order;
}

function queryOf(segment: PlanSegment, target: VectorTarget, allowed: usize, wanted: u32, ordinal: u32): VectorQuery {
  const query = changetype<VectorQuery>(alloc(offsetof<VectorQuery>()));
  query.deadline = target.deadline;
  query.view = changetype<SegmentView>(segment.view);
  query.segment = segment.id;
  query.embedder = target.embedder;
  query.vector = target.vector;
  query.wanted = wanted;
  query.allowed = allowed;
  query.ordinal = ordinal;
  return query;
}

/** The nearest documents of one segment in this memory; their slots are local numbers. */
function nearestOf(query: VectorQuery, dimensions: u32): Neighbours {
  const found = changetype<Neighbours>(alloc(offsetof<Neighbours>()));
  found.list = 0;
  found.count = 0;
  found.isTimedOut = false;
  found.walked = 0;
  const header = vectorsOf(changetype<usize>(query.view), query.embedder);
  if (header === 0 || changetype<VectorsHeader>(header).dimensions !== dimensions) return found;
  const matches = nearestVectors(query);
  found.isTimedOut = matches.isTimedOut;
  found.walked = matches.isWalked ? 1 : 0;
  found.list = alloc(<usize>matches.count * offsetof<Neighbour>());
  found.count = matches.count;
  for (let i: u32 = 0; i < matches.count; i++) {
    const scored = changetype<Scored>(matches.list + <usize>i * offsetof<Scored>());
    const neighbour = neighbourAt(found, i);
    neighbour.similarity = scored.similarity;
    neighbour.slot = scored.document;
    neighbour.id = documentId(changetype<usize>(query.view), scored.document);
  }
  return found;
}

/** Merges the documents of a segment into a list. The result is written to `out`. */
function merge(merged: Neighbours, found: Neighbours, base: u32, limit: u32, out: usize): void {
  let ours: u32 = 0;
  let theirs: u32 = 0;
  const count = min(limit, merged.count + found.count);
  for (let place: u32 = 0; place < count; place++) {
    const isOurs =
      theirs === found.count || (ours < merged.count && isNearer(neighbourAt(merged, ours), neighbourAt(found, theirs)));
    const next = isOurs ? neighbourAt(merged, ours++) : neighbourAt(found, theirs++);
    const copy = changetype<Neighbour>(out + <usize>place * offsetof<Neighbour>());
    copy.similarity = next.similarity;
    copy.id = next.id;
    copy.slot = isOurs ? next.slot : base + next.slot;
  }
  merged.list = out;
  merged.count = count;
}

function isNearer(one: Neighbour, other: Neighbour): bool {
  return one.similarity > other.similarity || (one.similarity === other.similarity && one.id < other.id);
}

/** The same as {@link nearestOf}, of a segment in another memory. Payload: the query, its vector, its bitmap. */
function requestNearest(query: VectorQuery, dimensions: u32, number: u32, segment: PlanSegment): Neighbours {
  const vectorBytes = dimensions << 2;
  const size = bitmapBytes(segment.docCount);
  const request = requestFor(segment, REQUEST_NEAREST, <u32>offsetof<VectorQuery>() + vectorBytes + size);
  const vector = payloadOf(request) + offsetof<VectorQuery>();
  memory.copy(payloadOf(request), changetype<usize>(query), offsetof<VectorQuery>());
  memory.copy(vector, query.vector, vectorBytes);
  memory.copy(vector + vectorBytes, query.allowed, size);
  request.from = dimensions;
  const answer = sendRequest(number, request);
  const found = changetype<Neighbours>(alloc(offsetof<Neighbours>()));
  found.isTimedOut = load<u32>(answer) !== 0;
  found.walked = load<u32>(answer, 4);
  found.count = load<u32>(answer, 8);
  found.list = answer + 12;
  return found;
}

/** Answers REQUEST_NEAREST: u32 whether the time was over, u32 walked, u32 count, then Neighbour[], appended to a Buffer. */
export function answerNearest(request: RemoteRequest, out: usize): void {
  const query = changetype<VectorQuery>(payloadOf(request));
  const dimensions = request.from;
  query.view = changetype<SegmentView>(request.view);
  query.vector = payloadOf(request) + offsetof<VectorQuery>();
  query.allowed = bitmapOf(query.vector + ((<usize>dimensions) << 2), bitmapBytes(query.view.docCount));
  const found = nearestOf(query, dimensions);
  bufferPush32(out, found.isTimedOut ? 1 : 0);
  bufferPush32(out, found.walked);
  bufferPush32(out, found.count);
  bufferPushBytes(out, found.list, <usize>found.count * offsetof<Neighbour>());
}
