/** What the steps of a graph build share: the cosines of neighbours, the number of links to each member, working memory. */
import { alloc, allocZeroed } from '../runtime/arena';
import { NONE } from '../segment/layout';
import { GraphHeader } from './graph';
import { probeCreate } from './probe';
import { Quantized } from './quantized';
import { Met, walkCreate } from './walk';

/** Number of candidates from which the neighbours of a new member are selected. */
export const CANDIDATES: u32 = 100;
/** Members of a level from which the walk on the next one starts, because clusters may have no links to each other. */
export const STARTS: u32 = 16;
/** Size of the list of candidates from which the neighbours of a member that has lost some are selected (carry-over.ts). */
export const CROWD: u32 = 256;

/**
 * Number of incoming links of a member of level 0 that are preserved when neighbours are replaced. In clusters of vectors that
 * are about equally far from each other a few are central and near to all, so the others would lose all incoming links and become
 * unreachable.
 */
export const KEPT_LINKS: u32 = 4;

/** Working memory of a build, besides the graph. */
@unmanaged
export class Workshop {
  graph: usize;
  quantized: usize;
  /** u8 for each vector: its highest level; 255: it is not a member */
  levels: usize;
  /** f32 for each neighbour, at the offset that its place has in the graph: its cosine; NaN: not computed yet */
  cosines: usize;
  /** u32 for each member of level 0: links to it */
  links: usize;
  walk: usize;
  /** of the member that is being inserted, and of those it is compared with */
  probe: usize;
  other: usize;
  /** Met[]: candidates for the neighbours of a member, best first */
  crowd: usize;
  /** u32[]: indices of those that were chosen */
  chosen: usize;
  /** u32[STARTS]: members from which the walk over a level starts */
  starts: usize;
  /** where insertions start: a place on the highest level that has a member with links, and that level */
  entry: u32;
  entryLevel: u32;
}

export function workshopCreate(graph: usize, quantized: Quantized, levels: usize): Workshop {
  const shop = changetype<Workshop>(alloc(offsetof<Workshop>()));
  const bytes = changetype<GraphHeader>(graph).length;
  shop.graph = graph;
  shop.quantized = changetype<usize>(quantized);
  shop.levels = levels;
  shop.cosines = alloc(bytes);
  memory.fill(shop.cosines, 0xff, bytes);
  shop.links = allocZeroed((<usize>quantized.count) << 2);
  shop.walk = changetype<usize>(walkCreate(CANDIDATES, quantized.count));
  shop.probe = changetype<usize>(probeCreate(quantized));
  shop.other = changetype<usize>(probeCreate(quantized));
  shop.crowd = alloc(<usize>CROWD * offsetof<Met>());
  shop.chosen = alloc((<usize>CROWD) << 2);
  shop.starts = alloc((<usize>STARTS) << 2);
  shop.entry = NONE;
  shop.entryLevel = 0;
  return shop;
}

/** Address of the cosine of the neighbour whose place is at `slot`. */
export function cosineAt(shop: Workshop, slot: usize): usize {
  return slot - shop.graph + shop.cosines;
}

/** Makes a member a neighbour: writes its place and its cosine. */
export function setNeighbour(shop: Workshop, level: u32, slot: usize, place: u32, cosine: f32): void {
  store<u32>(slot, place);
  store<f32>(cosineAt(shop, slot), cosine);
  if (level === 0) countLink(shop, place, 1);
}

/** Number of links to a member of level 0. */
export function linksTo(shop: Workshop, place: u32): u32 {
  return load<u32>(shop.links + ((<usize>place) << 2));
}

export function countLink(shop: Workshop, place: u32, change: i32): void {
  const at = shop.links + ((<usize>place) << 2);
  store<u32>(at, load<u32>(at) + change);
}
