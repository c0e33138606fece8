/** A term of a segment under construction; its text follows the record. */

@unmanaged
export class Term {
  /** in the order of first occurrences */
  number: u32;
  docFreq: u32;
  /** of the last occurrence: document, and attribute << 16 | position */
  lastDoc: u32;
  lastCode: u32;
  /** bytes of all occurrences: see occurrences.ts */
  occurrenceBytes: u32;
  /** bytes of the text */
  length: u32;
  /** TERM_TOLERANT, TERM_EXACT */
  flags: u8;
  /** only numerals and ASCII punctuation */
  numeric: bool;
}

export function termText(term: Term): usize {
  return changetype<usize>(term) + offsetof<Term>();
}
