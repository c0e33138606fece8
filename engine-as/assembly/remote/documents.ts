/** Documents of an index: of a slot, and those that are not deleted. */

import { cacheAdd, cacheAdmits, cacheAlloc, cacheFindCommon } from '../cache/cache';
import { CACHED_LIVE } from '../cache/result-kinds';
import { Segments } from '../plan/segments';
import { alloc, allocZeroed } from '../runtime/arena';
import { bufferPush32 } from '../runtime/buffer';
import { keyCreate } from '../runtime/key-table';
import { bitmapBytes } from '../segment/layout';
import { SegmentView } from '../segment/view';
import { bitmapAndNot, bitmapCopy, bitmapFill } from '../sets/bitmap';
import { readDocument, StoredDocument } from '../store/documents';
import { REQUEST_DELETED, REQUEST_DOCUMENT, requestFor, sendRequest } from './request';

/** The document in a slot; valid until the next one is read. */
export function documentIn(segments: Segments, slot: u32): StoredDocument {
  const number = segments.numberOf(slot);
  const segment = segments.at(number);
  const local = slot - segment.base;
  if (segment.isHere) return readDocument(changetype<SegmentView>(segment.view), segment.id, local);
  const request = requestFor(segment, REQUEST_DOCUMENT, 0);
  request.from = local;
  const answer = sendRequest(number, request);
  const document = changetype<StoredDocument>(alloc(offsetof<StoredDocument>()));
  document.length = load<u32>(answer);
  document.json = answer + 4;
  return document;
}

/** A bitmap of the live documents, of `bytes` bytes over all slots. */
export function liveDocuments(segments: Segments, bytes: u32): usize {
  const live = allocZeroed(max<usize>(bytes, 16));
  for (let number: u32 = 0; number < segments.count; number++) {
    const segment = segments.at(number);
    const isElsewhere = segment.tombstones !== 0 && !segment.isHere;
    const deleted = isElsewhere ? sendRequest(number, requestFor(segment, REQUEST_DELETED, 0)) : segment.tombstones;
    addLive(live + (segment.base >>> 3), segment.docCount, deleted);
  }
  return live;
}

/**
 * A bitmap of all documents, where none are deleted. It is cached, as it depends on the sizes of the segments alone. Not to be written to.
 */
export function allDocuments(segments: Segments, bytes: u32): usize {
  const key = keyCreate(CACHED_LIVE);
  for (let number: u32 = 0; number < segments.count; number++) bufferPush32(key, segments.at(number).docCount);
  const known = cacheFindCommon(key);
  if (known !== 0) return known;
  const all = liveDocuments(segments, bytes);
  const kept = cacheAdmits(key, bytes) ? cacheAlloc(bytes) : 0;
  if (kept === 0) return all;
  bitmapCopy(kept, all, bytes);
  return cacheAdd(key, kept) !== 0 ? kept : all;
}

/** Adds the documents of a segment that are not in the bitmap `deleted` (0: none) to an empty bitmap. */
export function addLive(bitmap: usize, docCount: u32, deleted: usize): void {
  bitmapFill(bitmap, docCount);
  if (deleted !== 0) bitmapAndNot(bitmap, deleted, bitmapBytes(docCount));
}
