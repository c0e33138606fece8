/** The values of a facet with their counts: of one segment, or merged from several. */
import { FacetSearch } from './plan';

@unmanaged
export class FacetNumber {
  value: f64;
  /** number of candidates that have it */
  documents: u32;
  /** decimal text, set when segments are merged */
  text: usize;
  length: u32;
}

/** A normalized text. Texts are addresses, or offsets from the start of a packed block. */
@unmanaged
export class FacetText {
  /** number of candidates that have it */
  documents: u32;
  /** lowest internal id of the documents that determine its spelling */
  spelledIn: u32;
  text: usize;
  length: u32;
  /** the text as that document has it */
  original: usize;
  originalLength: u32;
  /** for a facet search: the folded form that was compared */
  folded: usize;
  foldedLength: u32;
}

@unmanaged
export class FacetValues {
  /** smallest and greatest of all numbers, including those beyond the limit; NaN: none */
  least: f64;
  greatest: f64;
  /** FacetNumber[] and FacetText[] */
  numbers: usize;
  numberCount: u32;
  texts: usize;
  textCount: u32;
  /** whether the deadline passed before counting was complete; then the counts are not valid */
  isTimedOut: bool;
}

/** What to count in one segment. Bitmaps are over its documents. */
@unmanaged
export class FacetDemand {
  /** deadline, on the clock of the host */
  deadline: f64;
  field: u32;
  candidates: usize;
  /** superset of the candidates: a text is spelled as in the one of these documents with the lowest internal id */
  spelling: usize;
  /** only texts that match it, no numbers; null: all values */
  search: FacetSearch | null;
  /** greatest number of values of each kind */
  numberLimit: u32;
  textLimit: u32;
}

export function numberAt(numbers: usize, index: u32): FacetNumber {
  return changetype<FacetNumber>(numbers + <usize>index * offsetof<FacetNumber>());
}

export function textAt(texts: usize, index: u32): FacetText {
  return changetype<FacetText>(texts + <usize>index * offsetof<FacetText>());
}
