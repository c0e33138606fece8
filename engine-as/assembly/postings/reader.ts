/** Several terms read side by side: a reader of the postings of one term that goes on to the documents it is asked for. */
import { alloc } from '../runtime/arena';
import { LONG_POSITIONS, PostingsBlock } from '../segment/layout';
import { SegmentView } from '../segment/view';
import { bitmapHas } from '../sets/bitmap';
import { bitmapOf, blockCountOf, blocksOf } from './decode';

@unmanaged
export class Reader {
  /** documents of the term; 0: they are not there as a bitmap */
  bitmap: usize;
  /** PostingsBlock: the first one, the next one to be read, and the end of them */
  first: usize;
  next: usize;
  end: usize;
  /** of the block at hand: the deltas and the lengths after those of the posting at hand, and how many there are */
  deltas: usize;
  width: u32;
  lengths: usize;
  left: u32;
  /** postings passed since {@link positions} was read, the one at hand among them */
  passed: u32;
  /** the posting at hand */
  doc: u32;
  /** of the posting at hand after {@link readPositions} */
  positions: usize;
  positionsLength: u32;
}

/** A reader that stands before the first posting of a term. */
export function readerCreate(view: SegmentView, term: u32): Reader {
  const reader = changetype<Reader>(alloc(offsetof<Reader>()));
  reader.bitmap = bitmapOf(view, term);
  reader.first = blocksOf(view, term);
  reader.next = reader.first;
  reader.end = reader.first + <usize>blockCountOf(view, term) * offsetof<PostingsBlock>();
  reader.left = 0;
  reader.doc = 0xffffffff;
  return reader;
}

/** Moves to the next posting; false after the last one. */
export function readerNext(reader: Reader): bool {
  if (reader.left === 0) {
    if (reader.next === reader.end) return false;
    open(reader, reader.next);
  }
  skipTo(reader, 0);
  return true;
}

/** Opens a block: its first posting comes next. */
function open(reader: Reader, block: usize): void {
  const data = reader.first + changetype<PostingsBlock>(block).dataOffset;
  reader.doc = block === reader.first ? 0xffffffff : changetype<PostingsBlock>(block - offsetof<PostingsBlock>()).lastDoc;
  reader.next = block + offsetof<PostingsBlock>();
  reader.width = load<u8>(data);
  reader.left = <u32>load<u8>(data, 1) + 1;
  reader.deltas = data + 2;
  reader.lengths = reader.deltas + <usize>(reader.left * reader.width);
  reader.positions = reader.lengths + reader.left;
  reader.positionsLength = 0;
  reader.passed = 0;
}

/** Moves to the first of the postings left in a block that is of a document or after it: there is one. */
function skipTo(reader: Reader, doc: u32): void {
  const width = reader.width;
  let deltas = reader.deltas;
  let member = reader.doc;
  if (width === 1) {
    do member += load<u8>(deltas++);
    while (member < doc);
  } else {
    do {
      member += width === 2 ? <u32>load<u16>(deltas) : load<u32>(deltas);
      deltas += width;
    } while (member < doc);
  }
  const passed = <u32>(deltas - reader.deltas) / width;
  reader.deltas = deltas;
  reader.left -= passed;
  reader.passed += passed;
  reader.doc = member;
}

/** Finds the positions of the posting at hand: most postings are passed without a need of theirs. */
export function readPositions(reader: Reader): void {
  let lengths = reader.lengths;
  let at = reader.positions;
  let length = reader.positionsLength;
  for (let k: u32 = 0; k < reader.passed; k++) {
    at += length;
    length = load<u8>(lengths++);
    if (length !== LONG_POSITIONS) continue;
    length = load<u32>(at);
    at += 4;
  }
  reader.lengths = lengths;
  reader.passed = 0;
  reader.positions = at;
  reader.positionsLength = length;
}

/** Moves on to the posting of a document, which comes after those asked for before; false: the term does not stand in it. */
export function readerSeek(reader: Reader, doc: u32): bool {
  if (reader.bitmap !== 0 && !bitmapHas(reader.bitmap, doc)) return false;
  // no posting is at hand before the first one
  if (reader.next !== reader.first && reader.doc >= doc) return reader.doc === doc;
  if (reader.left === 0 || changetype<PostingsBlock>(reader.next - offsetof<PostingsBlock>()).lastDoc < doc) {
    const block = blockWith(reader, doc);
    if (block === reader.end) return false;
    open(reader, block);
  }
  skipTo(reader, doc);
  return reader.doc === doc;
}

/** The first block from the next one on that ends with a document or after it: near ones are looked at first. */
function blockWith(reader: Reader, doc: u32): usize {
  let low: u32 = 0;
  let high = <u32>((reader.end - reader.next) / offsetof<PostingsBlock>());
  let step: u32 = 1;
  while (low + step <= high && lastDocAt(reader, low + step - 1) < doc) {
    low += step;
    step <<= 1;
  }
  high = min<u32>(high, low + step - 1);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (lastDocAt(reader, middle) < doc) low = middle + 1;
    else high = middle;
  }
  return reader.next + <usize>low * offsetof<PostingsBlock>();
}

function lastDocAt(reader: Reader, index: u32): u32 {
  return changetype<PostingsBlock>(reader.next + <usize>index * offsetof<PostingsBlock>()).lastDoc;
}
