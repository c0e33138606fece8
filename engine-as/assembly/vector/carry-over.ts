/** Builds a graph from that of an older segment: its links are kept, and links to vectors that are gone are repaired. */
import { alloc, allocZeroed } from '../runtime/arena';
import { NONE } from '../segment/layout';
import { bitmapAdd, bitmapHas, bitmapRemove } from '../sets/bitmap';
import { candidateAt, chooseNeighbours, insertCandidate } from './choose';
import { GraphHeader, levelAt, mostNeighbours, neighboursAt, placeOf, vectorIn } from './graph';
import { countLink, GraphBuilder, MAX_CANDIDATES } from './graph-builder';
import { Probe, probeRow, rowCosine } from './probe';
import { Quantized } from './quantized';
import { visitedBytes } from './walk';

/** A graph is only reused when at least 1/n of its members are left. */
const MAX_SHRINKAGE: u32 = 2;

/** Returns false without an effect when too few members of the old graph are left. */
export function carryOver(builder: GraphBuilder, old: usize, origins: usize): bool {
  const quantized = changetype<Quantized>(builder.quantized);
  const oldCount = levelAt(old, 0).count;
  // old number → new number
  const vectors = alloc((<usize>oldCount) << 2);
  memory.fill(vectors, 0xff, (<usize>oldCount) << 2);
  let left: u32 = 0;
  for (let vector: u32 = 0; vector < quantized.count; vector++) {
    const origin = load<u32>(origins + ((<usize>vector) << 2));
    if (origin === NONE) continue;
    store<u32>(vectors + ((<usize>origin) << 2), vector);
    left++;
  }
  if (left * MAX_SHRINKAGE < oldCount) return false;
  const seen = allocZeroed(visitedBytes(quantized.count));
  const levels = min<u32>(changetype<GraphHeader>(old).levels, changetype<GraphHeader>(builder.graph).levels);
  for (let level: u32 = 0; level < levels; level++) {
    const places = placesOf(builder.graph, old, level, vectors);
    for (let place: u32 = 0; place < levelAt(old, level).count; place++) {
      const own = load<u32>(places + ((<usize>place) << 2));
      if (own === NONE) continue;
      if (!copyLinks(builder, old, level, place, own, places)) repairLinks(builder, old, level, place, own, places, seen);
      // Insertions start at the last member of the highest level.
      builder.entry = own;
      builder.entryLevel = level;
    }
  }
  return true;
}

/** u32 per place of a level of the old graph: its place in the new one, or NONE. */
function placesOf(graph: usize, old: usize, level: u32, vectors: usize): usize {
  const count = levelAt(old, level).count;
  const places = alloc((<usize>count) << 2);
  for (let place: u32 = 0; place < count; place++) {
    const vector = load<u32>(vectors + ((<usize>vectorIn(old, level, place)) << 2));
    store<u32>(places + ((<usize>place) << 2), vector === NONE ? NONE : placeOf(graph, level, vector));
  }
  return places;
}

/** Copies the links of a member. Returns false when a neighbour is gone. */
function copyLinks(builder: GraphBuilder, old: usize, level: u32, place: u32, own: u32, places: usize): bool {
  const from = neighboursAt(old, level, place);
  const to = neighboursAt(builder.graph, level, own);
  for (let i: usize = 0; i < <usize>mostNeighbours(level); i++) {
    const neighbour = load<u32>(from + (i << 2));
    if (neighbour === NONE) break;
    const mapped = load<u32>(places + ((<usize>neighbour) << 2));
    if (mapped === NONE) return false;
    store<u32>(to + (i << 2), mapped);
    if (level === 0) countLink(builder, mapped, 1);
  }
  return true;
}

/** Selects new neighbours among those that are left and the neighbours of those that are gone. */
function repairLinks(builder: GraphBuilder, old: usize, level: u32, place: u32, own: u32, places: usize, seen: usize): void {
  const quantized = changetype<Quantized>(builder.quantized);
  const probe = changetype<Probe>(builder.probe);
  probeRow(probe, quantized, vectorIn(builder.graph, level, own));
  bitmapAdd(seen, own);
  let count = gather(builder, old, level, place, places, seen, 0);
  const from = neighboursAt(old, level, place);
  for (let i: usize = 0; i < <usize>mostNeighbours(level); i++) {
    const neighbour = load<u32>(from + (i << 2));
    if (neighbour === NONE) break;
    const isGone = load<u32>(places + ((<usize>neighbour) << 2)) === NONE;
    if (isGone) count = gather(builder, old, level, neighbour, places, seen, count);
  }
  bitmapRemove(seen, own);
  for (let i: u32 = 0; i < count; i++) bitmapRemove(seen, candidateAt(builder, i).place);
  chooseNeighbours(builder, level, own, count);
}

/** Adds the remaining neighbours of a member of the old graph to the candidates, as far as there is room. */
function gather(builder: GraphBuilder, old: usize, level: u32, place: u32, places: usize, seen: usize, before: u32): u32 {
  const quantized = changetype<Quantized>(builder.quantized);
  const from = neighboursAt(old, level, place);
  let count = before;
  for (let i: usize = 0; i < <usize>mostNeighbours(level) && count < MAX_CANDIDATES; i++) {
    const neighbour = load<u32>(from + (i << 2));
    if (neighbour === NONE) break;
    const mapped = load<u32>(places + ((<usize>neighbour) << 2));
    if (mapped === NONE || bitmapHas(seen, mapped)) continue;
    bitmapAdd(seen, mapped);
    insertCandidate(
      builder,
      count,
      rowCosine(changetype<Probe>(builder.probe), quantized, vectorIn(builder.graph, level, mapped)),
      mapped,
    );
    count++;
  }
  return count;
}
