/** Links a new member with its neighbours, in both directions. */
import { NONE } from '../segment/layout';
import { chooseNeighbours, insertCandidate } from './choose';
import { mostNeighbours, neighboursAt, neighboursBytes, vectorIn } from './graph';
import { cosineAt, GraphBuilder, KEPT_LINKS, linksTo, setNeighbour } from './graph-builder';
import { addNeighbour } from './neighbour-list';
import { Probe, probeRow, rowCosine } from './probe';
import { Quantized } from './quantized';
import { placeOfCandidate, Walk, walkCandidate, walkReset } from './walk';

/** Links a member, for which the builder's probe was set and the last walk was done, with the `chosen` candidates. */
export function link(builder: GraphBuilder, level: u32, place: u32, chosen: u32): void {
  const walk = changetype<Walk>(builder.walk);
  const neighbours = neighboursAt(builder.graph, level, place);
  for (let i: u32 = 0; i < chosen; i++) {
    const candidate = walkCandidate(walk, load<u32>(builder.chosen + ((<usize>i) << 2)));
    setNeighbour(builder, level, neighbours + ((<usize>i) << 2), placeOfCandidate(candidate), candidate.cosine);
  }
  // `chosen` is overwritten where neighbours are selected again, so the list is read from the graph.
  for (let i: u32 = 0; i < chosen; i++) {
    const slot = neighbours + ((<usize>i) << 2);
    linkBack(builder, level, load<u32>(slot), place, load<f32>(cosineAt(builder, slot)));
  }
}

/** Adds a member to the neighbours of another one; if there are too many, they are selected again. */
function linkBack(builder: GraphBuilder, level: u32, member: u32, place: u32, cosine: f32): void {
  if (level === 0) {
    addNeighbour(builder, member, place, cosine);
    return;
  }
  const neighbours = neighboursAt(builder.graph, level, member);
  const end = neighbours + neighboursBytes(level);
  let slot = neighbours;
  while (slot < end && load<u32>(slot) !== NONE) slot += 4;
  if (slot < end) {
    setNeighbour(builder, level, slot, place, cosine);
    return;
  }
  completeCosines(builder, level, member, neighbours, end);
  chooseAmong(builder, level, member, neighbours, place, cosine);
}

/** Selects the neighbours of a member again, among them and another one. The cosines of all of them must be known. */
function chooseAmong(builder: GraphBuilder, level: u32, member: u32, neighbours: usize, place: u32, cosine: f32): void {
  const count = mostNeighbours(level);
  for (let i: u32 = 0; i < count; i++) {
    const slot = neighbours + ((<usize>i) << 2);
    insertCandidate(builder, i, load<f32>(cosineAt(builder, slot)), load<u32>(slot));
  }
  insertCandidate(builder, count, cosine, place);
  chooseNeighbours(builder, level, member, count + 1);
}

/** Computes those cosines of neighbours that are not known, because the links were copied from an older graph. */
function completeCosines(builder: GraphBuilder, level: u32, member: u32, from: usize, end: usize): void {
  const quantized = changetype<Quantized>(builder.quantized);
  const other = changetype<Probe>(builder.other);
  let isSet = false;
  for (let slot = from; slot < end; slot += 4) {
    const at = cosineAt(builder, slot);
    if (!isNaN<f32>(load<f32>(at))) continue;
    if (!isSet) probeRow(other, quantized, vectorIn(builder.graph, level, member));
    isSet = true;
    store<f32>(at, rowCosine(other, quantized, vectorIn(builder.graph, level, load<u32>(slot))));
  }
}

/** Restores links of neighbours to a member of level 0 that has lost them. */
export function regainLinks(builder: GraphBuilder, member: u32): void {
  if (load<u8>(builder.levels + member) === 255) return;
  const neighbours = neighboursAt(builder.graph, 0, member);
  if (linksTo(builder, member) >= KEPT_LINKS) return;
  probeRow(changetype<Probe>(builder.probe), changetype<Quantized>(builder.quantized), member);
  walkReset(changetype<Walk>(builder.walk));
  for (let i: usize = 0; i < <usize>mostNeighbours(0) && linksTo(builder, member) < KEPT_LINKS; i++) {
    const neighbour = load<u32>(neighbours + (i << 2));
    if (neighbour === NONE) return;
    if (isLinked(builder, neighbour, member)) continue;
    const cosine = rowCosine(changetype<Probe>(builder.probe), changetype<Quantized>(builder.quantized), neighbour);
    linkBack(builder, 0, neighbour, member, cosine);
  }
}

function isLinked(builder: GraphBuilder, from: u32, to: u32): bool {
  const neighbours = neighboursAt(builder.graph, 0, from);
  for (let i: usize = 0; i < <usize>mostNeighbours(0); i++) if (load<u32>(neighbours + (i << 2)) === to) return true;
  return false;
}
