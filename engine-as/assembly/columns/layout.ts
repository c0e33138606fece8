/** Layout of the sections of columns in a segment (FORMAT.md has the bytes). */

/** Every document has at most one number / one string: the arrays by document hold its ordinal, see columns/ordinals. */
export const COLUMN_SINGLE_NUMBER: u32 = 1;
export const COLUMN_SINGLE_STRING: u32 = 2;
/** Place in the flags of the bytes of an ordinal in these arrays; 0 bytes: 4, as in segments of version 1. */
export const COLUMN_NUMBER_WIDTH: u32 = 8;
export const COLUMN_STRING_WIDTH: u32 = 12;
export const COLUMN_WIDTH_MASK: u32 = 7;

/** SECTION_COLUMN: values of one field for filters, facets, sorting, distinct; offsets are from the start of the section. */
@unmanaged
export class ColumnHeader {
  field: u32;
  flags: u32;
  numberCount: u32;
  stringCount: u32;
  normalizedCount: u32;
  /** bitmaps of bitmapBytes(docCount) bytes */
  existsOffset: u32;
  nullOffset: u32;
  emptyOffset: u32;
  /** f64[numberCount], ascending, distinct */
  numbersOffset: u32;
  /** ordinals by document (single) or u32[docCount + 1] starts */
  numberDocsOffset: u32;
  /** u32[]: ordinals, ascending and distinct within a document; only when not single */
  numberValuesOffset: u32;
  /** u32[stringCount + 1]: start of each original text; texts ascend by (normalized, original) bytes */
  stringsOffset: u32;
  stringBytesOffset: u32;
  /** u32[stringCount]: ordinal of the normalized text */
  normalizedOfOffset: u32;
  /** u32[normalizedCount + 1]: start of each normalized text, ascending */
  normalizedOffset: u32;
  normalizedBytesOffset: u32;
  /** ordinals of originals by document (single) or u32[docCount + 1] starts */
  stringDocsOffset: u32;
  /** u32[]: ordinals of originals in the order of the document; only when not single */
  stringValuesOffset: u32;
}

/**
 * SECTION_VALUE_DOCUMENTS: the documents of each value of a column, one section per field; offsets are from the start of the section.
 *
 *   ValueDocumentsHeader · ValueLists of the numbers · ValueLists of the normalized texts · arrays
 */
@unmanaged
export class ValueDocumentsHeader {
  /** bytes of a document in the lists */
  width: u32;
  reserved: u32;
}

@unmanaged
export class ValueLists {
  /** values, as many as the column has of this kind */
  valueCount: u32;
  /** documents in all lists */
  entryCount: u32;
  /**
   * u32[valueCount + 1]: position of the first document of each value; 0: left out, because values have few documents on average
   * and each document has one value, by which a search finds them
   */
  startsOffset: u32;
  /** documents of each value, ascending, one value after the other */
  documentsOffset: u32;
  frequentCount: u32;
  /** FrequentValue[frequentCount] by ascending ordinal: values whose list is empty, as a bitmap is shorter */
  frequentOffset: u32;
}

/** A value with a bitmap of its documents. */
@unmanaged
export class FrequentValue {
  ordinal: u32;
  /** documents */
  count: u32;
  /** of the bitmap: a multiple of 16 */
  bitmapOffset: u32;
}

/** Bytes needed for any document number of a segment. */
export function documentWidth(docCount: u32): u32 {
  return docCount <= 1 << 16 ? 2 : docCount <= 1 << 24 ? 3 : 4;
}

/** Average number of documents per value from which the positions of their lists are stored. */
export const STARTS_DOCUMENTS: u32 = 4;

/** Bytes after the lists, which are read in whole words. */
export const LIST_SPARE: usize = 4;
