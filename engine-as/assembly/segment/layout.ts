/**
 * Layout of a segment file (FORMAT.md has the bytes). All numbers are little-endian, every section starts at a multiple of 64.
 *
 *   +--------+---------------+---------+----------+--------------------+-----------+-----------------+
 *   | header | section table | section | section  | … resident part    | DOCUMENTS | VECTOR_VALUES … |
 *   +--------+---------------+---------+----------+--------------------+-----------+-----------------+
 *   0        64                                                         residentLength
 *
 * A server keeps [0, residentLength) in memory, and DOCUMENTS while there is room; otherwise it reads blocks of them from the file, as
 * it does of VECTOR_VALUES. A browser keeps the whole file.
 */

export const SEGMENT_MAGIC: u32 = 0x47534750; // "PGSG"
/**
 * Incremented when an older reader would misread segments. 1: ordinals of columns have 4 bytes, and blocks of documents refer to no sample;
 * 2: no 23, and all documents are in blocks.
 */
export const SEGMENT_VERSION: u32 = 3;
/** Older versions are read, and rebuilt in the background. */
export const OLDEST_SEGMENT_VERSION: u32 = 1;
/**
 * Incremented when segments get new sections. Segments of an older revision give the same answers, only more slowly. 0: section
 * 10 instead of 14, and no 13; 1: no 15 and 16; 2: no 17; 3: no branches in 3, and 14 instead of 18; 4: 13 instead of 19; 5: no 20; 6: no 22;
 * 7: no 26.
 */
export const SECTIONS_REVISION: u32 = 9;
export const NONE: u32 = 0xffffffff;

@unmanaged
export class SegmentHeader {
  magic: u32;
  version: u32;
  docCount: u32;
  termCount: u32;
  sectionCount: u32;
  tokenizerVersion: u32;
  residentLength: u64;
  fileLength: u64;
  /** bytes of the documents before compression */
  rawBytes: u64;
  /** of the header with this field 0, and of the section table */
  checksum: u32;
  /** SECTIONS_REVISION */
  revision: u32;
  reserved1: u64;
}

@unmanaged
export class SectionEntry {
  kind: u32;
  /** field id of a COLUMN, number of the embedder of vectors, else 0 */
  field: u32;
  offset: u64;
  length: u64;
  checksum: u32;
  reserved: u32;
}

/** SECTION_KEYS; offsets are from the start of the section. */
@unmanaged
export class KeysHeader {
  /** u32[docCount]: local numbers in ascending order of their keys' bytes */
  orderOffset: u32;
  /** u32[docCount + 1]: start of each document's key (by local number) in the bytes */
  startsOffset: u32;
  bytesOffset: u32;
  reserved: u32;
}

/** A term occurs on the tolerant side (may be a typo derivation) of at least one document. */
export const TERM_TOLERANT: u8 = 1;
/** A term occurs on the exact side of at least one document. */
export const TERM_EXACT: u8 = 2;
/** The postings start with a bitmap of the documents. */
export const TERM_BITMAP: u8 = 4;

/** SECTION_TERMS: terms in ascending order of their UTF-8 bytes; offsets are from the start of the section. */
@unmanaged
export class TermsHeader {
  termCount: u32;
  /** u32[termCount + 1]: start of each term in the bytes */
  startsOffset: u32;
  bytesOffset: u32;
  /** u8[termCount]: bytes shared with the previous term, at most 255 */
  lcpOffset: u32;
  /** u32[termCount] */
  docFreqOffset: u32;
  /** u8[termCount]: TERM_* */
  flagsOffset: u32;
  /** u32[termCount]: start of the postings in SECTION_POSTINGS, in units of 4 bytes */
  postingsOffset: u32;
  /**
   * u8[termCount]: the first byte in which a term differs from the previous one; then u8[termCount]: the byte after that one, 0 at its end.
   * 0: the section has no such arrays
   */
  branchesOffset: u32;
}

/** SECTION_SAMPLES, see dictionary/samples. */
@unmanaged
export class Samples {
  /** number of samples: terms 0, SAMPLED, 2 * SAMPLED … */
  count: u32;
  /** number of terms whose first code point differs from that of the term before */
  firstCount: u32;
  // followed by u64[count], the keys of the samples, and u32[firstCount], the ordinals of those terms
}

/** Postings of a term: blocks of at most 128 documents. */
export const BLOCK_DOCS: u32 = 128;

/**
 * One entry per block, before the blocks.
 *
 *   [bitmap: bitmapBytes(docCount), only with TERM_BITMAP; the postings then start at a multiple of 16]
 *   [PostingsBlock × ceil(docFreq / 128)] [block data] [block data] …
 *
 *   block data, anywhere (unaligned):
 *     u8 width (1, 2, 4: bytes of a document delta) · u8 count - 1
 *     delta × count      to the document before; the first to the last document of the block before (-1 at the start)
 *     u8 × count         bytes of positions of each posting; 255: the positions start with their length as u32
 *     positions × count
 *
 *   positions of a posting: groups by ascending attribute
 *     u8 head = attribute << 3 | count; attribute 31: varint attribute follows; count 0: varint count follows (after the attribute)
 *     varint × count     first position, then differences
 */
@unmanaged
export class PostingsBlock {
  lastDoc: u32;
  /** of the block data, from the first PostingsBlock of the term */
  dataOffset: u32;
}

/** A length of positions that does not fit a byte: the positions start with it as u32. */
export const LONG_POSITIONS: u32 = 255;
/**
 * SECTION_DOC_WORDS: the words of each document in order, as entries of `width` bits: the number of a term, which takes a position;
 * `firstAttribute + attribute`: the words of the attribute follow, from position 0 on; `firstSkip + n`: n positions without a word. The
 * entries of a document begin at a byte.
 *
 *   DocumentWordsHeader · u32[docCount + 1] first byte of each document · entries · WORDS_SPARE zeros
 */
@unmanaged
export class DocumentWordsHeader {
  width: u32;
  firstAttribute: u32;
  firstSkip: u32;
  reserved: u32;
}

export const WORDS_SPARE: usize = 32;
/** SECTION_DOC_WORDS_24: the same in older segments, in 24 bits each and without the header; the starts count entries. */
export const WORDS_24_WIDTH: u32 = 24;
export const WORDS_24_BYTES: u32 = 3;
export const WORDS_24_ATTRIBUTE: u32 = 0xfe0000;
export const WORDS_24_SKIP: u32 = 0xff0000;

/**
 * SECTION_LONG_RUNS: documents of runs of consecutive terms with many postings: the words that start with a prefix, without that word
 * itself, and single terms. Offsets are from the start of the section, those of runs from the start of the sets.
 */
@unmanaged
export class LongRunsHeader {
  count: u32;
  /** LongRun[count] by ascending `from`, the longer one of two that start at the same term first */
  runsOffset: u32;
  setsOffset: u32;
  reserved: u32;
}

@unmanaged
export class LongRun {
  /** terms [from, to) */
  from: u32;
  to: u32;
  /** flags of all its terms together: TERM_TOLERANT, TERM_EXACT */
  sides: u32;
  attributeCount: u32;
  /** AttributeDocuments[attributeCount] by ascending attribute */
  attributesOffset: u32;
  /** PLACE_BITS bitmaps: bit i of the place of each document. Only whole runs have them, others have NONE */
  placesOffset: u32;
}

/** Documents that contain a term of a run in an attribute. */
@unmanaged
export class AttributeDocuments {
  attribute: u32;
  /** SET_* */
  form: u32;
  offset: u32;
  /** bytes of the set */
  length: u32;
}

/** A bitmap. */
export const SET_BITMAP: u32 = 0;
/** A list: varints, each the difference to the document before, the first to -1. */
export const SET_LIST: u32 = 1;
/** A list of the documents of the run that have no term of it in the attribute. Whole runs have no sets in this form. */
export const SET_REST: u32 = 2;

/**
 * Bits of the cost of the first position of a run in a document: 0 without the run, else 1 + the cost of the position for the
 * first word of a query.
 */
export const PLACE_BITS: u32 = 4;

/**
 * SECTION_FOLLOWERS: for each frequent term the terms that directly follow it in an attribute, and in which documents.
 * SECTION_PREDECESSORS: the same for terms that directly precede it, are not frequent (these have it among their followers), and are in at least
 * `least` documents; and after the last one {@link TERM_ITSELF}, with such terms that directly follow themselves.
 * Offsets are from the start of the section.
 */
@unmanaged
export class AdjacentHeader {
  count: u32;
  /** FrequentTerm[count] by ascending term */
  termsOffset: u32;
  /** number of documents that an adjacent term has at least */
  least: u32;
  reserved: u32;
}

/** In place of a frequent term. */
export const TERM_ITSELF: u32 = 0xffffffff;

@unmanaged
export class FrequentTerm {
  term: u32;
  /** AdjacentTerm[count] by ascending term, and one more, whose offset is the end of the documents of the last one */
  count: u32;
  adjacentOffset: u32;
  /** varints, see AdjacentTerm */
  documentsOffset: u32;
}

@unmanaged
export class AdjacentTerm {
  term: u32;
  /** of its documents, from those of the frequent term on: varints, each the difference to the document before, the first to -1 */
  offset: u32;
}

/** SECTION_SPLITS: the terms that are the text of two terms side by side in an attribute, and in which documents. */
@unmanaged
export class SplitsHeader {
  count: u32;
  /** varints, from the start of the section */
  documentsOffset: u32;
  // followed by Split[count] by ascending term and leftBytes, and one more: NONE, and the end of the documents
}

@unmanaged
export class Split {
  term: u32;
  /** length of the first of the two words */
  leftBytes: u32;
  /** of its documents, as those of an AdjacentTerm */
  offset: u32;
}

/** SECTION_WORD_COLUMNS: words in each attribute of each document, for the exact-attribute rule; 31 means more than 30. */
@unmanaged
export class WordColumns {
  attributeCount: u32;
  /** of the section */
  bytes: u32;
  // followed by u32[attributeCount], where the column of each attribute begins: u8[docCount]; 0: it has none
}

/** SECTION_WORD_COUNTS: the same of attributes without a column. */
@unmanaged
export class WordCountsHeader {
  /** u32[docCount + 1]: start of each document's entries, in entries */
  startsOffset: u32;
  /** u32 entries: attribute << 8 | count, count 31 means more than 30 */
  entriesOffset: u32;
}

/** SECTION_BLOCKS: documents are packed in order into compressed blocks. */
@unmanaged
export class BlocksHeader {
  blockCount: u32;
  /** u32[blockCount + 1]: first document of each block, then docCount */
  firstDocOffset: u32;
  /** u64[blockCount + 1]: start of each compressed block in SECTION_DOCUMENTS, then its length */
  startsOffset: u32;
  /** u32[blockCount]: bytes of a block before compression */
  rawOffset: u32;
  /** largest of these */
  largestRaw: u32;
  reserved: u32;
}

/** Bytes of a bitmap over `docs` documents: whole SIMD lanes. */
export function bitmapBytes(docs: u32): u32 {
  return ((docs + 127) >>> 7) << 4;
}
