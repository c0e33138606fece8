/** The documents with vectors of each ordinal: see filter/vector-ordinals. */

/** The documents with a vector of one ordinal. */
@unmanaged
export class OrdinalDocuments {
  ordinal: u32;
  /** bitmap over slots */
  documents: usize;
}

/** Lists to be searched one by one. */
@unmanaged
export class OrdinalLists {
  /** OrdinalDocuments[], by ascending ordinal */
  list: usize;
  count: u32;

  at(index: u32): OrdinalDocuments {
    return changetype<OrdinalDocuments>(this.list + <usize>index * offsetof<OrdinalDocuments>());
  }
}
