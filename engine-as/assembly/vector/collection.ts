/** The vectors of one embedder, collected for a segment under construction. */

@unmanaged
export class Collection {
  embedder: u32;
  dimensions: u32;
  /** VECTORS_BINARY or 0 */
  flags: u32;
  vectorCount: u32;
  /** whether some ordinal is not 0 */
  hasOrdinals: u32;
  /** Pages of vectors: f32 components, or u64 words of bits */
  values: usize;
  /** Buffer of u32: first vector of each document so far */
  starts: usize;
  /** Buffer of u8: ordinals of vectors */
  ordinals: usize;
  /** Buffer of u8: STATE_* of each document so far */
  states: usize;
  /** Buffer of u32: number of each vector in the segment that {@link oldGraph} is from, or NONE */
  origins: usize;
  /** GraphHeader of the graph to start from; 0: none */
  oldGraph: usize;
}
