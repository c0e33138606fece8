/**
 * Ranking reads all segments in one memory. Data of segments in other memories (postings of a run of terms, word counts) is
 * copied: see remote/request.
 */
import { alloc } from '../runtime/arena';
import { bufferPush32, bufferPushBytes } from '../runtime/buffer';
import { SectionEntry, SegmentHeader, WordColumns } from '../segment/layout';
import { SECTION_POSTINGS } from '../segment/section-kinds';
import { SegmentView } from '../segment/view';

/** The arrays of the terms [from, to). */
@unmanaged
export class TermsExtent {
  flags: usize;
  docFreqs: usize;
  starts: usize;
  postings: usize;
  postingsEnd: usize;
}

/** End of the postings section of a segment. */
function postingsLimit(view: SegmentView): usize {
  const header = changetype<SegmentHeader>(view.base);
  for (let i: u32 = 0; i < header.sectionCount; i++) {
    const entry = changetype<SectionEntry>(view.base + offsetof<SegmentHeader>() + <usize>i * offsetof<SectionEntry>());
    if (entry.kind === SECTION_POSTINGS) return view.base + <usize>(entry.offset + entry.length);
  }
  return view.postings;
}

function postingsOf(view: SegmentView, term: u32): usize {
  return view.postings + ((<usize>load<u32>(view.termPostings + ((<usize>term) << 2))) << 2);
}

export function termsExtent(viewPointer: usize, from: u32, to: u32): usize {
  const view = changetype<SegmentView>(viewPointer);
  const extent = changetype<TermsExtent>(alloc(offsetof<TermsExtent>()));
  extent.flags = view.termFlags + from;
  extent.docFreqs = view.termDocFreq + ((<usize>from) << 2);
  extent.starts = view.termPostings + ((<usize>from) << 2);
  extent.postings = postingsOf(view, from);
  extent.postingsEnd = to < view.termCount ? postingsOf(view, to) : postingsLimit(view);
  return changetype<usize>(extent);
}

/** A view that numbers copied terms from 0. Addresses are those of the copies; `postings` is where the first term's begin. */
export function viewOfTerms(docCount: u32, termCount: u32, flags: usize, docFreqs: usize, starts: usize, postings: usize): usize {
  const view = changetype<SegmentView>(alloc(offsetof<SegmentView>()));
  memory.fill(changetype<usize>(view), 0, offsetof<SegmentView>());
  view.docCount = docCount;
  view.termCount = termCount;
  view.termFlags = flags;
  view.termDocFreq = docFreqs;
  view.termPostings = starts;
  view.postings = postings - ((<usize>load<u32>(starts)) << 2);
  return changetype<usize>(view);
}

/** Appends the word counts of a segment to a Buffer: bytes of their columns and of the starts of their entries, then these, then entries. */
export function pushWordCounts(view: SegmentView, out: usize): void {
  const columns: u32 = view.wordColumns === 0 ? 0 : changetype<WordColumns>(view.wordColumns).bytes;
  const starts: u32 = view.wordCountStarts === 0 ? 0 : (view.docCount + 1) << 2;
  bufferPush32(out, columns);
  bufferPush32(out, starts);
  bufferPushBytes(out, view.wordColumns, columns);
  bufferPushBytes(out, view.wordCountStarts, starts);
  if (starts > 0) bufferPushBytes(out, view.wordCountEntries, (<usize>load<u32>(view.wordCountStarts + starts - 4)) << 2);
}

/** A view that has only word counts, as {@link pushWordCounts} wrote them. */
export function viewOfWordCounts(pushed: usize): usize {
  const view = changetype<SegmentView>(alloc(offsetof<SegmentView>()));
  const columns = load<u32>(pushed);
  const starts = load<u32>(pushed, 4);
  view.wordColumns = columns === 0 ? 0 : pushed + 8;
  view.wordCountStarts = starts === 0 ? 0 : pushed + 8 + columns;
  view.wordCountEntries = pushed + 8 + columns + starts;
  return changetype<usize>(view);
}
