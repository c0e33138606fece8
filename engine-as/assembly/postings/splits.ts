/** Reading which terms are also two neighbouring words, and where. A drawing is in segment/layout.ts. */
import { Split, SplitsHeader } from '../segment/layout';
import { SegmentView } from '../segment/view';
import { documentsInto } from './document-lists';

/** The first split of a term, or of a greater one if it has none; the segment must store splits. */
export function firstSplit(view: SegmentView, term: u32): Split {
  const header = changetype<SplitsHeader>(view.splits);
  const splits = view.splits + offsetof<SplitsHeader>();
  let low: u32 = 0;
  let high = header.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (changetype<Split>(splits + <usize>middle * offsetof<Split>()).term < term) low = middle + 1;
    else high = middle;
  }
  return changetype<Split>(splits + <usize>low * offsetof<Split>());
}

export function nextSplit(split: Split): Split {
  return changetype<Split>(changetype<usize>(split) + offsetof<Split>());
}

/** Upper bound of the number of documents of a split: the bytes of their list. */
export function mostOfSplit(split: Split): u32 {
  return nextSplit(split).offset - split.offset;
}

/** Counts the documents of a split and adds them to a bitmap, as {@link documentsInto} does. */
export function splitInto(view: SegmentView, split: Split, base: u32, within: usize, out: usize, limit: u32): u32 {
  const documents = view.splits + changetype<SplitsHeader>(view.splits).documentsOffset;
  return documentsInto(documents + split.offset, documents + nextSplit(split).offset, base, within, out, limit);
}
