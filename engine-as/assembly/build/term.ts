/** A term of a segment under construction, with its occurrences: see the drawing in words.ts. */

@unmanaged
export class Term {
  hash: u32;
  /** bytes of the text, which follows this record */
  length: u32;
  docFreq: u32;
  lastDoc: u32;
  /** attribute << 16 | position of the last occurrence */
  lastCode: u32;
  /** where the next byte goes */
  write: usize;
  chunkEnd: usize;
  /** first chunk: u32 address of the next one or 0, then bytes */
  firstChunk: usize;
  chunkBytes: u32;
  /** TERM_TOLERANT, TERM_EXACT */
  flags: u8;
  /** only numerals and ASCII punctuation */
  numeric: bool;
  /** its number, once all terms are known */
  index: u32;
}
