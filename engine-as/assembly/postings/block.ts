/** Decoding a whole block of postings. A drawing is in segment/layout.ts. */
import { alloc } from '../runtime/arena';
import { BLOCK_DOCS, LONG_POSITIONS } from '../segment/layout';

/** A block of postings: arrays by place in the block. */
@unmanaged
export class Block {
  count: u32;
  /** u32[count] local numbers, ascending */
  docs: usize;
  /** u32[count] address of the positions of each, and their bytes */
  positions: usize;
  lengths: usize;
  /** u8[] places of the postings that {@link blockDecodeIn} found */
  found: usize;
}

/** Bytes that are decoded at once. */
const LANES: u32 = 16;
const ARRAY_BYTES: usize = (<usize>BLOCK_DOCS) << 2;

export function blockCreate(): Block {
  const block = changetype<Block>(alloc(offsetof<Block>()));
  block.count = 0;
  block.docs = alloc(3 * ARRAY_BYTES + BLOCK_DOCS);
  block.positions = block.docs + ARRAY_BYTES;
  block.lengths = block.positions + ARRAY_BYTES;
  block.found = block.lengths + ARRAY_BYTES;
  return block;
}

/** Decodes the data of a block. `before`: the last document of the block before, -1 for the first one. */
export function blockDecode(block: Block, data: usize, before: u32): void {
  const width: u32 = load<u8>(data);
  const count = <u32>load<u8>(data, 1) + 1;
  const deltas = data + 2;
  block.count = count;
  decodeDocs(block, deltas, width, before);
  decodeLengths(block, deltas + <usize>(count * width));
}

/**
 * Decodes a block as far as needed for the documents of a bitmap over slots (slot = base + local number). Returns how many of them
 * the block contains, and lists their places.
 */
export function blockDecodeIn(block: Block, data: usize, before: u32, bitmap: usize, base: u32): u32 {
  const width: u32 = load<u8>(data);
  const count = <u32>load<u8>(data, 1) + 1;
  const deltas = data + 2;
  block.count = count;
  decodeDocs(block, deltas, width, before);
  const docs = block.docs;
  const places = block.found;
  let found: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const slot = base + load<u32>(docs + ((<usize>i) << 2));
    // Written in any case: a branch would often be predicted wrong.
    store<u8>(places + found, i);
    found += (<u32>load<u8>(bitmap + (slot >>> 3)) >>> (slot & 7)) & 1;
  }
  if (found > 0) decodeLengths(block, deltas + <usize>(count * width));
  return found;
}

/** Decodes the positions and lengths of a block only. */
export function blockDecodePositions(block: Block, data: usize): void {
  const width: u32 = load<u8>(data);
  block.count = <u32>load<u8>(data, 1) + 1;
  decodeLengths(block, data + 2 + <usize>(block.count * width));
}

function decodeDocs(block: Block, deltas: usize, width: u32, before: u32): void {
  const count = block.count;
  let doc = before;
  let i: u32 = 0;
  if (width === 1) {
    for (; i + LANES <= count; i += LANES) doc = storeSums(v128.load(deltas + i), doc, block.docs + ((<usize>i) << 2));
    for (; i < count; i++) {
      doc += load<u8>(deltas + i);
      store<u32>(block.docs + ((<usize>i) << 2), doc);
    }
    return;
  }
  for (; i < count; i++) {
    const at = deltas + <usize>(i * width);
    doc += width === 2 ? <u32>load<u16>(at) : load<u32>(at);
    store<u32>(block.docs + ((<usize>i) << 2), doc);
  }
}

function decodeLengths(block: Block, lengths: usize): void {
  const count = block.count;
  let at = lengths + count;
  let i: u32 = 0;
  for (; i + LANES <= count; i += LANES) {
    const bytes = v128.load(lengths + i);
    if (v128.any_true(i8x16.eq(bytes, i8x16.splat(<i8>LONG_POSITIONS)))) break;
    const place = (<usize>i) << 2;
    // Sums up to each posting are where the positions of the next one begin.
    const next = storeSums(bytes, <u32>at, block.positions + place);
    storeWide(bytes, block.lengths + place);
    for (let by: usize = place; by < place + 4 * LANES; by += 16) {
      const ends = v128.load(block.positions + by);
      v128.store(block.positions + by, i32x4.sub(ends, v128.load(block.lengths + by)));
    }
    at = next;
  }
  for (; i < count; i++) {
    let length: u32 = load<u8>(lengths + i);
    if (length === LONG_POSITIONS) {
      length = load<u32>(at);
      at += 4;
    }
    store<u32>(block.positions + ((<usize>i) << 2), <u32>at);
    store<u32>(block.lengths + ((<usize>i) << 2), length);
    at += length;
  }
}

/** Writes 16 bytes as u32. */
function storeWide(bytes: v128, out: usize): void {
  const low = i16x8.extend_low_i8x16_u(bytes);
  const high = i16x8.extend_high_i8x16_u(bytes);
  v128.store(out, i32x4.extend_low_i16x8_u(low));
  v128.store(out, i32x4.extend_high_i16x8_u(low), 16);
  v128.store(out, i32x4.extend_low_i16x8_u(high), 32);
  v128.store(out, i32x4.extend_high_i16x8_u(high), 48);
}

/** Writes `before` plus the sums of 16 bytes up to each as u32. Returns the last one. */
function storeSums(bytes: v128, before: u32, out: usize): u32 {
  const low = sumsOf(i16x8.extend_low_i8x16_u(bytes));
  const high = i16x8.add(sumsOf(i16x8.extend_high_i8x16_u(bytes)), i16x8.splat(i16x8.extract_lane_s(low, 7)));
  const base = i32x4.splat(before);
  v128.store(out, i32x4.add(base, i32x4.extend_low_i16x8_u(low)));
  v128.store(out, i32x4.add(base, i32x4.extend_high_i16x8_u(low)), 16);
  v128.store(out, i32x4.add(base, i32x4.extend_low_i16x8_u(high)), 32);
  v128.store(out, i32x4.add(base, i32x4.extend_high_i16x8_u(high)), 48);
  return before + i16x8.extract_lane_u(high, 7);
}

/** The sums of 8 numbers up to each. */
function sumsOf(numbers: v128): v128 {
  const zero = i64x2.splat(0);
  let sums = i16x8.add(numbers, i8x16.shuffle(zero, numbers, 0, 1, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29));
  sums = i16x8.add(sums, i8x16.shuffle(zero, sums, 0, 1, 2, 3, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27));
  return i16x8.add(sums, i8x16.shuffle(zero, sums, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23));
}
