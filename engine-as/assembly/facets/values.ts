/** Values of a facet: what is counted in one segment, and what comes of merging several. */
import { allocZeroed } from '../runtime/arena';
import { setDeadline } from '../runtime/deadline';
import { columnOf, SegmentView } from '../segment/view';
import { countNumbers } from './numbers';
import { FacetSearch } from './plan';
import { countTexts } from './texts';

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
  lender: u32;
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
  /** smallest and greatest of all numbers, including those cut off; NaN: none */
  least: f64;
  greatest: f64;
  /** FacetNumber[] and FacetText[] */
  numbers: usize;
  numberCount: u32;
  texts: usize;
  textCount: u32;
  /** whether the deadline passed before counting was complete; then the counts are not valid */
  isCut: bool;
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

/** The values of a field among the candidates of one segment, ascending: numbers, then texts. */
export function facetValuesOf(view: SegmentView, demand: FacetDemand): FacetValues {
  const values = changetype<FacetValues>(allocZeroed(offsetof<FacetValues>()));
  values.least = NaN;
  values.greatest = NaN;
  const column = columnOf(changetype<usize>(view), demand.field);
  if (column === 0) return values;
  setDeadline(demand.deadline);
  if (demand.search === null) countNumbers(values, view, column, demand);
  if (!values.isCut) countTexts(values, view, column, demand);
  return values;
}

export function numberAt(numbers: usize, index: u32): FacetNumber {
  return changetype<FacetNumber>(numbers + <usize>index * offsetof<FacetNumber>());
}

export function textAt(texts: usize, index: u32): FacetText {
  return changetype<FacetText>(texts + <usize>index * offsetof<FacetText>());
}
