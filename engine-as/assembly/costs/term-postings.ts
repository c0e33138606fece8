/** The postings of a term for the documents of a context. */
import { Block, blockCreate } from '../postings/block';
import { bitmapOf, postingsBegin, postingsBlockIn } from '../postings/decode';
import { placesToPositions } from '../postings/places';
import { Reader, readerBegin, readerSeek, readPositions } from '../postings/reader';
import { alloc } from '../runtime/arena';
import { SegmentView } from '../segment/view';
import { bitmapHas } from '../sets/bitmap';
import { ABSENT, Context, contextFirst, contextIndex } from './context';
import { Source } from './sources';

/** Postings of a term of a source that were found: arrays of u32, in the order of documents. */
@unmanaged
export class TermPostings {
  context: Context;
  source: Source;
  /** number in the context of the first document in the segment of the source, and how many there are */
  first: u32;
  documents: u32;
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
  found.context = context;
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

/** Cost model: from this share of the documents of a segment on, as 1/n, counting the bits of a term costs less than seeking. */
const COUNTED_SHARE: u32 = 4096;

/** Cost of reading the postings of a term, in consecutive postings, for a number of documents of its segment. */
export function postingsCostOf(view: SegmentView, term: u32, documents: u32): u64 {
  return min<u64>(<u64>load<u32>(view.termDocFreq + ((<usize>term) << 2)), <u64>documents * SEEK_COST);
}

/** To be called before terms of a source are found. */
export function postingsOf(source: Source, found: TermPostings): void {
  const context: Context = found.context;
  found.source = source;
  found.first = contextFirst(context, source.base);
  found.documents = contextFirst(context, source.base + changetype<SegmentView>(source.view).docCount) - found.first;
}

/** Finds the postings of a term of the current source. */
export function findPostings(term: u32, found: TermPostings): void {
  const view = changetype<SegmentView>(found.source.view);
  const documents = found.documents;
  found.count = 0;
  if (bitmapOf(view, term) !== 0 && documents >= view.docCount / COUNTED_SHARE) countPostings(term, found);
  else if (<u64>documents * SEEK_COST < <u64>load<u32>(view.termDocFreq + ((<usize>term) << 2))) seekPostings(term, found);
  else readPostings(term, found);
}

/** Finds each document in the bitmap of the term, whose members before it are the postings before its own. */
function countPostings(term: u32, found: TermPostings): void {
  const source: Source = found.source;
  const view = changetype<SegmentView>(source.view);
  const bitmap = bitmapOf(view, term);
  const within = source.within;
  const base = source.base;
  const slots = found.context.slots;
  const indices = found.indices;
  const places = found.positions;
  const last = found.first + found.documents;
  let at = bitmap;
  let before: u32 = 0;
  let out: usize = 0;
  for (let index = found.first; index < last; index++) {
    const slot = load<u32>(slots + ((<usize>index) << 2));
    if (within !== 0 && !bitmapHas(within, slot)) continue;
    const local = slot - base;
    const word = bitmap + ((<usize>(local >>> 6)) << 3);
    for (; at < word; at += 8) before += <u32>popcnt<u64>(load<u64>(at));
    const bits = load<u64>(word);
    const bit: u64 = (<u64>1) << (local & 63);
    // Written in any case: a branch would often be predicted wrong.
    store<u32>(indices + out, index);
    store<u32>(places + out, before + <u32>popcnt<u64>(bits & (bit - 1)));
    out += (<usize>((bits >> (local & 63)) & 1)) << 2;
  }
  found.count = <u32>(out >> 2);
  placesToPositions(view, term, places, found.lengths, found.count, found.block);
}

/** Seeks each document. */
function seekPostings(term: u32, found: TermPostings): void {
  const source: Source = found.source;
  const reader: Reader = found.reader;
  readerBegin(reader, changetype<SegmentView>(source.view), term);
  const last = found.first + found.documents;
  for (let index = found.first; index < last; index++) {
    const slot = load<u32>(found.context.slots + ((<usize>index) << 2));
    if (source.within !== 0 && !bitmapHas(source.within, slot)) continue;
    if (!readerSeek(reader, slot - source.base)) continue;
    readPositions(reader);
    add(found, index, reader.positions, reader.positionsLength);
  }
}

/** Reads all blocks with documents of the context. */
function readPostings(term: u32, found: TermPostings): void {
  const context: Context = found.context;
  const source: Source = found.source;
  const block: Block = found.block;
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
