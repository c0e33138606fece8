/** What is to be counted, and what comes of it, as the host writes and reads it. */
import { Segments } from '../plan/segments';

/** Ascending: numbers by value, texts by their bytes. */
export const FACET_BY_VALUE: u32 = 0;
/** Most documents first, among equals the greatest value. */
export const FACET_BY_COUNT: u32 = 1;
/** Texts by their folded form, then by their bytes. */
export const FACET_BY_FOLDED: u32 = 2;
/** Numbers by their text, texts by their bytes. */
export const FACET_BY_TEXT: u32 = 3;

/** A field of which values are counted. */
@unmanaged
export class FacetField {
  /** a JSON string */
  name: usize;
  nameLength: u32;
  /** NO_FIELD: it has no values */
  field: u32;
  /** bitmap over slots: the documents that are counted */
  candidates: usize;
  /**
   * the same of those that lend their spelling, the candidates or a superset of them: a text is spelled as in that document among them
   * that has the lowest internal id
   */
  spelling: usize;
  /** FACET_BY_*; {@link FACET_BY_TEXT} is {@link FACET_BY_VALUE} where there are many candidates */
  order: u32;
  /** entries that are wanted */
  limit: u32;
}

@unmanaged
export class FacetsPlan {
  /** when counting has to end, by the clock of the host */
  deadline: f64;
  segments: Segments;
  /** of a bitmap over slots */
  bitmapBytes: u32;
  /** FacetField[], in the order of the answer */
  fields: usize;
  fieldCount: u32;
}

/** Texts that are looked for. Its places count from its own start: it may be copied to another memory as it stands. */
@unmanaged
export class FacetSearch {
  /** of all of it, with what its places name */
  bytes: u32;
  /** the folded word in UTF-8; empty: every text */
  query: u32;
  length: u32;
  /** the same as code points, u32 each */
  letters: u32;
  letterCount: u32;
  typos: u32;
  /** texts must equal the word */
  whole: bool;
  /** locale list of the facet, or 0 */
  locales: u32;

  /** What stands at a place. */
  address(place: u32): usize {
    return changetype<usize>(this) + place;
  }
}

/** JSON in scratch. */
@unmanaged
export class WrittenFacets {
  /** an object of the counts by value of each field; of a search the array of its hits */
  distribution: usize;
  distributionLength: u32;
  /** an object of the ranges of those fields that have numbers */
  stats: usize;
  statsLength: u32;
  /** the time was over before all was counted: a field of which not all was counted has no entries */
  isCut: bool;
}
