/**
 * A filter as encoded by the host: its nodes in prefix order, each followed by its children, and the operands of all of them.
 *
 *   a = x AND NOT b > 3      AND 2 · EQUALS a, operand 0 · NOT 1 · ABOVE b, operand 1
 */

/** Conjunction, disjunction and negation of the children. */
export const FILTER_AND: u32 = 0;
export const FILTER_OR: u32 = 1;
export const FILTER_NOT: u32 = 2;
/** Selects no document. */
export const FILTER_NOTHING: u32 = 3;
/** The field exists, is null, is empty. */
export const FILTER_EXISTS: u32 = 4;
export const FILTER_NULL: u32 = 5;
export const FILTER_EMPTY: u32 = 6;
/** A value of the field equals one of the operands. */
export const FILTER_EQUALS: u32 = 7;
/** … is greater or less than the operand, or equal. */
export const FILTER_ABOVE: u32 = 8;
export const FILTER_ABOVE_OR_EQUAL: u32 = 9;
export const FILTER_BELOW: u32 = 10;
export const FILTER_BELOW_OR_EQUAL: u32 = 11;
/** … is between two operands, inclusive. */
export const FILTER_BETWEEN: u32 = 12;
/** … is a text that begins with the operand, or contains it. */
export const FILTER_STARTS_WITH: u32 = 13;
export const FILTER_CONTAINS: u32 = 14;
/** The location is within a distance of a point; numbers: latitude, longitude, metres. */
export const FILTER_RADIUS: u32 = 15;
/** The location is in a box; numbers: north, east, south, west. */
export const FILTER_BOX: u32 = 16;
/** The shape shares a point with an area: numbers as above, after the metres the corners of a polygon in place of the circle. */
export const FILTER_SHAPE_IN_RADIUS: u32 = 17;
export const FILTER_SHAPE_IN_BOX: u32 = 18;
/** … with a polygon; numbers: latitude and longitude of each corner. */
export const FILTER_SHAPE_IN_POLYGON: u32 = 19;
/**
 * An embedder has vectors of the document; they are given by the user; they are regenerated when the document changes; one of
 * them has an ordinal.
 */
export const FILTER_EMBEDDED: u32 = 20;
export const FILTER_USER_PROVIDED: u32 = 21;
export const FILTER_REGENERATED: u32 = 22;
export const FILTER_ORDINAL: u32 = 23;

@unmanaged
export class FilterNode {
  /** FILTER_* */
  kind: u32;
  /** of FILTER_RADIUS and FILTER_BOX: that of the latitudes; of FILTER_SHAPE_*: `_geojson`; of FILTER_EMBEDDED and those after it: the number of the embedder */
  field: u32;
  /** first operand; of FILTER_ORDINAL: the ordinal */
  first: u32;
  /** number of operands or children */
  count: u32;
}

/** A value in the two types that columns have. */
@unmanaged
export class FilterOperand {
  /** NaN when the text is not a number */
  number: f64;
  /** UTF-8 as written: an offset in the plan */
  text: usize;
  length: u32;
  reserved: u32;
}

/** A filter. Places are offsets from its own start, so that it can be copied to another memory. */
@unmanaged
export class FilterPlan {
  /** deadline on the host's clock */
  deadline: f64;
  /** bytes of the structure including the data that places refer to */
  bytes: u32;
  /** FilterNode[] */
  nodes: u32;
  /** FilterOperand[] */
  operands: u32;
  operandCount: u32;
  /**
   * set by the evaluation: whether the deadline passed. Then documents may be missing, but all that are present satisfy the
   * filter.
   */
  isTimedOut: bool;

  /** The address of a place. */
  address(place: usize): usize {
    return changetype<usize>(this) + place;
  }
}
