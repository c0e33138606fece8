/** The request and the result of counting facets, as host and engine share them. */
import { Segments } from '../plan/segments';

/** Ascending: numbers by value, texts by their bytes. */
export const FACET_BY_VALUE: u32 = 0;
/** By descending number of documents, then by descending value. */
export const FACET_BY_COUNT: u32 = 1;
/** Texts by their folded form, then by their bytes. Numbers by value. */
export const FACET_BY_FOLDED: u32 = 2;
/** Numbers by their text, texts by their bytes. */
export const FACET_BY_TEXT: u32 = 3;

/** A field whose values are counted. */
@unmanaged
export class FacetField {
  /** name as a JSON string */
  name: usize;
  nameLength: u32;
  /** number of the field; NO_FIELD: it has no values */
  field: u32;
  /** bitmap over slots: the documents that are counted */
  candidates: usize;
  /**
   * bitmap over slots: the documents that determine how a text is spelled, the candidates or a superset of them. The spelling is
   * that of the document with the lowest internal id.
   */
  spelling: usize;
  /** FACET_BY_*; {@link FACET_BY_TEXT} is {@link FACET_BY_VALUE} where there are many candidates */
  order: u32;
  /** number of values wanted */
  limit: u32;
}

@unmanaged
export class FacetsPlan {
  /** deadline, on the clock of the host */
  deadline: f64;
  segments: Segments;
  /** bytes of a bitmap over slots */
  bitmapBytes: u32;
  /** FacetField[], in the order of the answer */
  fields: usize;
  fieldCount: u32;
  /** what is searched for among the texts of the only field; null: all values are counted */
  search: FacetSearch | null;
}

/** A facet search. Places are offsets from its own start, so that it can be copied to another memory. */
@unmanaged
export class FacetSearch {
  /** bytes of the structure including the data that places refer to */
  bytes: u32;
  /** place of the folded word in UTF-8; empty: every text matches */
  query: u32;
  length: u32;
  /** place of the same word as u32 code points */
  letters: u32;
  letterCount: u32;
  typos: u32;
  /** whether texts must equal the word */
  whole: bool;
  /** place of the list of locales of the facet; 0: none */
  locales: u32;

  /** The address of a place. */
  address(place: u32): usize {
    return changetype<usize>(this) + place;
  }
}

/** The resulting JSON, in scratch memory. */
@unmanaged
export class WrittenFacets {
  /** object of the counts by value for each field; for a facet search the array of hits */
  distribution: usize;
  distributionLength: u32;
  /** object of the ranges of the fields that have numbers */
  stats: usize;
  statsLength: u32;
  /** whether the deadline passed; fields that were not counted completely have no entries */
  isTimedOut: bool;
}
