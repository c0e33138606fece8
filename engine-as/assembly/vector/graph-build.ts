/** Builds a graph by inserting members one after the other. The same vectors in the same order give the same graph. */
import { alloc, allocZeroed, arenaMark, arenaReset } from '../runtime/arena';
import { NONE } from '../segment/layout';
import { carryOver } from './carry-over';
import { GraphHeader, mostNeighbours, neighboursAt, placeOf, vectorIn } from './graph';
import { Probe, probeCreate, probeRow, rowCosine } from './probe';
import { Quantized } from './quantized';
import { Met, metAt, placeMet, startsBelow, Walk, walkCreate, walkLevel } from './walk';

/** Number of candidates from which the neighbours of a new member are selected. */
const CANDIDATES: u32 = 100;
/** Members of a level from which the walk on the next one starts, because clusters may have no links to each other. */
const STARTS: u32 = 16;
/**
 * A candidate is skipped when a selected neighbour is nearer to it, by squared distance times this factor, than the member is.
 * Slightly more than 1, which keeps more links to regions that are reached from afar.
 */
const SLACK: f32 = 1.1;

/**
 * Number of incoming links of a member of level 0 that are preserved when neighbours are selected again. In clusters of vectors
 * that are about equally far from each other a few are central and near to all, so the others would lose all incoming links and
 * become unreachable.
 */
const KEPT_LINKS: u32 = 4;
/** Most neighbours of a member that are kept for this reason. */
const MAX_KEPT_NEIGHBOURS: u32 = 16;

/**
 * Size of the list of candidates from which neighbours are selected: those of a member, or of one that lost some (carry-over.ts).
 */
export const CROWD: u32 = 256;

/** Working memory of a build, besides the graph. */
@unmanaged
export class Workshop {
  graph: usize;
  quantized: usize;
  /** u8 for each vector: its highest level; 255: it is not a member */
  levels: usize;
  /** f32 beside each neighbour of level 0: its cosine, NaN where it is not known yet */
  cosines: usize;
  /** u32 for each member of level 0: links to it */
  links: usize;
  walk: usize;
  /** of the member that is being inserted, and of those it is compared with */
  probe: usize;
  other: usize;
  /** Met[]: candidates of a member whose neighbours are too many, best first */
  crowd: usize;
  /** u32[]: indices of those that were chosen */
  chosen: usize;
  /** u32[STARTS]: members from which the walk over a level starts */
  starts: usize;
  /** where insertions start: a place on the highest level that has a member with links, and that level */
  entry: u32;
  entryLevel: u32;
}

/**
 * Links all members of a graph without links. `old`: a graph to start from, or 0; `origins`: u32 per vector, its number there or
 * NONE.
 */
export function graphLink(graph: usize, quantized: Quantized, levels: usize, old: usize, origins: usize): void {
  const header = changetype<GraphHeader>(graph);
  const mark = arenaMark();
  const shop = workshopCreate(graph, quantized, levels);
  const carried = old !== 0 && carryOver(shop, old, origins);
  for (let vector: u32 = 0; vector < quantized.count; vector++) {
    if (load<u8>(levels + vector) === 255) continue;
    if (carried && load<u32>(origins + ((<usize>vector) << 2)) !== NONE) continue;
    insertMember(shop, vector);
  }
  if (carried) for (let vector: u32 = 0; vector < quantized.count; vector++) regainLinks(shop, vector);
  header.entry = shop.entry;
  arenaReset(mark);
}

function workshopCreate(graph: usize, quantized: Quantized, levels: usize): Workshop {
  const shop = changetype<Workshop>(alloc(offsetof<Workshop>()));
  shop.graph = graph;
  shop.quantized = changetype<usize>(quantized);
  shop.levels = levels;
  shop.cosines = alloc(<usize>quantized.count * <usize>(mostNeighbours(0) << 2));
  memory.fill(shop.cosines, 0xff, <usize>quantized.count * <usize>(mostNeighbours(0) << 2));
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

function insertMember(shop: Workshop, vector: u32): void {
  const graph = shop.graph;
  const quantized = changetype<Quantized>(shop.quantized);
  const probe = changetype<Probe>(shop.probe);
  const walk = changetype<Walk>(shop.walk);
  const own = <u32>load<u8>(shop.levels + vector);
  if (shop.entry !== NONE) {
    probeRow(probe, quantized, vector);
    store<u32>(shop.starts, shop.entry);
    let starts: u32 = 1;
    for (let level = shop.entryLevel; ; level--) {
      walkLevel(graph, quantized, probe, level, shop.starts, starts, walk, level > own ? STARTS : CANDIDATES);
      if (level <= own) {
        const chosen = choose(shop, level, walk.met, walk.count, mostNeighbours(level));
        link(shop, level, placeOf(graph, level, vector), chosen);
      }
      if (level === 0) break;
      starts = startsBelow(graph, level, walk, STARTS, shop.starts);
    }
    if (own <= shop.entryLevel) return;
  }
  shop.entry = placeOf(graph, own, vector);
  shop.entryLevel = own;
}

/**
 * Selects up to `most` of `count` Met, best first, such that the neighbours of a member are in different directions: see {@link
 * SLACK}. Their indices are in `chosen`.
 */
export function choose(shop: Workshop, level: u32, met: usize, count: u32, most: u32): u32 {
  const quantized = changetype<Quantized>(shop.quantized);
  const other = changetype<Probe>(shop.other);
  let chosen: u32 = 0;
  for (let i: u32 = 0; i < count && chosen < most; i++) {
    const candidate = changetype<Met>(met + <usize>i * offsetof<Met>());
    if (chosen > 0) probeRow(other, quantized, vectorIn(shop.graph, level, placeMet(candidate)));
    let apart = true;
    for (let j: u32 = 0; j < chosen && apart; j++) {
      const before = changetype<Met>(met + <usize>load<u32>(shop.chosen + ((<usize>j) << 2)) * offsetof<Met>());
      const between = rowCosine(other, quantized, vectorIn(shop.graph, level, placeMet(before)));
      apart = (<f32>1 - between) * SLACK > <f32>1 - candidate.cosine;
    }
    if (!apart) continue;
    store<u32>(shop.chosen + ((<usize>chosen) << 2), i);
    chosen++;
  }
  return chosen;
}

/** Links a new member with the selected neighbours, in both directions. */
function link(shop: Workshop, level: u32, place: u32, chosen: u32): void {
  const walk = changetype<Walk>(shop.walk);
  const neighbours = neighboursAt(shop.graph, level, place);
  for (let i: u32 = 0; i < chosen; i++) {
    const index = load<u32>(shop.chosen + ((<usize>i) << 2));
    const neighbour = placeMet(metAt(walk, index));
    store<u32>(neighbours + ((<usize>i) << 2), neighbour);
    if (level > 0) continue;
    store<f32>(cosineAt(shop, place, i), metAt(walk, index).cosine);
    countLink(shop, neighbour, 1);
  }
  // `chosen` is overwritten when a neighbour has too many links, so the list is read from the graph.
  for (let i: u32 = 0; i < chosen; i++) {
    const neighbour = load<u32>(neighbours + ((<usize>i) << 2));
    linkBack(shop, level, neighbour, place);
  }
}

/** Restores links of neighbours to a member of level 0 that has lost them. */
function regainLinks(shop: Workshop, member: u32): void {
  if (load<u8>(shop.levels + member) === 255) return;
  const neighbours = neighboursAt(shop.graph, 0, member);
  if (linksTo(shop, member) >= KEPT_LINKS) return;
  probeRow(changetype<Probe>(shop.probe), changetype<Quantized>(shop.quantized), member);
  for (let i: usize = 0; i < <usize>mostNeighbours(0) && linksTo(shop, member) < KEPT_LINKS; i++) {
    const neighbour = load<u32>(neighbours + (i << 2));
    if (neighbour === NONE) return;
    if (!isLinked(shop, neighbour, member)) linkBack(shop, 0, neighbour, member);
  }
}

function isLinked(shop: Workshop, from: u32, to: u32): bool {
  const neighbours = neighboursAt(shop.graph, 0, from);
  for (let i: usize = 0; i < <usize>mostNeighbours(0); i++) if (load<u32>(neighbours + (i << 2)) === to) return true;
  return false;
}

function cosineAt(shop: Workshop, place: u32, index: u32): usize {
  return shop.cosines + ((<usize>place * <usize>mostNeighbours(0) + <usize>index) << 2);
}

/** Adds `place`, whose probe is the workshop's, to the neighbours of a member; if there are too many they are selected again. */
function linkBack(shop: Workshop, level: u32, member: u32, place: u32): void {
  const quantized = changetype<Quantized>(shop.quantized);
  const neighbours = neighboursAt(shop.graph, level, member);
  const most = mostNeighbours(level);
  const cosine = rowCosine(changetype<Probe>(shop.probe), quantized, vectorIn(shop.graph, level, member));
  let count: u32 = 0;
  while (count < most && load<u32>(neighbours + ((<usize>count) << 2)) !== NONE) count++;
  if (count < most) {
    store<u32>(neighbours + ((<usize>count) << 2), place);
    if (level > 0) return;
    store<f32>(cosineAt(shop, member, count), cosine);
    countLink(shop, place, 1);
    return;
  }
  crowdOf(shop, level, member, count);
  crowdInsert(shop, count, cosine, place);
  chooseNeighbours(shop, level, member, count + 1);
}

/** Selects the neighbours of a member from the `count` candidates in the crowd. */
export function chooseNeighbours(shop: Workshop, level: u32, member: u32, count: u32): void {
  const neighbours = neighboursAt(shop.graph, level, member);
  const most = mostNeighbours(level);
  let chosen = choose(shop, level, shop.crowd, count, most);
  if (level === 0) {
    for (let i: usize = 0; i < <usize>most; i++) {
      const before = load<u32>(neighbours + (i << 2));
      if (before === NONE) break;
      countLink(shop, before, -1);
    }
    chosen = keepLinks(shop, count, chosen, most);
  }
  for (let i: u32 = 0; i < most; i++) {
    const kept = i < chosen ? crowdAt(shop, load<u32>(shop.chosen + ((<usize>i) << 2))) : null;
    store<u32>(neighbours + ((<usize>i) << 2), kept ? kept.place : NONE);
    if (!kept || level > 0) continue;
    store<f32>(cosineAt(shop, member, i), kept.cosine);
    countLink(shop, kept.place, 1);
  }
}

function linksTo(shop: Workshop, place: u32): u32 {
  return load<u32>(shop.links + ((<usize>place) << 2));
}

export function countLink(shop: Workshop, place: u32, change: i32): void {
  const at = shop.links + ((<usize>place) << 2);
  store<u32>(at, load<u32>(at) + change);
}

/** Adds candidates that have too few incoming links to those selected, or in place of the farthest ones that have more. */
function keepLinks(shop: Workshop, count: u32, before: u32, most: u32): u32 {
  let chosen = before;
  let kept: u32 = 0;
  for (let i: u32 = 0; i < chosen; i++) if (linksTo(shop, chosenAt(shop, i).place) < KEPT_LINKS) kept++;
  let next: u32 = 0;
  for (let i: u32 = 0; i < count && kept < MAX_KEPT_NEIGHBOURS; i++) {
    // The first `before` candidates chosen ascend; some of their places may have been reused.
    while (next < before && load<u32>(shop.chosen + ((<usize>next) << 2)) < i) next++;
    if (next < before && load<u32>(shop.chosen + ((<usize>next) << 2)) === i) continue;
    if (linksTo(shop, crowdAt(shop, i).place) >= KEPT_LINKS) continue;
    let at = chosen;
    if (chosen < most) chosen++;
    else while (at > 0 && linksTo(shop, chosenAt(shop, --at).place) < KEPT_LINKS) {}
    store<u32>(shop.chosen + ((<usize>at) << 2), i);
    kept++;
  }
  return chosen;
}

function chosenAt(shop: Workshop, index: u32): Met {
  return crowdAt(shop, load<u32>(shop.chosen + ((<usize>index) << 2)));
}

/** Lists the neighbours of a member with their cosines, best first. */
function crowdOf(shop: Workshop, level: u32, member: u32, count: u32): void {
  const quantized = changetype<Quantized>(shop.quantized);
  const other = changetype<Probe>(shop.other);
  const neighbours = neighboursAt(shop.graph, level, member);
  probeRow(other, quantized, vectorIn(shop.graph, level, member));
  for (let i: u32 = 0; i < count; i++) {
    const place = load<u32>(neighbours + ((<usize>i) << 2));
    const known: f32 = level === 0 ? load<f32>(cosineAt(shop, member, i)) : NaN;
    const cosine = isNaN<f32>(known) ? rowCosine(other, quantized, vectorIn(shop.graph, level, place)) : known;
    crowdInsert(shop, i, cosine, place);
  }
}

export function crowdAt(shop: Workshop, index: u32): Met {
  return changetype<Met>(shop.crowd + <usize>index * offsetof<Met>());
}

/** Inserts a candidate into the sorted crowd of `count`. */
export function crowdInsert(shop: Workshop, count: u32, cosine: f32, place: u32): void {
  let at = count;
  for (; at > 0; at--) {
    const before = crowdAt(shop, at - 1);
    if (before.cosine >= cosine) break;
    const moved = crowdAt(shop, at);
    moved.cosine = before.cosine;
    moved.place = before.place;
  }
  const entry = crowdAt(shop, at);
  entry.cosine = cosine;
  entry.place = place;
}
