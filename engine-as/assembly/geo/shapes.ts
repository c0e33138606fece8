/**
 * Geo filters over the shapes of documents, their `_geojson`, which is read from the stored documents. The shapes of neighbouring
 * documents are cached between searches as bounding boxes and, where there is room, positions. Where there is none, the documents whose
 * boxes do not decide are read again.
 */

import { cacheAdd, cacheAdmits, cacheAlloc, cacheFind } from '../cache/cache';
import { CACHED_SHAPES } from '../cache/result-kinds';
import { ColumnHeader } from '../columns/layout';
import { jsonMember, jsonMemberLength } from '../json/member';
import { alloc, arenaMark, arenaReset, cacheLeft, cacheRoom } from '../runtime/arena';
import { Buffer, bufferCreate, bufferPush32 } from '../runtime/buffer';
import { isTimeOver } from '../runtime/deadline';
import { keyCreate } from '../runtime/key-table';
import { bitmapBytes } from '../segment/layout';
import { SegmentView } from '../segment/view';
import { columnOf } from '../segment/view-parts';
import { bitmapAdd } from '../sets/bitmap';
import { readDocument } from '../store/documents';
import { Area } from './area';
import { readGeojson } from './geojson';
import { Box, boxInto, mayMeet, meets } from './meeting';

/** Documents whose shapes are kept together: a multiple of 64. Between them the deadline is checked. */
const BLOCK_DOCUMENTS: u32 = 1024;
/** Most bytes of the positions of a block: they are read into scratch memory. */
const MAX_BLOCK_BYTES: usize = 1 << 20;
/** Positions leave this share of the memory for cached results, as 1/n, to other results. */
const LEFT_TO_OTHERS: usize = 2;
/** Tests of positions between two checks of the deadline: there may be many positions. */
const CHECK_EVERY_TESTS: u32 = 64;
const FIRST_BYTES: usize = 4096;

@unmanaged
class Shape extends Box {
  local: u32;
  /** where its runs begin and end: bytes after those of the block */
  from: u32;
  end: u32;
  reserved: u32;
}

/** The shapes of neighbouring documents of a segment, also of deleted ones, because segments outlive deletions. */
@unmanaged
class ShapeBlock {
  /** Shape[] */
  shapes: usize;
  count: u32;
  /** runs of positions; 0: only the bounding boxes are known */
  runs: usize;
  runBytes: u32;

  shape(index: u32): Shape {
    return changetype<Shape>(this.shapes + <usize>index * offsetof<Shape>());
  }
}

/**
 * Adds the documents of a segment whose shape intersects an area, or contains it, to a bitmap. Stops at the deadline.
 * @param segment id, unique among those ever opened
 * @param field id of `_geojson`
 */
export function selectShapes(view: SegmentView, segment: u32, field: u32, area: Area, bitmap: usize): void {
  const column = columnOf(changetype<usize>(view), field);
  if (column === 0) return;
  const exists = column + changetype<ColumnHeader>(column).existsOffset;
  const bits = bitmapBytes(view.docCount) << 3;
  for (let first: u32 = 0; first < bits; first += BLOCK_DOCUMENTS) {
    if (isTimeOver()) return;
    const mark = arenaMark();
    const end = min<u32>(first + BLOCK_DOCUMENTS, bits);
    if (hasMembers(exists, first, end)) selectInBlock(view, segment, blockOf(view, segment, exists, first, end), area, bitmap);
    arenaReset(mark);
  }
}

function hasMembers(bitmap: usize, first: u32, end: u32): bool {
  for (let at = first; at < end; at += 64) if (load<u64>(bitmap + (at >>> 3)) !== 0) return true;
  return false;
}

function selectInBlock(view: SegmentView, segment: u32, block: ShapeBlock, area: Area, bitmap: usize): void {
  let tests: u32 = 0;
  for (let i: u32 = 0; i < block.count; i++) {
    const shape = block.shape(i);
    if (!mayMeet(area, shape)) continue;
    if (++tests % CHECK_EVERY_TESTS === 0 && isTimeOver()) return;
    if (shapeMeets(view, segment, block, shape, area)) bitmapAdd(bitmap, shape.local);
  }
}

function shapeMeets(view: SegmentView, segment: u32, block: ShapeBlock, shape: Shape, area: Area): bool {
  if (block.runs !== 0) return meets(area, shape, block.runs + shape.from, block.runs + shape.end);
  const mark = arenaMark();
  const runs = readShape(view, segment, shape.local);
  const met = meets(area, shape, runs.data, runs.data + runs.length);
  arenaReset(mark);
  return met;
}

/** The runs of the shape of a document, none when it is no GeoJSON. */
function readShape(view: SegmentView, segment: u32, local: u32): Buffer {
  const runs = bufferCreate(FIRST_BYTES);
  const document = readDocument(view, segment, local);
  const value = jsonMember(document.json, document.length, '_geojson');
  if (value !== 0) readGeojson(value, jsonMemberLength(), runs);
  return changetype<Buffer>(runs);
}

/** The shapes of the documents [first, end) that have the field. */
function blockOf(view: SegmentView, segment: u32, exists: usize, first: u32, end: u32): ShapeBlock {
  const key = keyCreate(CACHED_SHAPES);
  bufferPush32(key, segment);
  bufferPush32(key, first);
  const known = cacheFind(key);
  if (known !== 0) return changetype<ShapeBlock>(known);
  const block = readBlock(view, segment, exists, first, end);
  cacheBlock(key, block);
  return block;
}

function readBlock(view: SegmentView, segment: u32, exists: usize, first: u32, end: u32): ShapeBlock {
  const block = changetype<ShapeBlock>(alloc(offsetof<ShapeBlock>()));
  block.shapes = alloc(<usize>BLOCK_DOCUMENTS * offsetof<Shape>());
  block.count = 0;
  block.runs = alloc(MAX_BLOCK_BYTES);
  block.runBytes = 0;
  for (let at = first; at < end; at += 64) {
    for (let word = load<u64>(exists + (at >>> 3)); word !== 0; word &= word - 1) {
      const mark = arenaMark();
      const local = at + <u32>ctz(word);
      addShape(block, local, readShape(view, segment, local));
      arenaReset(mark);
    }
  }
  return block;
}

function addShape(block: ShapeBlock, local: u32, runs: Buffer): void {
  const shape = block.shape(block.count++);
  boxInto(shape, runs.data, runs.data + runs.length);
  if (<usize>block.runBytes + runs.length > MAX_BLOCK_BYTES) block.runs = 0;
  shape.local = local;
  shape.from = block.runBytes;
  shape.end = block.runBytes + <u32>runs.length;
  shape.reserved = 0;
  if (block.runs === 0) return;
  memory.copy(block.runs + shape.from, runs.data, runs.length);
  block.runBytes = shape.end;
}

/** Keeps a copy of a block, as much of it as there is room for. */
function cacheBlock(key: usize, block: ShapeBlock): void {
  const boxes = offsetof<ShapeBlock>() + <usize>block.count * offsetof<Shape>();
  const whole = boxes + block.runBytes;
  const withRuns = block.runs !== 0 && cacheLeft() > whole + cacheRoom() / LEFT_TO_OTHERS;
  const bytes = withRuns ? whole : boxes;
  if (!cacheAdmits(key, bytes)) return;
  const at = cacheAlloc(bytes);
  if (at === 0) return;
  const copy = changetype<ShapeBlock>(at);
  copy.shapes = at + offsetof<ShapeBlock>();
  copy.count = block.count;
  copy.runs = withRuns ? at + boxes : 0;
  copy.runBytes = block.runBytes;
  memory.copy(copy.shapes, block.shapes, boxes - offsetof<ShapeBlock>());
  if (withRuns) memory.copy(copy.runs, block.runs, block.runBytes);
  cacheAdd(key, at);
}
