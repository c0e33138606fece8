/** Links a new member with its neighbours, in both directions. */
import { NONE } from '../segment/layout';
import { bitmapHas } from '../sets/bitmap';
import { covers } from './choose';
import { mostNeighbours, neighboursAt, neighboursBytes, vectorIn } from './graph';
import { Probe, probeRow, rowCosine } from './probe';
import { Quantized } from './quantized';
import { metAt, placeMet, Walk, walkForget } from './walk';
import { cosineAt, countLink, KEPT_LINKS, linksTo, setNeighbour, Workshop } from './workshop';

/** Links the member that the workshop's probe and last walk are of with the `chosen` candidates. */
export function link(shop: Workshop, level: u32, place: u32, chosen: u32): void {
  const walk = changetype<Walk>(shop.walk);
  const neighbours = neighboursAt(shop.graph, level, place);
  for (let i: u32 = 0; i < chosen; i++) {
    const met = metAt(walk, load<u32>(shop.chosen + ((<usize>i) << 2)));
    setNeighbour(shop, level, neighbours + ((<usize>i) << 2), placeMet(met), met.cosine);
    linkBack(shop, level, placeMet(met), place, met.cosine);
  }
}

/**
 * Adds a member, which the workshop's probe and last walk are of, to the neighbours of another one. When these are full, it may
 * replace one of them. The walk has compared it with all of them, as it has read the neighbours of every candidate, so this takes
 * no further comparison.
 */
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
  // Neighbours with few links stay, unless the new one has fewer. On upper levels links are not counted.
  const few = level === 0 ? min<u32>(KEPT_LINKS, linksTo(shop, place) + 1) : 0;
  let kept: u32 = 0;
  for (let i: u32 = 0; i < mostNeighbours(level); i++) {
    const neighbour = load<u32>(neighbours + ((<usize>i) << 2));
    store<f32>(shop.between + ((<usize>i) << 2), probeCosine(shop, level, neighbour));
    if (level === 0 && linksTo(shop, neighbour) <= few) kept |= (<u32>1) << i;
  }
  const isNeeded = level === 0 && linksTo(shop, place) < KEPT_LINKS;
  const replaced = replacedNeighbour(cosineAt(shop, neighbours), shop.between, mostNeighbours(level), kept, cosine, isNeeded);
  if (replaced === NONE) return;
  slot = neighbours + ((<usize>replaced) << 2);
  if (level === 0) countLink(shop, load<u32>(slot), -1);
  setNeighbour(shop, level, slot, place, cosine);
}

/**
 * Index of the neighbour of a member that another one replaces, NONE: it replaces none. This is the farthest of those that it
 * covers, else the farthest of all if that is farther than itself. It replaces none if a neighbour covers it.
 * `cosines`, `between`: f32[count], cosines of the neighbours with the member and with the other one; `cosine`: of these two;
 * `kept`: neighbours that must stay, a bit each; `isNeeded`: the other one must be added if any may be replaced.
 */
export function replacedNeighbour(cosines: usize, between: usize, count: u32, kept: u32, cosine: f32, isNeeded: bool): u32 {
  let farthest: u32 = NONE;
  let farthestCosine: f32 = isNeeded ? Infinity : cosine;
  let covered: u32 = NONE;
  let coveredCosine: f32 = cosine;
  for (let i: u32 = 0; i < count; i++) {
    const own = load<f32>(cosines + ((<usize>i) << 2));
    const shared = load<f32>(between + ((<usize>i) << 2));
    if (own >= cosine && !isNeeded && covers(shared, cosine)) return NONE;
    if ((kept >> i) & 1) continue;
    if (own < farthestCosine) {
      farthest = i;
      farthestCosine = own;
    }
    if (own < coveredCosine && covers(shared, own)) {
      covered = i;
      coveredCosine = own;
    }
  }
  return covered === NONE ? farthest : covered;
}

/** Cosine of the workshop's probe with a member; that of the last walk where it met the member. */
function probeCosine(shop: Workshop, level: u32, place: u32): f32 {
  const walk = changetype<Walk>(shop.walk);
  if (bitmapHas(walk.visited, place)) return load<f32>(walk.cosines + ((<usize>place) << 2));
  return rowCosine(changetype<Probe>(shop.probe), changetype<Quantized>(shop.quantized), vectorIn(shop.graph, level, place));
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

/** Restores links of neighbours to a member of level 0 that has lost them. */
export function regainLinks(shop: Workshop, member: u32): void {
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
