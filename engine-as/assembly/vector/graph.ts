/**
 * A hierarchical navigable small world graph, HNSW (Malkov and Yashunin, 2018, arXiv:1603.09320), over the vectors of a segment,
 * as stored in the file: GraphHeader, a GraphLevel per level, then their arrays.
 * Members of a level are named by their places in it. On level 0 all vectors are members, with their number as place; zero
 * vectors have no neighbours there.
 */
import { alloc } from '../runtime/arena';
import { CACHE_LINE } from '../runtime/cache-line';
import { NONE } from '../segment/layout';
import { mix64 } from './rotation';

/** Neighbours of a vector on level 0, and on the other levels. */
export const BASE_NEIGHBOURS: u32 = 32;
const UPPER_NEIGHBOURS: u32 = 16;
/** log2 of the ratio of the sizes of consecutive levels. */
const LEVEL_SHIFT: u64 = 4;
const MAX_LEVELS: u32 = 16;

@unmanaged
export class GraphHeader {
  levels: u32;
  /** place, on the highest level, of the vector from which searches start */
  entry: u32;
  /** bytes of the graph */
  length: u32;
  reserved: u32;
}

/** Offsets are from the GraphHeader; level 0 has none of the first two. */
@unmanaged
export class GraphLevel {
  count: u32;
  /** u32[count]: numbers of the vectors, ascending */
  vectorsOffset: u32;
  /** u32[count]: their places on the level below */
  belowOffset: u32;
  /** u32[count * most neighbours]: places on this level, then NONE */
  neighboursOffset: u32;
}

export function levelAt(graph: usize, level: u32): GraphLevel {
  return changetype<GraphLevel>(graph + offsetof<GraphHeader>() + <usize>level * offsetof<GraphLevel>());
}

export function mostNeighbours(level: u32): u32 {
  return level === 0 ? BASE_NEIGHBOURS : UPPER_NEIGHBOURS;
}

/** Bytes of the neighbours of a member. */
export function neighboursBytes(level: u32): u32 {
  return mostNeighbours(level) << 2;
}

export function neighboursAt(graph: usize, level: u32, place: u32): usize {
  return graph + levelAt(graph, level).neighboursOffset + <usize>place * <usize>neighboursBytes(level);
}

/** Like prefetchRows in quantized, for the lists of neighbours of some places (u32[count]) on a level. */
export function prefetchNeighbours(graph: usize, level: u32, places: usize, count: u32): u32 {
  const last: usize = neighboursBytes(level) - 4;
  let sum: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const neighbours = neighboursAt(graph, level, load<u32>(places + ((<usize>i) << 2)));
    for (let at: usize = 0; at < last; at += CACHE_LINE) sum += load<u32>(neighbours + at);
    sum += load<u32>(neighbours + last);
  }
  return sum;
}

/** The number of the vector at a place. */
export function vectorIn(graph: usize, level: u32, place: u32): u32 {
  return level === 0 ? place : load<u32>(graph + levelAt(graph, level).vectorsOffset + ((<usize>place) << 2));
}

export function placeBelow(graph: usize, level: u32, place: u32): u32 {
  return load<u32>(graph + levelAt(graph, level).belowOffset + ((<usize>place) << 2));
}

/** The place of a vector on a level above 0, or NONE. */
export function placeOf(graph: usize, level: u32, vector: u32): u32 {
  if (level === 0) return vector;
  const members = levelAt(graph, level);
  const vectors = graph + members.vectorsOffset;
  let low: u32 = 0;
  let high = members.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const found = load<u32>(vectors + ((<usize>middle) << 2));
    if (found === vector) return middle;
    if (found < vector) low = middle + 1;
    else high = middle;
  }
  return NONE;
}

/**
 * The highest level of a vector, derived from what identifies it in all segments, so that it is stable when segments are merged.
 */
export function levelOf(internalId: u32, ordinal: u32): u32 {
  const bits = mix64(((<u64>ordinal) << 32) | <u64>internalId);
  return min<u32>(MAX_LEVELS - 1, <u32>(clz<u64>(bits) / <i64>LEVEL_SHIFT));
}

/** A graph of members without neighbours. `levels`: u8 per vector, 255 for those without neighbours. */
export function graphCreate(levels: usize, count: u32): usize {
  let highest: u32 = 0;
  for (let vector: u32 = 0; vector < count; vector++) {
    const level = <u32>load<u8>(levels + vector);
    if (level !== 255) highest = max<u32>(highest, level);
  }
  const head = <u32>offsetof<GraphHeader>() + (highest + 1) * <u32>offsetof<GraphLevel>();
  let length = head + count * neighboursBytes(0);
  for (let level: u32 = 1; level <= highest; level++) length += countFrom(levels, count, level) * (8 + neighboursBytes(level));
  const graph = alloc(length);
  memory.fill(graph, 0xff, length);
  const header = changetype<GraphHeader>(graph);
  header.levels = highest + 1;
  header.length = length;
  header.reserved = 0;
  const base = levelAt(graph, 0);
  base.count = count;
  base.vectorsOffset = 0;
  base.belowOffset = 0;
  base.neighboursOffset = head;
  let at = head + count * neighboursBytes(0);
  for (let level: u32 = 1; level <= highest; level++) {
    const own = levelAt(graph, level);
    own.count = countFrom(levels, count, level);
    own.vectorsOffset = at;
    own.belowOffset = at + (own.count << 2);
    own.neighboursOffset = own.belowOffset + (own.count << 2);
    at = own.neighboursOffset + own.count * neighboursBytes(level);
    listMembers(graph, levels, count, level);
  }
  header.entry = NONE;
  return graph;
}

function countFrom(levels: usize, count: u32, level: u32): u32 {
  let members: u32 = 0;
  for (let vector: u32 = 0; vector < count; vector++) {
    const own = <u32>load<u8>(levels + vector);
    if (own !== 255 && own >= level) members++;
  }
  return members;
}

function listMembers(graph: usize, levels: usize, count: u32, level: u32): void {
  const own = levelAt(graph, level);
  let place: u32 = 0;
  let below: u32 = 0;
  for (let vector: u32 = 0; vector < count; vector++) {
    const highest = <u32>load<u8>(levels + vector);
    const isMember = highest !== 255;
    if (isMember && highest >= level) {
      store<u32>(graph + own.vectorsOffset + ((<usize>place) << 2), vector);
      store<u32>(graph + own.belowOffset + ((<usize>place) << 2), level === 1 ? vector : below);
      place++;
    }
    if (isMember && highest >= level - 1) below++;
  }
}
