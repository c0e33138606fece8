/**
 * A filter as the host hands it over: its nodes in prefix order, each followed by its children, and the operands of all of them.
 *
 *   a = x AND NOT b > 3      AND 2 · EQUALS a, operand 0 · NOT 1 · ABOVE b, operand 1
 */
import { SegmentView } from '../segment/view';

/** Of the children: all, any, not the only one. */
export const FILTER_AND: u32 = 0;
export const FILTER_OR: u32 = 1;
export const FILTER_NOT: u32 = 2;
/** No document. */
export const FILTER_NOTHING: u32 = 3;
/** The documents of a bitmap that the host gives: see {@link FilterSegment}. */
export const FILTER_GIVEN: u32 = 4;
/** The field exists, is null, is empty. */
export const FILTER_EXISTS: u32 = 5;
export const FILTER_NULL: u32 = 6;
export const FILTER_EMPTY: u32 = 7;
/** The field has a value that equals any of the operands. */
export const FILTER_EQUALS: u32 = 8;
/** … that is greater or less than the operand, or equal. */
export const FILTER_ABOVE: u32 = 9;
export const FILTER_ABOVE_OR_EQUAL: u32 = 10;
export const FILTER_BELOW: u32 = 11;
export const FILTER_BELOW_OR_EQUAL: u32 = 12;
/** … between two operands, or equal to one of them. */
export const FILTER_BETWEEN: u32 = 13;
/** … a text that begins with the operand, or contains it. */
export const FILTER_STARTS_WITH: u32 = 14;
export const FILTER_CONTAINS: u32 = 15;
/** The point lies at most so far from another one; numbers: latitude, longitude, metres. */
export const FILTER_RADIUS: u32 = 16;
/** The point lies in a box; numbers: north, east, south, west. */
export const FILTER_BOX: u32 = 17;

@unmanaged
export class FilterNode {
  /** FILTER_* */
  kind: u32;
  /** of FILTER_RADIUS and FILTER_BOX: that of the latitudes */
  field: u32;
  /** first operand; of FILTER_GIVEN: which of the given bitmaps */
  first: u32;
  /** operands, or children; of FILTER_GIVEN: 0 when the bitmap lacks documents that there was no time for */
  count: u32;
}

/** A value as the two kinds that columns hold. */
@unmanaged
export class FilterOperand {
  /** NaN when the text is no number */
  number: f64;
  /** UTF-8 as it was written */
  text: usize;
  length: u32;
  reserved: u32;
}

@unmanaged
export class FilterPlan {
  /** when the evaluation has to end, by the clock of the host */
  deadline: f64;
  /** FilterNode[] */
  nodes: usize;
  /** FilterOperand[] */
  operands: usize;
  operandCount: u32;
  /** set by the evaluation: the time was over, and documents may be missing that the filter selects; none is there that it does not */
  isCut: bool;
}

/** A segment to be filtered; bitmaps are over its documents. */
@unmanaged
export class FilterSegment {
  view: SegmentView;
  /** bitmap of the deleted documents, 0: none */
  deleted: usize;
  /** u32[]: addresses of the given bitmaps */
  given: usize;
  /** bitmap, empty at first: takes the documents that are selected and not deleted */
  out: usize;
}
