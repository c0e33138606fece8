import { SECTIONS_REVISION, SEGMENT_VERSION, type SegmentHeaderFields, SegmentView, TOKENIZER_VERSION } from './exports.js';
import type { EngineInstance } from './instance.js';

/** The arrays of an open segment: see SegmentView of the engine. */

/** A segment opened by an instance. */
interface OpenedSegment {
  instance: EngineInstance;
  view: SegmentView;
}

const WORD = Uint32Array.BYTES_PER_ELEMENT;

/** Address of an array. */
function arrayOf({ instance, view }: OpenedSegment, array: keyof typeof SegmentView.offset): number {
  return instance.words[(view + SegmentView.offset[array]) / WORD] as number;
}

/** Internal ids by local number, ascending: a view that the next allocation may invalidate. */
export function internalIds(segment: OpenedSegment): Uint32Array {
  const count = arrayOf(segment, 'docCount');
  return segment.instance.u32(arrayOf(segment, 'docIds'), count);
}

/** The internal id of a document by its local number. */
export function internalIdOf(segment: OpenedSegment, local: number): number {
  return segment.instance.words[arrayOf(segment, 'docIds') / WORD + local] as number;
}

/** A copy of the key of a document by its local number. */
export function keyOf(segment: OpenedSegment, local: number): Uint8Array {
  const { instance } = segment;
  const { bytes, words } = instance;
  const starts = arrayOf(segment, 'keyStarts') / WORD + local;
  const keys = arrayOf(segment, 'keyBytes');
  return bytes.slice(keys + (words[starts] as number), keys + (words[starts + 1] as number));
}

/** Whether a segment was built by a version of the engine with another format or tokenizer, or with fewer sections. */
export function isOutdated({ version, tokenizerVersion, revision }: SegmentHeaderFields): boolean {
  return version < SEGMENT_VERSION || tokenizerVersion !== TOKENIZER_VERSION || revision < SECTIONS_REVISION;
}
