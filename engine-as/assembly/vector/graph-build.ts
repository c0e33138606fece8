/** Builds a graph by inserting members one after the other. The same vectors in the same order give the same graph. */
import { alloc, allocZeroed, arenaMark, arenaReset } from '../runtime/arena';
import { NONE } from '../segment/layout';
import { bitmapHas } from '../sets/bitmap';
import { carryOver } from './carry-over';
import { GraphHeader, mostNeighbours, neighboursAt, neighboursBytes, placeOf, vectorIn } from './graph';
import { Probe, probeCreate, probeRow, rowCosine } from './probe';
import { Quantized } from './quantized';
import { Met, metAt, placeMet, startsBelow, Walk, walkCreate, walkForget, walkLevel } from './walk';

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
  /** f32 for each neighbour, at the same offset as in the graph: its cosine, NaN where it is not known yet */
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
  shop.cosines = alloc(changetype<GraphHeader>(graph).length);
  memory.fill(shop.cosines, 0xff, changetype<GraphHeader>(graph).length);
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
    const met = metAt(walk, load<u32>(shop.chosen + ((<usize>i) << 2)));
    setNeighbour(shop, level, neighbours + ((<usize>i) << 2), placeMet(met), met.cosine);
    linkBack(shop, level, placeMet(met), place, met.cosine);
  }
}

function setNeighbour(shop: Workshop, level: u32, slot: usize, place: u32, cosine: f32): void {
  store<u32>(slot, place);
  store<f32>(cosineAt(shop, slot), cosine);
  if (level === 0) countLink(shop, place, 1);
}

/** Restores links of neighbours to a member of level 0 that has lost them. */
function regainLinks(shop: Workshop, member: u32): void {
  if (load<u8>(shop.levels + member) === 255) return;
  const neighbours = neighboursAt(shop.graph, 0, member);
  if (linksTo(shop, member) >= KEPT_LINKS) return;
  probeRow(changetype<Probe>(shop.probe), changetype<Quantized>(shop.quantized), member);
  walkForget(changetype<Walk>(shop.walk));
  for (let i: usize = 0; i < <usize>mostNeighbours(0) && linksTo(shop, member) < KEPT_LINKS; i++) {
    const neighbour = load<u32>(neighbours + (i << 2));
    if (neighbour === NONE) return;
    if (!isLinked(shop, neighbour, member)) linkBack(shop, 0, neighbour, member, probeCosine(shop, 0, neighbour));
  }
}

function isLinked(shop: Workshop, from: u32, to: u32): bool {
  const neighbours = neighboursAt(shop.graph, 0, from);
  for (let i: usize = 0; i < <usize>mostNeighbours(0); i++) if (load<u32>(neighbours + (i << 2)) === to) return true;
  return false;
}

/** f32: the cosine of a neighbour, whose place is at `slot`. */
function cosineAt(shop: Workshop, slot: usize): usize {
  return slot - shop.graph + shop.cosines;
}

/** Cosine of the workshop's probe with a member; that of the last walk where it met the member. */
function probeCosine(shop: Workshop, level: u32, place: u32): f32 {
  const walk = changetype<Walk>(shop.walk);
  if (bitmapHas(walk.visited, place)) return load<f32>(walk.cosines + ((<usize>place) << 2));
  return rowCosine(changetype<Probe>(shop.probe), changetype<Quantized>(shop.quantized), vectorIn(shop.graph, level, place));
}

function isNearer(between: f32, cosine: f32): bool {
  return (<f32>1 - between) * SLACK <= <f32>1 - cosine;
}

/** Adds `place`, whose probe is the workshop's, to the neighbours of a member; */
function linkBack(shop: Workshop, level: u32, member: u32, place: u32, cosine: f32): void {
  const neighbours = neighboursAt(shop.graph, level, member);
  const end = neighbours + neighboursBytes(level);
  let slot = neighbours;
  while (slot < end && load<u32>(slot) !== NONE) slot += 4;
  if (slot < end) {
    setNeighbour(shop, level, slot, place, cosine);
    return;
  }
  completeCosines(shop, level, member, neighbours, end);
  let covered = false;
  for (slot = neighbours; slot < end && !covered; slot += 4) {
    if (load<f32>(cosineAt(shop, slot)) >= cosine) covered = isNearer(probeCosine(shop, level, load<u32>(slot)), cosine);
  }
  if (covered && (level > 0 || linksTo(shop, place) >= KEPT_LINKS)) return;
  let free: usize = 0;
  let farthest: usize = 0;
  for (slot = neighbours; slot < end; slot += 4) {
    const neighbour = load<u32>(slot);
    if (level === 0 && linksTo(shop, neighbour) <= KEPT_LINKS) continue;
    const own = load<f32>(cosineAt(shop, slot));
    if (farthest === 0 || own < load<f32>(cosineAt(shop, farthest))) farthest = slot;
    if (covered || own >= cosine || !isNearer(probeCosine(shop, level, neighbour), own)) continue;
    if (free === 0 || own < load<f32>(cosineAt(shop, free))) free = slot;
  }
  if (free === 0) free = farthest;
  if (free === 0) return;
  if (level === 0) countLink(shop, load<u32>(free), -1);
  setNeighbour(shop, level, free, place, cosine);
}

/** Computes the cosines of neighbours that are not known, as they were copied. */
function completeCosines(shop: Workshop, level: u32, member: u32, from: usize, end: usize): void {
  const quantized = changetype<Quantized>(shop.quantized);
  const other = changetype<Probe>(shop.other);
  let isSet = false;
  for (let slot = from; slot < end; slot += 4) {
    const at = cosineAt(shop, slot);
    if (!isNaN<f32>(load<f32>(at))) continue;
    if (!isSet) probeRow(other, quantized, vectorIn(shop.graph, level, member));
    isSet = true;
    store<f32>(at, rowCosine(other, quantized, vectorIn(shop.graph, level, load<u32>(slot))));
  }
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
    const slot = neighbours + ((<usize>i) << 2);
    if (i < chosen) {
      const kept = crowdAt(shop, load<u32>(shop.chosen + ((<usize>i) << 2)));
      setNeighbour(shop, level, slot, kept.place, kept.cosine);
    } else store<u32>(slot, NONE);
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
