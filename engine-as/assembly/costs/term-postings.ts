/** The postings of a term for the documents of a context. */
import { Block, blockCreate } from '../postings/block';
import { postingsBegin, postingsBlockIn } from '../postings/decode';
import { Reader, readerBegin, readerSeek, readPositions } from '../postings/reader';
import { alloc } from '../runtime/arena';
import { SegmentView } from '../segment/view';
import { bitmapHas } from '../sets/bitmap';
import { ABSENT, Context, contextCount, contextFirst, contextIndex } from './context';
import { Source } from './sources';

/** Postings that were found: arrays of u32, in the order of documents. */
@unmanaged
export class TermPostings {
  count: u32;
  /** number of each document in the context */
  indices: usize;
  /** address of the positions of each, and their bytes */
  positions: usize;
  lengths: usize;
  block: Block;
  reader: Reader;
}

/** Room for the postings of one term after the other: finding them allocates nothing. */
export function termPostingsCreate(context: Context): TermPostings {
  const found = changetype<TermPostings>(alloc(offsetof<TermPostings>()));
  const bytes = ((<usize>context.count) << 2) + 16;
  found.count = 0;
  found.indices = alloc(3 * bytes);
  found.positions = found.indices + bytes;
  found.lengths = found.positions + bytes;
  found.block = blockCreate();
  found.reader = changetype<Reader>(alloc(offsetof<Reader>()));
  return found;
}

/** Cost model: seeking a document in the postings of a term costs as much as reading this many consecutive postings. */
const SEEK_COST: u32 = 32;

/** Cost of reading the postings of a term, in consecutive postings, for a number of documents of its segment. */
export function postingsCostOf(view: SegmentView, term: u32, documents: u32): u64 {
  return min<u64>(<u64>load<u32>(view.termDocFreq + ((<usize>term) << 2)), <u64>documents * SEEK_COST);
}

/** Finds the postings of a term of a source. */
export function findPostings(context: Context, source: Source, term: u32, found: TermPostings): void {
  const view = changetype<SegmentView>(source.view);
  found.count = 0;
  const documents = contextCount(context, source.base, source.base + view.docCount);
  const postings = load<u32>(view.termDocFreq + ((<usize>term) << 2));
  if (<u64>documents * SEEK_COST < <u64>postings) seekPostings(context, source, term, documents, found);
  else readPostings(context, source, term, found);
}

/** Seeks each document. */
function seekPostings(context: Context, source: Source, term: u32, documents: u32, found: TermPostings): void {
  const reader: Reader = found.reader;
  readerBegin(reader, changetype<SegmentView>(source.view), term);
  const first = contextFirst(context, source.base);
  for (let index = first; index < first + documents; index++) {
    const slot = load<u32>(context.slots + ((<usize>index) << 2));
    if (source.within !== 0 && !bitmapHas(source.within, slot)) continue;
    if (!readerSeek(reader, slot - source.base)) continue;
    readPositions(reader);
    add(found, index, reader.positions, reader.positionsLength);
  }
}

/** Reads all blocks with documents of the context. */
function readPostings(context: Context, source: Source, term: u32, found: TermPostings): void {
  const block = found.block;
  let next: u32 = 0;
  postingsBegin(source.view, term);
  for (
    let count = postingsBlockIn(block, context.bitmap, source.base);
    count > 0;
    count = postingsBlockIn(block, context.bitmap, source.base)
  ) {
    for (let k: u32 = 0; k < count; k++) {
      const at = (<usize>load<u8>(block.found + k)) << 2;
      const slot = source.base + load<u32>(block.docs + at);
      if (source.within !== 0 && !bitmapHas(source.within, slot)) continue;
      // Most documents of a bucket have the word, so the posting is usually that of the document after the one before.
      const isNext = next < context.count && load<u32>(context.slots + ((<usize>next) << 2)) === slot;
      const index = isNext ? next : contextIndex(context, slot);
      if (index === ABSENT) continue;
      next = index + 1;
      add(found, index, load<u32>(block.positions + at), load<u32>(block.lengths + at));
    }
  }
}

function add(found: TermPostings, index: u32, positions: usize, length: u32): void {
  const at = (<usize>found.count) << 2;
  store<u32>(found.indices + at, index);
  store<u32>(found.positions + at, <u32>positions);
  store<u32>(found.lengths + at, length);
  found.count++;
}
