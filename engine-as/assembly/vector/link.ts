/** Links a new member with its neighbours, in both directions. */
import { NONE } from '../segment/layout';
import { chooseNeighbours, crowdInsert } from './choose';
import { mostNeighbours, neighboursAt, neighboursBytes, vectorIn } from './graph';
import { Probe, probeRow, rowCosine } from './probe';
import { Quantized } from './quantized';
import { metAt, placeMet, Walk } from './walk';
import { cosineAt, KEPT_LINKS, linksTo, setNeighbour, Workshop } from './workshop';

/** Links the member that the workshop's probe and last walk are of with the `chosen` candidates. */
export function link(shop: Workshop, level: u32, place: u32, chosen: u32): void {
  const walk = changetype<Walk>(shop.walk);
  const neighbours = neighboursAt(shop.graph, level, place);
  for (let i: u32 = 0; i < chosen; i++) {
    const met = metAt(walk, load<u32>(shop.chosen + ((<usize>i) << 2)));
    setNeighbour(shop, level, neighbours + ((<usize>i) << 2), placeMet(met), met.cosine);
  }
  // `chosen` is overwritten where neighbours are selected again, so the list is read from the graph.
  for (let i: u32 = 0; i < chosen; i++) {
    const slot = neighbours + ((<usize>i) << 2);
    linkBack(shop, level, load<u32>(slot), place, load<f32>(cosineAt(shop, slot)));
  }
}

/** Adds a member to the neighbours of another one; if there are too many, they are selected again. */
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
  chooseAmong(shop, level, member, neighbours, place, cosine);
}

/** Selects the neighbours of a member, all of whose cosines are known, again, among them and another one. */
function chooseAmong(shop: Workshop, level: u32, member: u32, neighbours: usize, place: u32, cosine: f32): void {
  const count = mostNeighbours(level);
  for (let i: u32 = 0; i < count; i++) {
    const slot = neighbours + ((<usize>i) << 2);
    crowdInsert(shop, i, load<f32>(cosineAt(shop, slot)), load<u32>(slot));
  }
  crowdInsert(shop, count, cosine, place);
  chooseNeighbours(shop, level, member, count + 1);
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
  for (let i: usize = 0; i < <usize>mostNeighbours(0) && linksTo(shop, member) < KEPT_LINKS; i++) {
    const neighbour = load<u32>(neighbours + (i << 2));
    if (neighbour === NONE) return;
    if (isLinked(shop, neighbour, member)) continue;
    const cosine = rowCosine(changetype<Probe>(shop.probe), changetype<Quantized>(shop.quantized), neighbour);
    linkBack(shop, 0, neighbour, member, cosine);
  }
}

function isLinked(shop: Workshop, from: u32, to: u32): bool {
  const neighbours = neighboursAt(shop.graph, 0, from);
  for (let i: usize = 0; i < <usize>mostNeighbours(0); i++) if (load<u32>(neighbours + (i << 2)) === to) return true;
  return false;
}
