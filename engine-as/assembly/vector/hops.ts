/**
 * Two-hop neighbours, for a filter that allows few documents: the allowed neighbours and, in place of each other neighbour, the
 * allowed ones among its own neighbours (Patel et al., "ACORN", 2024, arXiv:2403.04871). A vector that is not allowed costs one
 * read of a bitmap instead of a comparison.
 */
import { NONE } from '../segment/layout';
import { bitmapAdd, bitmapHas } from '../sets/bitmap';
import { BASE_NEIGHBOURS, neighboursAt } from './graph';
import { vectorOwner } from './layout';

/** Upper bound of the two-hop neighbours of a member. */
export const MAX_TWO_HOP_NEIGHBOURS: u32 = BASE_NEIGHBOURS * BASE_NEIGHBOURS;

/** The share of allowed vectors among the neighbours of some vectors: u32[count]. */
export function allowedAround(header: usize, graph: usize, vectors: usize, count: u32, allowed: usize): f64 {
  let seen: u32 = 0;
  let found: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const neighbours = neighboursAt(graph, 0, load<u32>(vectors + ((<usize>i) << 2)));
    for (let j: u32 = 0; j < BASE_NEIGHBOURS; j++) {
      const neighbour = load<u32>(neighbours + ((<usize>j) << 2));
      if (neighbour === NONE) break;
      seen++;
      if (bitmapHas(allowed, vectorOwner(header, neighbour))) found++;
    }
  }
  return seen === 0 ? 1 : <f64>found / <f64>seen;
}

/**
 * Lists the allowed vectors that are not in a bitmap, and adds them to it, together with the neighbours that were stepped over.
 */
export function listAllowed(header: usize, graph: usize, place: u32, visited: usize, allowed: usize, out: usize): u32 {
  const neighbours = neighboursAt(graph, 0, place);
  let fresh: u32 = 0;
  for (let i: u32 = 0; i < BASE_NEIGHBOURS; i++) {
    const neighbour = load<u32>(neighbours + ((<usize>i) << 2));
    if (neighbour === NONE) break;
    if (bitmapHas(visited, neighbour)) continue;
    bitmapAdd(visited, neighbour);
    if (bitmapHas(allowed, vectorOwner(header, neighbour))) {
      store<u32>(out + ((<usize>fresh) << 2), neighbour);
      fresh++;
    } else {
      fresh += listBehind(header, neighboursAt(graph, 0, neighbour), visited, allowed, out + ((<usize>fresh) << 2));
    }
  }
  return fresh;
}

/** Vectors that are not allowed are left out of the bitmap, because their neighbours were not read. */
function listBehind(header: usize, neighbours: usize, visited: usize, allowed: usize, out: usize): u32 {
  let fresh: u32 = 0;
  for (let i: u32 = 0; i < BASE_NEIGHBOURS; i++) {
    const neighbour = load<u32>(neighbours + ((<usize>i) << 2));
    if (neighbour === NONE) break;
    if (bitmapHas(visited, neighbour) || !bitmapHas(allowed, vectorOwner(header, neighbour))) continue;
    bitmapAdd(visited, neighbour);
    store<u32>(out + ((<usize>fresh) << 2), neighbour);
    fresh++;
  }
  return fresh;
}
