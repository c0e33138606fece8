/** What the steps of a graph build share: the cosines of neighbours, the number of links to each member, working memory. */
import { alloc, allocZeroed } from '../runtime/arena';
import { NONE } from '../segment/layout';
import { BASE_NEIGHBOURS, GraphHeader, neighboursAt } from './graph';
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

/** Values of {@link GraphBuilder.coverers} that are no places. */
export const UNCOVERED: u32 = 255;
export const UNKNOWN: u32 = 254;

/** A neighbour of the member to which another one is added: see neighbour-list.ts. */
@unmanaged
export class ListedNeighbour {
  place: u32;
  cosine: f32;
  /** cosine with the one that is added */
  between: f32;
  /** as in {@link GraphBuilder.coverers} */
  coverer: u32;
}

/** Working memory of a build, besides the graph. */
@unmanaged
export class GraphBuilder {
  graph: usize;
  quantized: usize;
  /** u8 for each vector: its highest level; 255: it is not a member */
  levels: usize;
  /** f32 for each neighbour, at the offset that its place has in the graph: its cosine; NaN: not computed yet */
  cosines: usize;
  /** u8 for each neighbour of level 0: place in the list of a nearer neighbour that covers it, or UNCOVERED or UNKNOWN */
  coverers: usize;
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
  /** ListedNeighbour[BASE_NEIGHBOURS + 1]: the list to which a member is added, the nearest first */
  listed: usize;
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
  const neighbourCount = <usize>quantized.count * <usize>BASE_NEIGHBOURS;
  builder.coverers = alloc(neighbourCount);
  memory.fill(builder.coverers, <u8>UNCOVERED, neighbourCount);
  builder.links = allocZeroed((<usize>quantized.count) << 2);
  builder.walk = changetype<usize>(walkCreate(EF_CONSTRUCTION, quantized.count));
  builder.probe = changetype<usize>(probeCreate(quantized));
  builder.other = changetype<usize>(probeCreate(quantized));
  builder.candidates = alloc(<usize>MAX_CANDIDATES * offsetof<Candidate>());
  builder.chosen = alloc((<usize>MAX_CANDIDATES) << 2);
  builder.listed = alloc(<usize>(BASE_NEIGHBOURS + 1) * offsetof<ListedNeighbour>());
  builder.starts = alloc((<usize>STARTS) << 2);
  builder.entry = NONE;
  builder.entryLevel = 0;
  return builder;
}

/** Address of the cosine of the neighbour whose place is at `slot`. */
export function cosineAt(builder: GraphBuilder, slot: usize): usize {
  return slot - builder.graph + builder.cosines;
}

/** Address of the coverer of the neighbour of level 0 whose place is at `slot`. */
export function covererAt(builder: GraphBuilder, slot: usize): usize {
  return builder.coverers + ((slot - neighboursAt(builder.graph, 0, 0)) >>> 2);
}

export function listedAt(builder: GraphBuilder, index: u32): ListedNeighbour {
  return changetype<ListedNeighbour>(builder.listed + <usize>index * offsetof<ListedNeighbour>());
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
