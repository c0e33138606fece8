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
  /** candidates that have it */
  documents: u32;
  /** in decimal digits, once all segments are merged */
  text: usize;
  length: u32;
}

/** A normalized text. Its texts are addresses, or count from the start of a packed block. */
@unmanaged
export class FacetText {
  /** candidates that have it */
  documents: u32;
  /** lowest internal id of the documents that lend their spelling */
  lender: u32;
  text: usize;
  length: u32;
  /** as that document writes it */
  original: usize;
  originalLength: u32;
  /** of a facet search: the folded form that was compared */
  folded: usize;
  foldedLength: u32;
}

@unmanaged
export class FacetValues {
  /** of all numbers, also those that were cut off; NaN when there are none */
  least: f64;
  greatest: f64;
  /** FacetNumber[] and FacetText[] */
  numbers: usize;
  numberCount: u32;
  texts: usize;
  textCount: u32;
  /** the time was over before all was counted: the counts are of no use */
  isCut: bool;
}

/** What is to be counted in one segment. Bitmaps are over its documents. */
@unmanaged
export class FacetDemand {
  /** when counting has to end, by the clock of the host */
  deadline: f64;
  field: u32;
  candidates: usize;
  /** a superset of the candidates: texts are spelled as in that document among them that has the lowest internal id */
  spelling: usize;
  /** only texts that it looks for, no numbers; null: all values */
  search: FacetSearch | null;
  /** values after the first ones of each kind are left out */
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
