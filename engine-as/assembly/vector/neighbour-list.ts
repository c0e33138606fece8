/**
 * The neighbours of a member of level 0 while members are added one by one. The list records which of them are covered by others, so
 * selecting them again only takes the cosines of the added one with the others, most of which were computed by the walk that found it.
 */
import { NONE } from '../segment/layout';
import { bitmapHas } from '../sets/bitmap';
import { candidateAt, covers, keepLinks } from './choose';
import { BASE_NEIGHBOURS, neighboursAt } from './graph';
import {
  cosineAt,
  countLink,
  covererAt,
  GraphBuilder,
  ListedNeighbour,
  listedAt,
  setNeighbour,
  UNCOVERED,
  UNKNOWN,
} from './graph-builder';
import { Probe, probeRow, rowCosine } from './probe';
import { Quantized } from './quantized';
import { Walk } from './walk';

/**
 * Adds `place`, for which the builder's probe was set, to the neighbours of a member. If there are too many, those that others cover are
 * left out, except those that {@link keepLinks} keeps.
 */
export function addNeighbour(builder: GraphBuilder, member: u32, place: u32, cosine: f32): void {
  const neighbours = neighboursAt(builder.graph, 0, member);
  let count: u32 = 0;
  while (count < BASE_NEIGHBOURS && load<u32>(neighbours + ((<usize>count) << 2)) !== NONE) count++;
  // Of a copied list it is determined what is covered when it is full.
  if (count > 0 && count < BASE_NEIGHBOURS && isNaN<f32>(load<f32>(cosineAt(builder, neighbours)))) {
    setNeighbour(builder, 0, neighbours + ((<usize>count) << 2), place, cosine);
    return;
  }
  readList(builder, member, neighbours, count);
  for (let i: u32 = 0; i < count; i++)
    if (listedAt(builder, i).coverer === UNKNOWN) listedAt(builder, i).coverer = covererOf(builder, i);
  insert(builder, count, place, cosine);
  countLink(builder, place, 1);
  if (count < BASE_NEIGHBOURS) writeAll(builder, neighbours, count + 1);
  else writeSelected(builder, neighbours, count + 1);
}

/** Reads a list into the builder's, sorted, with all cosines. */
function readList(builder: GraphBuilder, member: u32, neighbours: usize, count: u32): void {
  let isProbeSet = false;
  for (let i: u32 = 0; i < count; i++) {
    const slot = neighbours + ((<usize>i) << 2);
    const place = load<u32>(slot);
    let cosine = load<f32>(cosineAt(builder, slot));
    let coverer = <u32>load<u8>(covererAt(builder, slot));
    if (isNaN<f32>(cosine)) {
      if (!isProbeSet) probeRow(changetype<Probe>(builder.other), changetype<Quantized>(builder.quantized), member);
      isProbeSet = true;
      cosine = rowCosine(changetype<Probe>(builder.other), changetype<Quantized>(builder.quantized), place);
    }
    // The list was copied.
    if (isProbeSet) coverer = UNKNOWN;
    let at = i;
    for (; at > 0 && listedAt(builder, at - 1).cosine < cosine; at--) move(builder, at - 1, at);
    put(builder, at, place, cosine, coverer);
  }
}

/** Inserts a member into a list that is sorted, and determines which neighbours it covers, or whether one covers it. */
function insert(builder: GraphBuilder, count: u32, place: u32, cosine: f32): void {
  let at = count;
  for (; at > 0 && listedAt(builder, at - 1).cosine < cosine; at--) move(builder, at - 1, at);
  put(builder, at, place, cosine, UNCOVERED);
  for (let i: u32 = 0; i <= count; i++) {
    const each = listedAt(builder, i);
    if (i !== at && each.coverer < UNKNOWN && each.coverer >= at) each.coverer++;
    each.between = i === at ? 1 : cosineWithAdded(builder, each.place);
  }
  const added = listedAt(builder, at);
  for (let i: u32 = 0; i < at; i++) {
    const nearer = listedAt(builder, i);
    if (nearer.coverer !== UNCOVERED || !covers(nearer.between, cosine)) continue;
    added.coverer = i;
    return;
  }
  for (let i = at + 1; i <= count; i++) {
    const farther = listedAt(builder, i);
    const isFree = farther.coverer !== UNCOVERED && listedAt(builder, farther.coverer).coverer !== UNCOVERED;
    if ((isFree || farther.coverer === UNCOVERED) && covers(farther.between, farther.cosine)) farther.coverer = at;
    else if (isFree) farther.coverer = covererOf(builder, i);
  }
}

/** The first one that is not covered itself and covers a neighbour. */
function covererOf(builder: GraphBuilder, index: u32): u32 {
  const quantized = changetype<Quantized>(builder.quantized);
  const other = changetype<Probe>(builder.other);
  const covered = listedAt(builder, index);
  probeRow(other, quantized, covered.place);
  for (let i: u32 = 0; i < index; i++) {
    const nearer = listedAt(builder, i);
    if (nearer.coverer === UNCOVERED && covers(rowCosine(other, quantized, nearer.place), covered.cosine)) return i;
  }
  return UNCOVERED;
}

/** Cosine with the member that is added, from the last walk if it visited the place. */
function cosineWithAdded(builder: GraphBuilder, place: u32): f32 {
  const walk = changetype<Walk>(builder.walk);
  if (bitmapHas(walk.visited, place)) return load<f32>(walk.cosines + ((<usize>place) << 2));
  return rowCosine(changetype<Probe>(builder.probe), changetype<Quantized>(builder.quantized), place);
}

function writeAll(builder: GraphBuilder, neighbours: usize, count: u32): void {
  for (let i: u32 = 0; i < count; i++) {
    const listed = listedAt(builder, i);
    write(builder, neighbours + ((<usize>i) << 2), listed, listed.coverer);
  }
}

/** Writes those that are not covered, and those that have too few links to them. */
function writeSelected(builder: GraphBuilder, neighbours: usize, count: u32): void {
  let chosen: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const listed = listedAt(builder, i);
    const candidate = candidateAt(builder, i);
    candidate.place = listed.place;
    candidate.cosine = listed.cosine;
    countLink(builder, listed.place, -1);
    if (listed.coverer !== UNCOVERED || chosen === BASE_NEIGHBOURS) continue;
    store<u32>(builder.chosen + ((<usize>chosen) << 2), i);
    chosen++;
  }
  chosen = keepLinks(builder, count, chosen, BASE_NEIGHBOURS);
  for (let slot: u32 = 0; slot < BASE_NEIGHBOURS; slot++) {
    const to = neighbours + ((<usize>slot) << 2);
    if (slot >= chosen) {
      store<u32>(to, NONE);
      continue;
    }
    const listed = listedAt(builder, load<u32>(builder.chosen + ((<usize>slot) << 2)));
    countLink(builder, listed.place, 1);
    write(builder, to, listed, listed.coverer === UNCOVERED ? UNCOVERED : slotOf(builder, listed.coverer, chosen));
  }
}

/** The slot of one of the chosen, or UNKNOWN. */
function slotOf(builder: GraphBuilder, index: u32, chosen: u32): u32 {
  for (let slot: u32 = 0; slot < chosen; slot++) if (load<u32>(builder.chosen + ((<usize>slot) << 2)) === index) return slot;
  return UNKNOWN;
}

function write(builder: GraphBuilder, slot: usize, listed: ListedNeighbour, coverer: u32): void {
  store<u32>(slot, listed.place);
  store<f32>(cosineAt(builder, slot), listed.cosine);
  store<u8>(covererAt(builder, slot), <u8>coverer);
}

function move(builder: GraphBuilder, from: u32, to: u32): void {
  const listed = listedAt(builder, from);
  put(builder, to, listed.place, listed.cosine, listed.coverer);
}

function put(builder: GraphBuilder, at: u32, place: u32, cosine: f32, coverer: u32): void {
  const listed = listedAt(builder, at);
  listed.place = place;
  listed.cosine = cosine;
  listed.coverer = coverer;
}
