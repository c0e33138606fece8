import { type SegmentView, StoredDocument } from './exports.js';
import type { SegmentAccess } from './instance.js';

/** An open segment with access to its documents. */
export interface ReadableSegment extends SegmentAccess {
  /** From the instance over the segment's memory. */
  readonly view: SegmentView;
}

/**
 * The stored JSON of a document by its local number: bytes in the memory of the segment's instance, valid until the next document
 * is read there. May allocate scratch memory.
 * @throws {ApiError} io_error when the document is damaged
 */
export function viewDocument(segment: ReadableSegment, local: number): Uint8Array {
  const { instance, view, id } = segment;
  if (!instance.segments.includes(segment)) instance.segments = [segment];
  const { json, length } = instance.read(StoredDocument, instance.exports.readDocument(view, id, local));
  return instance.bytes.subarray(json, json + length);
}

/** A copy of the stored JSON of a document. */
export function copyDocument(segment: ReadableSegment, local: number): Uint8Array {
  return segment.instance.scoped(() => viewDocument(segment, local).slice());
}
