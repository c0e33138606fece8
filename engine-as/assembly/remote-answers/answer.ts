/** Answers requests of searches in other memories about segments in this one. */
import { pushValueKey, pushValueOrdinals } from '../columns/document-values';
import { SortValue, sortKeysInto, sortValueInto } from '../columns/sort-keys';
import { pushWordCounts, TermsExtent, termsExtent } from '../costs/projection';
import { liveTermIn, prefixRange, typosIn } from '../derive/segment-terms';
import { pushLiveTerms } from '../dictionary/sides';
import { termBegin, termLength } from '../dictionary/terms';
import { answerFacet } from '../facets/count';
import { answerFilter } from '../filter/evaluate';
import { answerOrdinals } from '../filter/vector-ordinals';
import { copyPoint, POINT_BYTES } from '../geo/points';
import {
  payloadOf,
  REQUEST_DELETED,
  REQUEST_DOCUMENT,
  REQUEST_FACET,
  REQUEST_FILTER,
  REQUEST_IDS,
  REQUEST_LIVE,
  REQUEST_NEAREST,
  REQUEST_ORDINALS,
  REQUEST_POINTS,
  REQUEST_POSTINGS,
  REQUEST_PREFIX,
  REQUEST_SORT_KEYS,
  REQUEST_SORT_VALUE,
  REQUEST_TERM,
  REQUEST_TEXTS,
  REQUEST_TYPOS,
  REQUEST_VALUES,
  RemoteAnswer,
  RemoteRequest,
  RemoteSortValue,
  TermRange,
  TermsHeader,
} from '../remote/request';
import { alloc } from '../runtime/arena';
import { Buffer, bufferCreate, bufferPush32, bufferPushBytes, bufferRoom } from '../runtime/buffer';
import { bitmapBytes } from '../segment/layout';
import { SegmentView } from '../segment/view';
import { columnOf, documentId } from '../segment/view-parts';
import { readDocument } from '../store/documents';
import { answerNearest } from '../vector/neighbours';

const FIRST_BYTES: usize = 1024;

/** Answers a request that is in scratch memory. The answer is in scratch memory, too. */
export function answerRequest(request: RemoteRequest): RemoteAnswer {
  const out = bufferCreate(FIRST_BYTES);
  const payload = payloadOf(request);
  const length = request.payload;
  switch (request.kind) {
    case REQUEST_TERM: {
      bufferPush32(out, liveTermIn(request.view, request.tombstones, payload, length));
      break;
    }
    case REQUEST_PREFIX: {
      bufferPushBytes(out, changetype<usize>(prefixRange(request.view, payload, length)), offsetof<TermRange>());
      break;
    }
    case REQUEST_LIVE: {
      answerLive(request, out);
      break;
    }
    case REQUEST_TEXTS: {
      answerTexts(request, out);
      break;
    }
    case REQUEST_TYPOS: {
      answerTypos(request, out);
      break;
    }
    case REQUEST_POSTINGS: {
      answerPostings(request, out);
      break;
    }
    case REQUEST_IDS: {
      for (let at: u32 = 0; at < length; at += 4) bufferPush32(out, documentId(request.view, load<u32>(payload + at)));
      break;
    }
    case REQUEST_SORT_KEYS: {
      sortKeysInto(request.view, request.from, request.flag !== 0, payload, length >>> 2, bufferRoom(out, length));
      changetype<Buffer>(out).length += length;
      break;
    }
    case REQUEST_SORT_VALUE: {
      answerSortValue(request, out);
      break;
    }
    case REQUEST_POINTS: {
      for (let at: u32 = 0; at < length; at += 4) {
        copyPoint(request.view, load<u32>(payload + at), bufferRoom(out, POINT_BYTES));
        changetype<Buffer>(out).length += POINT_BYTES;
      }
      break;
    }
    case REQUEST_VALUES: {
      answerValues(request, out);
      break;
    }
    case REQUEST_DELETED: {
      bufferPushBytes(out, request.tombstones, bitmapBytes(changetype<SegmentView>(request.view).docCount));
      break;
    }
    case REQUEST_DOCUMENT: {
      answerDocument(request, out);
      break;
    }
    case REQUEST_FACET: {
      answerFacet(request, out);
      break;
    }
    case REQUEST_FILTER: {
      answerFilter(request, out);
      break;
    }
    case REQUEST_NEAREST: {
      answerNearest(request, out);
      break;
    }
    case REQUEST_ORDINALS: {
      answerOrdinals(request, out);
      break;
    }
    default: {
      pushWordCounts(changetype<SegmentView>(request.view), out);
    }
  }
  const answer = changetype<RemoteAnswer>(alloc(offsetof<RemoteAnswer>()));
  answer.data = changetype<Buffer>(out).data;
  answer.length = <u32>changetype<Buffer>(out).length;
  return answer;
}

function answerLive(request: RemoteRequest, out: usize): void {
  bufferPush32(out, 0);
  const isTolerant = request.flag !== 0;
  const fieldFlags = payloadOf(request);
  pushLiveTerms(request.view, request.from, request.to, isTolerant, request.tombstones, fieldFlags, request.limit, out);
  store<u32>(changetype<Buffer>(out).data, <u32>(changetype<Buffer>(out).length >> 2) - 1);
}

function answerTexts(request: RemoteRequest, out: usize): void {
  for (let at: u32 = 0; at < request.payload; at += 4) {
    const term = load<u32>(payloadOf(request) + at);
    const length = termLength(request.view, term);
    bufferPush32(out, length);
    bufferPushBytes(out, termBegin(request.view, term), length);
  }
}

function answerTypos(request: RemoteRequest, out: usize): void {
  const fieldFlags = payloadOf(request);
  const text = fieldFlags + request.from;
  const length = request.payload - request.from;
  const found = typosIn(request.view, request.tombstones, fieldFlags, text, length, request.limit, request.flag !== 0);
  bufferPush32(out, found.oneCount);
  bufferPush32(out, found.twoCount);
  bufferPushBytes(out, found.oneTerms, (<usize>found.oneCount) << 2);
  bufferPushBytes(out, found.twoTerms, (<usize>found.twoCount) << 2);
}

function answerPostings(request: RemoteRequest, out: usize): void {
  const count = request.to - request.from;
  const extent = changetype<TermsExtent>(termsExtent(request.view, request.from, request.to));
  const bytes = extent.postingsEnd - extent.postings;
  const header = changetype<TermsHeader>(bufferRoom(out, offsetof<TermsHeader>()));
  header.count = count;
  header.postingsBytes = <u32>bytes;
  changetype<Buffer>(out).length += offsetof<TermsHeader>();
  bufferPushBytes(out, extent.flags, count);
  // Flags are padded to whole words.
  const padding = ((count + 3) & ~3) - count;
  memory.fill(bufferRoom(out, padding), 0, padding);
  changetype<Buffer>(out).length += padding;
  bufferPushBytes(out, extent.docFreqs, (<usize>count) << 2);
  bufferPushBytes(out, extent.starts, (<usize>count) << 2);
  bufferPushBytes(out, extent.postings, bytes);
}

function answerSortValue(request: RemoteRequest, out: usize): void {
  const value = changetype<SortValue>(alloc(offsetof<SortValue>()));
  sortValueInto(columnOf(request.view, request.from), request.to, request.flag !== 0, value);
  const answer = changetype<RemoteSortValue>(bufferRoom(out, offsetof<RemoteSortValue>()));
  answer.number = value.number;
  answer.kind = value.kind;
  answer.length = value.length;
  changetype<Buffer>(out).length += offsetof<RemoteSortValue>();
  bufferPushBytes(out, value.text, value.length);
}

function answerValues(request: RemoteRequest, out: usize): void {
  const column = columnOf(request.view, request.from);
  const ordinals = bufferCreate(64);
  const list = changetype<Buffer>(ordinals);
  for (let at: u32 = 0; at < request.payload; at += 4) {
    list.length = 0;
    if (column !== 0) pushValueOrdinals(column, load<u32>(payloadOf(request) + at), ordinals);
    bufferPush32(out, <u32>(list.length >> 2));
    for (let i: usize = 0; i < list.length; i += 4) pushValueKey(column, load<u32>(list.data + i), out);
  }
}

function answerDocument(request: RemoteRequest, out: usize): void {
  const document = readDocument(changetype<SegmentView>(request.view), request.segment, request.from);
  bufferPush32(out, document.length);
  bufferPushBytes(out, document.json, document.length);
}
