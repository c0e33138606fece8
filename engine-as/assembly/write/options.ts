/**
 * The options of a request for its hits, apart from fields, as encoded by the host (bindings/format/hit-writer.ts). Texts are
 * escaped for the inside of JSON strings; offsets are from the start of the options.
 */
@unmanaged
export class HitOptions {
  /** Hits have `_vectors`. */
  vectors: u32;
  /** Hits have `_matchesPosition`. */
  positions: u32;
  /** Texts before and after a match, and in place of what a crop leaves out. */
  preTag: u32;
  preTagLength: u32;
  postTag: u32;
  postTagLength: u32;
  marker: u32;
  markerLength: u32;

  @inline
  address(offset: u32): usize {
    return changetype<usize>(this) + offset;
  }
}
