/** Derivations: words of the index that match a word of the query, by number of typos. */

@unmanaged
export class Derivations {
  /** runs of the word itself; empty when no live document has it */
  exact: usize;
  /** runs of other words that start with it (prefix terms only) */
  prefixes: usize;
  /** runs of words with one and with two typos */
  one: usize;
  two: usize;
  /** whether the number of prefix derivations is not limited, in which case proximity treats them as one word */
  prefixIndexed: bool;
  /** length in bytes of the left half of the best split into two adjacent words; 0: none */
  split: u32;
  /** bitmap of the documents where the halves are adjacent, in any attribute; 0: not known */
  splitDocuments: usize;
}
