/**
 * What a request says of its hits beside their fields, as the host encodes it (bindings/format/hit-writer.ts). The texts are the insides
 * of JSON strings; offsets count from the beginning of the options.
 */
@unmanaged
export class HitOptions {
  /** Hits have `_vectors`. */
  vectors: u32;
  /** Hits have `_matchesPosition`. */
  positions: u32;
  /** What stands before and after a match, and for what a crop leaves out. */
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
