/**
 * An index may have segments in several memories. A search runs in one of them, and sends requests about segments in another
 * memory to the instance over that memory: the host copies the request there and the answer back.
 */
import { PlanSegment } from '../plan/segments';
import { alloc } from '../runtime/arena';
import { exchange } from '../runtime/env';

/** Number of a term, -1 when no live document has it: i32. Payload: the text. */
export const REQUEST_TERM: u32 = 0;
/** The terms that start with a text: {@link TermRange}. Payload: the text. */
export const REQUEST_PREFIX: u32 = 1;
/** Live terms of [from, to), the first `limit`: u32 count, then u32 each; tolerant ones if `flag`. Payload: flags of fields. */
export const REQUEST_LIVE: u32 = 2;
/** Texts of terms: for each a u32 length, then the bytes. Payload: u32 terms. */
export const REQUEST_TEXTS: u32 = 3;
/**
 * Typos of a word: number of those with one and with two, then u32 terms. Payload: flags of fields (`from` bytes), then the word.
 */
export const REQUEST_TYPOS: u32 = 4;
/** Postings of the terms [from, to): see {@link TermsHeader}. */
export const REQUEST_POSTINGS: u32 = 5;
/** Word counts of the attributes of all documents: u32 starts (documents + 1), then entries. */
export const REQUEST_WORD_COUNTS: u32 = 6;
/** u32 internal ids of documents. Payload: u32 local numbers. */
export const REQUEST_IDS: u32 = 7;
/** u32 sort keys by field `from`, ascending if `flag`. Payload: u32 local numbers. */
export const REQUEST_SORT_KEYS: u32 = 8;
/** The value of key `to` of field `from`: {@link RemoteSortValue}. */
export const REQUEST_SORT_VALUE: u32 = 9;
/** f64 pairs of latitude and longitude, NaN without a location. Payload: u32 local numbers. */
export const REQUEST_POINTS: u32 = 10;
/** The bitmap of deleted documents. */
export const REQUEST_DELETED: u32 = 12;
/** Values of field `from` of documents: for each u32 count, then u32 length and bytes of each value. Payload: u32 local numbers. */
export const REQUEST_VALUES: u32 = 11;

/** The JSON of the document with local number `from`: its length as u32, then its bytes. */
export const REQUEST_DOCUMENT: u32 = 13;
/** Values of a facet: see facets/count. */
export const REQUEST_FACET: u32 = 14;
/** The documents that a filter selects: see filter/evaluate. */
export const REQUEST_FILTER: u32 = 15;
/** The documents nearest to a vector: see vector/neighbours. */
export const REQUEST_NEAREST: u32 = 16;
/** Ordinals of the vectors of embedder `from`: see filter/vector-ordinals. */
export const REQUEST_ORDINALS: u32 = 17;

@unmanaged
export class RemoteRequest {
  kind: u32;
  /** id of the segment */
  segment: u32;
  /** SegmentView and bitmap of deleted documents in the other memory */
  view: usize;
  tombstones: usize;
  from: u32;
  to: u32;
  limit: u32;
  flag: u32;
  payload: u32;
  // the payload follows
}

/** The bytes of an answer. */
@unmanaged
export class RemoteAnswer {
  data: usize;
  length: u32;
}

const REQUEST_HEADER_BYTES: usize = offsetof<RemoteRequest>();

@unmanaged
export class TermRange {
  from: u32;
  to: u32;
  /** bytes of the first term */
  firstBytes: u32;
}

/** Answer to {@link REQUEST_SORT_VALUE}, followed by the text. */
@unmanaged
export class RemoteSortValue {
  number: f64;
  /** SORT_… of columns/sort-keys */
  kind: u32;
  length: u32;
}

/** Answer to {@link REQUEST_POSTINGS}, followed by flags (padded to 4 bytes), document frequencies, starts and postings. */
@unmanaged
export class TermsHeader {
  count: u32;
  postingsBytes: u32;
}

/** Creates a request with room for a payload after {@link REQUEST_HEADER_BYTES}. */
export function requestFor(segment: PlanSegment, kind: u32, payload: u32): RemoteRequest {
  const request = changetype<RemoteRequest>(alloc(REQUEST_HEADER_BYTES + payload));
  memory.fill(changetype<usize>(request), 0, REQUEST_HEADER_BYTES);
  request.kind = kind;
  request.segment = segment.id;
  request.view = segment.view;
  request.tombstones = segment.tombstones;
  request.payload = payload;
  return request;
}

export function payloadOf(request: RemoteRequest): usize {
  return changetype<usize>(request) + REQUEST_HEADER_BYTES;
}

/** An aligned copy of a bitmap in a payload. */
export function bitmapOf(at: usize, bytes: u32): usize {
  const copy = alloc(bytes);
  memory.copy(copy, at, bytes);
  return copy;
}

/** Sends a request and returns the address of the answer; `segment`: number in the plan. */
export function sendRequest(segment: u32, request: RemoteRequest): usize {
  return exchange(segment, changetype<usize>(request), <u32>(REQUEST_HEADER_BYTES + <usize>request.payload));
}
