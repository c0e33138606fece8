/**
 * Explores a graph towards a query. The search continues as long as there are vectors within (1 + reach) times the distance of
 * the last wanted document (Al-Jazzazi et al., 2025, arXiv:2505.15636): when many vectors are almost as near, or few of the near
 * ones are allowed, it goes further automatically.
 */
import { alloc, allocZeroed } from '../runtime/arena';
import { NONE } from '../segment/layout';
import { bitmapAdd, bitmapHas } from '../sets/bitmap';
import { Best, Scored } from './best';
import { GraphHeader, levelAt, prefetchNeighbours } from './graph';
import { allowedAround, listAllowed, MAX_TWO_HOP_NEIGHBOURS } from './hops';
import { VectorsHeader, vectorOrdinal, vectorOwner } from './layout';
import { Probe, rowCosine } from './probe';
import { prefetchRows, Quantized } from './quantized';
import { ANY_ORDINAL } from './scan';
import { offer, Search } from './search-state';
import { Candidate, listFresh, startsBelow, visitedBytes, walkCreate, walkLevel } from './walk';

/** (1 + reach)², for squared distances: 2 - 2 · cosine. */
const REACH: f32 = 1.25;
/** Members of a level from which the search on the next one starts, because clusters may have no links to each other. */
const STARTS: u32 = 32;

/**
 * When fewer than MIN_CORRELATION times as many of the visited vectors are allowed as of all vectors, the filter is negatively correlated
 * with the query: the nearest allowed vectors are scattered, and links do not lead to them. Checked after this many vectors.
 */
const MIN_CORRELATION: f64 = 0.8;
const CORRELATION_VISITS: u32 = 512;

/**
 * Shares of allowed vectors around the query. Below the first, stepping over vectors that are not allowed finds allowed ones with
 * far fewer comparisons; below the second, allowed vectors are rarely within two steps of each other, so this does not reach all
 * of them.
 */
const HOPS_BELOW: f64 = 0.3;
const HOPS_FROM: f64 = 0.03;
/** Cost model: lists of neighbours read per compared vector when stepping over others, which doubles the work. */
const VISITS_PER_HOP: u32 = 2;

/**
 * Visits needed to find the nearest vectors of a segment in easy cases; the fewer of the near ones are allowed, the more it
 * takes.
 */
export const MIN_VISITS: f64 = 300;

/** Vectors that are compared together, at least, if there are as many: their cache misses overlap. */
const COMPARED_TOGETHER: u32 = 8;

/** Visited vectors whose neighbours have not been read: a binary heap with the nearest on top. */
@unmanaged
class Frontier {
  count: u32;
  /** sum of the bytes read by the last prefetch */
  prefetched: u32;
  /** Candidate[] */
  entries: usize;
}

/**
 * Offers the allowed documents that are visited. Returns false when `most` vectors were compared and nearer ones may be left, or
 * when the filter is negatively correlated with the query.
 */
export function explore(search: Search, most: u32, allowed: usize, ordinal: u32): bool {
  const header = search.header;
  const graph = header + changetype<VectorsHeader>(header).graphOffset;
  const quantized = changetype<Quantized>(search.quantized);
  const probe = changetype<Probe>(search.probe);
  if (changetype<GraphHeader>(graph).entry === NONE) return true;
  const visited = allocZeroed(visitedBytes(levelAt(graph, 0).count));
  const fresh = alloc((<usize>max<u32>(MAX_TWO_HOP_NEIGHBOURS + COMPARED_TOGETHER, STARTS)) << 2);
  const nearest = changetype<Best>(search.nearest);
  const frontier = changetype<Frontier>(alloc(offsetof<Frontier>()));
  frontier.count = 0;
  frontier.entries = alloc(<usize>(most + MAX_TWO_HOP_NEIGHBOURS + COMPARED_TOGETHER + STARTS) * offsetof<Candidate>());
  // The starting vectors are treated like neighbours of a visited vector.
  let count = listStarts(graph, quantized, probe, fresh);
  for (let i: u32 = 0; i < count; i++) bitmapAdd(visited, load<u32>(fresh + ((<usize>i) << 2)));
  const around = allowedAround(header, graph, fresh, count, allowed);
  if (around < HOPS_FROM || (around >= HOPS_BELOW && <f64>most * around < MIN_VISITS)) return false;
  const hops = around < HOPS_BELOW;
  let visits: u32 = 0;
  let compared: u32 = 0;
  let comparedAllowed: u32 = 0;
  const share = (MIN_CORRELATION * <f64>search.allowedCount) / <f64>changetype<VectorsHeader>(header).embeddedCount;
  let bound: f32 = -Infinity;
  do {
    frontier.prefetched = prefetchRows(quantized, fresh, count) + prefetchNeighbours(graph, 0, fresh, count);
    for (let i: u32 = 0; i < count; i++) {
      const vector = load<u32>(fresh + ((<usize>i) << 2));
      const cosine = rowCosine(probe, quantized, vector);
      if (cosine <= bound) continue;
      push(frontier, cosine, vector);
      compared++;
      const document = vectorOwner(header, vector);
      if (!bitmapHas(allowed, document)) continue;
      comparedAllowed++;
      if (ordinal !== ANY_ORDINAL && vectorOrdinal(header, vector) !== ordinal) continue;
      offer(search, cosine, document);
      if (nearest.count === nearest.limit) bound = <f32>1 - (<f32>1 - changetype<Scored>(nearest.entries).similarity) * REACH;
    }
    if (
      !hops &&
      visits < CORRELATION_VISITS &&
      visits + count >= CORRELATION_VISITS &&
      <f64>comparedAllowed < share * <f64>compared
    )
      return false;
    visits += hops ? VISITS_PER_HOP * count : count;
    count = 0;
    while (count < COMPARED_TOGETHER && frontier.count > 0 && changetype<Candidate>(frontier.entries).cosine > bound) {
      const next = pop(frontier);
      const out = fresh + ((<usize>count) << 2);
      count += hops ? listAllowed(header, graph, next, visited, allowed, out) : listFresh(graph, 0, next, visited, out);
    }
  } while (count > 0 && visits < most);
  return count === 0 && (hops ? nearest.count === nearest.limit : <f64>comparedAllowed >= share * <f64>compared);
}

/** Lists the vectors to start from: the nearest ones found on level 1. */
function listStarts(graph: usize, quantized: Quantized, probe: Probe, out: usize): u32 {
  const header = changetype<GraphHeader>(graph);
  store<u32>(out, header.entry);
  let count: u32 = 1;
  if (header.levels === 1) return count;
  const walk = walkCreate(STARTS, levelAt(graph, 1).count);
  for (let level = header.levels - 1; level > 0; level--) {
    walkLevel(graph, quantized, probe, level, out, count, walk, STARTS);
    count = startsBelow(graph, level, walk, STARTS, out);
  }
  return count;
}

function entryAt(frontier: Frontier, index: u32): Candidate {
  return changetype<Candidate>(frontier.entries + <usize>index * offsetof<Candidate>());
}

function put(frontier: Frontier, index: u32, cosine: f32, place: u32): void {
  const entry = entryAt(frontier, index);
  entry.cosine = cosine;
  entry.place = place;
}

function push(frontier: Frontier, cosine: f32, place: u32): void {
  let at = frontier.count++;
  while (at > 0) {
    const parent = entryAt(frontier, (at - 1) >>> 1);
    if (parent.cosine >= cosine) break;
    put(frontier, at, parent.cosine, parent.place);
    at = (at - 1) >>> 1;
  }
  put(frontier, at, cosine, place);
}

/** Removes the nearest one. */
function pop(frontier: Frontier): u32 {
  const nearest = entryAt(frontier, 0).place;
  const last = entryAt(frontier, --frontier.count);
  const cosine = last.cosine;
  const place = last.place;
  let at: u32 = 0;
  for (;;) {
    let child: u32 = (at << 1) + 1;
    if (child >= frontier.count) break;
    if (child + 1 < frontier.count && entryAt(frontier, child + 1).cosine > entryAt(frontier, child).cosine) child++;
    const nearer = entryAt(frontier, child);
    if (nearer.cosine <= cosine) break;
    put(frontier, at, nearer.cosine, nearer.place);
    at = child;
  }
  put(frontier, at, cosine, place);
  return nearest;
}
