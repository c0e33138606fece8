/** Reading the terms of a document (segment/layout.ts has the drawing). */
import { DocumentTerm, LENGTH_BITS, LONG_POSITIONS } from '../segment/layout';
import { SegmentView } from '../segment/view';

const LENGTH_MASK: u32 = (1 << LENGTH_BITS) - 1;

/** Has the segment the terms of its documents? */
export function hasDocumentTerms(view: SegmentView): bool {
  return view.docTerms !== 0;
}

/** End of the entries of a document. */
export function documentTermsEnd(view: SegmentView, local: u32): usize {
  return view.docTerms + <usize>load<u32>(view.docTermStarts + ((<usize>local) << 2), 4) * offsetof<DocumentTerm>();
}

/** First entry of a document whose term is not below `term`; {@link documentTermsEnd} when there is none. */
export function documentTermsFrom(view: SegmentView, local: u32, term: u32): usize {
  const starts = view.docTermStarts + ((<usize>local) << 2);
  let first = load<u32>(starts);
  let count = load<u32>(starts, 4) - first;
  const wanted = term << LENGTH_BITS;
  while (count > 0) {
    const half = count >>> 1;
    const below = load<u32>(view.docTerms + <usize>(first + half) * offsetof<DocumentTerm>()) < wanted;
    first = select<u32>(first + half + 1, first, below);
    count = select<u32>(count - half - 1, half, below);
  }
  return view.docTerms + <usize>first * offsetof<DocumentTerm>();
}

export function documentTermAt(entry: usize): u32 {
  return changetype<DocumentTerm>(entry).term >>> LENGTH_BITS;
}

/** Address of the position groups of an entry. */
export function documentTermPositions(view: SegmentView, entry: usize): usize {
  const item = changetype<DocumentTerm>(entry);
  const at = view.postings + <usize>item.positions;
  return (item.term & LENGTH_MASK) === LONG_POSITIONS ? at + 4 : at;
}

/** Bytes of the position groups of an entry. */
export function documentTermLength(view: SegmentView, entry: usize): u32 {
  const item = changetype<DocumentTerm>(entry);
  const length = item.term & LENGTH_MASK;
  return length === LONG_POSITIONS ? load<u32>(view.postings + <usize>item.positions) : length;
}
