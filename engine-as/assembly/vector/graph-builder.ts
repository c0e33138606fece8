/** What the steps of a graph build share: the cosines of neighbours, the number of links to each member, working memory. */
import { alloc, allocZeroed } from '../runtime/arena';
import { NONE } from '../segment/layout';
import { GraphHeader } from './graph';
import { probeCreate } from './probe';
import { Quantized } from './quantized';
import { Candidate, walkCreate } from './walk';

/** Number of candidates from which the neighbours of a new member are selected. */
export const EF_CONSTRUCTION: u32 = 100;
/** Members of a level from which the walk on the next one starts, because clusters may have no links to each other. */
export const STARTS: u32 = 16;
/** Size of the list of candidates from which the neighbours of a member that has lost some are selected (carry-over.ts). */
export const MAX_CANDIDATES: u32 = 256;

/**
 * Number of incoming links of a member of level 0 that are preserved when neighbours are replaced. In clusters of vectors that
 * are about equally far from each other a few are central and near to all, so the others would lose all incoming links and become
 * unreachable.
 */
export const KEPT_LINKS: u32 = 4;

/** Working memory of a build, besides the graph. */
@unmanaged
export class GraphBuilder {
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
  /** Candidate[]: candidates for the neighbours of a member, best first */
  candidates: usize;
  /** u32[]: indices of those that were chosen */
  chosen: usize;
  /** u32[STARTS]: members from which the walk over a level starts */
  starts: usize;
  /** where insertions start: a place on the highest level that has a member with links, and that level */
  entry: u32;
  entryLevel: u32;
}

export function graphBuilderCreate(graph: usize, quantized: Quantized, levels: usize): GraphBuilder {
  const builder = changetype<GraphBuilder>(alloc(offsetof<GraphBuilder>()));
  const bytes = changetype<GraphHeader>(graph).length;
  builder.graph = graph;
  builder.quantized = changetype<usize>(quantized);
  builder.levels = levels;
  builder.cosines = alloc(bytes);
  memory.fill(builder.cosines, 0xff, bytes);
  builder.links = allocZeroed((<usize>quantized.count) << 2);
  builder.walk = changetype<usize>(walkCreate(EF_CONSTRUCTION, quantized.count));
  builder.probe = changetype<usize>(probeCreate(quantized));
  builder.other = changetype<usize>(probeCreate(quantized));
  builder.candidates = alloc(<usize>MAX_CANDIDATES * offsetof<Candidate>());
  builder.chosen = alloc((<usize>MAX_CANDIDATES) << 2);
  builder.starts = alloc((<usize>STARTS) << 2);
  builder.entry = NONE;
  builder.entryLevel = 0;
  return builder;
}

/** Address of the cosine of the neighbour whose place is at `slot`. */
export function cosineAt(builder: GraphBuilder, slot: usize): usize {
  return slot - builder.graph + builder.cosines;
}

/** Makes a member a neighbour: writes its place and its cosine. */
export function setNeighbour(builder: GraphBuilder, level: u32, slot: usize, place: u32, cosine: f32): void {
  store<u32>(slot, place);
  store<f32>(cosineAt(builder, slot), cosine);
  if (level === 0) countLink(builder, place, 1);
}

/** Number of links to a member of level 0. */
export function linksTo(builder: GraphBuilder, place: u32): u32 {
  return load<u32>(builder.links + ((<usize>place) << 2));
}

export function countLink(builder: GraphBuilder, place: u32, change: i32): void {
  const at = builder.links + ((<usize>place) << 2);
  store<u32>(at, load<u32>(at) + change);
}
