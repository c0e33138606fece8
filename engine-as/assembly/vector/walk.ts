/** Walks a level of a graph towards a probe, to find the nearest members. */
import { alloc } from '../runtime/arena';
import { NONE } from '../segment/layout';
import { bitmapAdd } from '../sets/bitmap';
import { levelAt, mostNeighbours, neighboursAt, placeBelow, prefetchNeighbours, vectorIn } from './graph';
import { Probe, rowCosine } from './probe';
import { prefetchRow, Quantized } from './quantized';

/** A visited member; the list is ordered by descending cosine. */
@unmanaged
export class Candidate {
  cosine: f32;
  /** its place, with {@link EXPANDED} once its neighbours have been read */
  place: u32;
}

const EXPANDED: u32 = 0x80000000;
const PLACE: u32 = 0x7fffffff;

/** The nearest members found by a walk. */
@unmanaged
export class Walk {
  count: u32;
  limit: u32;
  /** Candidate[limit] */
  candidates: usize;
  /** bitmap of the visited places */
  visited: usize;
  /** f32 for each visited place: its cosine */
  cosines: usize;
  /** bytes of {@link visited} in use */
  visitedBytes: usize;
  /** u32[]: neighbours to be compared next */
  fresh: usize;
  /** sum of the bytes read by the last prefetch */
  prefetched: u32;
}

/** Memory for walks of up to `limit` members over levels of up to `count` members. */
export function walkCreate(limit: u32, count: u32): Walk {
  const walk = changetype<Walk>(alloc(offsetof<Walk>()));
  walk.count = 0;
  walk.limit = limit;
  walk.candidates = alloc(<usize>limit * offsetof<Candidate>());
  walk.visited = alloc(visitedBytes(count));
  walk.cosines = alloc((<usize>count) << 2);
  walk.visitedBytes = 0;
  walk.fresh = alloc(((<usize>mostNeighbours(0)) << 2) + 16);
  return walk;
}

/** Clears the set of visited places. */
export function walkReset(walk: Walk): void {
  memory.fill(walk.visited, 0, walk.visitedBytes);
}

/** Bytes of a bitmap over `count` vectors, rounded up to whole SIMD lanes. */
export function visitedBytes(count: u32): usize {
  return ((<usize>count + 127) >>> 7) << 4;
}

export function walkCandidate(walk: Walk, index: u32): Candidate {
  return changetype<Candidate>(walk.candidates + <usize>index * offsetof<Candidate>());
}

export function placeOfCandidate(entry: Candidate): u32 {
  return entry.place & PLACE;
}

/** The nearest members found by a walk, as places on the level below: u32[], at most `most`. */
export function startsBelow(graph: usize, level: u32, walk: Walk, most: u32, out: usize): u32 {
  const count = min<u32>(most, walk.count);
  for (let i: u32 = 0; i < count; i++)
    store<u32>(out + ((<usize>i) << 2), placeBelow(graph, level, placeOfCandidate(walkCandidate(walk, i))));
  return count;
}

/** Collects the `limit` nearest members of a level, starting from `count` places on it (u32[]); `limit`: up to `walk.limit`. */
export function walkLevel(
  graph: usize,
  quantized: Quantized,
  probe: Probe,
  level: u32,
  starts: usize,
  count: u32,
  walk: Walk,
  limit: u32,
): void {
  walk.visitedBytes = visitedBytes(levelAt(graph, level).count);
  memory.fill(walk.visited, 0, walk.visitedBytes);
  walk.count = 0;
  for (let i: u32 = 0; i < count; i++) {
    const from = load<u32>(starts + ((<usize>i) << 2));
    bitmapAdd(walk.visited, from);
    const cosine = rowCosine(probe, quantized, vectorIn(graph, level, from));
    store<f32>(walk.cosines + ((<usize>from) << 2), cosine);
    walkInsert(walk, cosine, from, limit);
  }
  for (let next: u32 = 0; next < walk.count; ) {
    const member = walkCandidate(walk, next);
    if (member.place & EXPANDED) {
      next++;
      continue;
    }
    const place = member.place;
    member.place = place | EXPANDED;
    const fresh = listFresh(graph, level, place, walk.visited, walk.fresh);
    walk.prefetched = prefetchMembers(graph, quantized, level, walk.fresh, fresh);
    for (let i: u32 = 0; i < fresh; i++) {
      const neighbour = load<u32>(walk.fresh + ((<usize>i) << 2));
      const cosine = rowCosine(probe, quantized, vectorIn(graph, level, neighbour));
      store<f32>(walk.cosines + ((<usize>neighbour) << 2), cosine);
      if (walk.count === limit && cosine <= walkCandidate(walk, walk.count - 1).cosine) continue;
      next = min<u32>(next, walkInsert(walk, cosine, neighbour, limit));
    }
  }
}

/** Prefetches the rows and the neighbours of some places (u32[count]), see prefetchRows in quantized. */
function prefetchMembers(graph: usize, quantized: Quantized, level: u32, places: usize, count: u32): u32 {
  let sum = prefetchNeighbours(graph, level, places, count);
  for (let i: u32 = 0; i < count; i++) {
    sum += prefetchRow(quantized, vectorIn(graph, level, load<u32>(places + ((<usize>i) << 2))));
  }
  return sum;
}

/**
 * Lists the neighbours of a member that are not in a bitmap, and adds them to it. Every one is written to the list, and stays only if
 * it was not in the bitmap, as a branch on that would be mispredicted half of the time; `out` needs room for one more.
 */
export function listFresh(graph: usize, level: u32, place: u32, visited: usize, out: usize): u32 {
  const neighbours = neighboursAt(graph, level, place);
  let fresh: u32 = 0;
  for (let i: u32 = 0; i < mostNeighbours(level); i++) {
    const neighbour = load<u32>(neighbours + ((<usize>i) << 2));
    if (neighbour === NONE) break;
    const at = visited + ((<usize>(neighbour >>> 5)) << 2);
    const bits = load<u32>(at);
    store<u32>(out + ((<usize>fresh) << 2), neighbour);
    fresh += ((bits >>> (neighbour & 31)) & 1) ^ 1;
    store<u32>(at, bits | ((<u32>1) << (neighbour & 31)));
  }
  return fresh;
}

/** Inserts a member into the sorted list and returns its position. The last one may be dropped. */
export function walkInsert(walk: Walk, cosine: f32, place: u32, limit: u32): u32 {
  if (walk.count < limit) walk.count++;
  // from the end: members that are visited late are rarely among the nearest
  let at = walk.candidates + <usize>(walk.count - 1) * offsetof<Candidate>();
  for (; at > walk.candidates; at -= offsetof<Candidate>()) {
    const before = at - offsetof<Candidate>();
    if (changetype<Candidate>(before).cosine >= cosine) break;
    store<u64>(at, load<u64>(before));
  }
  const entry = changetype<Candidate>(at);
  entry.cosine = cosine;
  entry.place = place;
  return <u32>((at - walk.candidates) / offsetof<Candidate>());
}
