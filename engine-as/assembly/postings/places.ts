/** The positions of some postings of a term, given by their places among its postings. */
import { BLOCK_DOCS, LONG_POSITIONS, PostingsBlock } from '../segment/layout';
import { SegmentView } from '../segment/view';
import { Block, blockDecodePositions } from './block';
import { blocksOf } from './decode';
import { pastPositions } from './reader';

/** Cost model: from this many postings of a block on, decoding the whole block takes less time than finding each of them. */
const WHOLE_BLOCK: usize = 8;

/**
 * Replaces places (u32[count], ascending) by the addresses of the positions, and writes their bytes (u32[count]). `block` is overwritten.
 */
export function placesToPositions(view: SegmentView, term: u32, places: usize, lengths: usize, count: u32, block: Block): void {
  const blocks = blocksOf(view, term);
  const size = (<usize>count) << 2;
  let at: usize = 0;
  while (at < size) {
    const number = load<u32>(places + at) / BLOCK_DOCS;
    const data = blocks + changetype<PostingsBlock>(blocks + <usize>number * offsetof<PostingsBlock>()).dataOffset;
    let end = at + 4;
    while (end < size && load<u32>(places + end) / BLOCK_DOCS === number) end += 4;
    if (end - at >= WHOLE_BLOCK << 2) {
      blockDecodePositions(block, data);
      takeDecoded(block, places, lengths, at, end);
    } else {
      takeEach(data, places, lengths, at, end);
    }
    at = end;
  }
}

function takeDecoded(block: Block, places: usize, lengths: usize, from: usize, to: usize): void {
  for (let at = from; at < to; at += 4) {
    const place = (<usize>(load<u32>(places + at) % BLOCK_DOCS)) << 2;
    store<u32>(places + at, load<u32>(block.positions + place));
    store<u32>(lengths + at, load<u32>(block.lengths + place));
  }
}

function takeEach(data: usize, places: usize, lengths: usize, from: usize, to: usize): void {
  const width: u32 = load<u8>(data);
  const count = <u32>load<u8>(data, 1) + 1;
  const first = data + 2 + <usize>(count * width);
  let passed = first;
  let positions = first + count;
  for (let at = from; at < to; at += 4) {
    const own = first + (load<u32>(places + at) % BLOCK_DOCS);
    positions = pastPositions(passed, own, positions);
    let length: u32 = load<u8>(own);
    if (length === LONG_POSITIONS) {
      length = load<u32>(positions);
      positions += 4;
    }
    store<u32>(places + at, <u32>positions);
    store<u32>(lengths + at, length);
    positions += length;
    passed = own + 1;
  }
}
