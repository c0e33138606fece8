/** Selects the neighbours of a member from candidates. */
import { NONE } from '../segment/layout';
import { mostNeighbours, neighboursAt, vectorIn } from './graph';
import { countLink, covererAt, GraphBuilder, KEPT_LINKS, linksTo, setNeighbour, UNKNOWN } from './graph-builder';
import { Probe, probeRow, rowCosine } from './probe';
import { Quantized } from './quantized';
import { Candidate, placeOfCandidate } from './walk';

/**
 * A candidate is covered by a neighbour that is nearer to it, by squared distance times this factor, than the member is.
 * Slightly more than 1, which keeps more links to regions that are reached from afar.
 */
const SLACK: f32 = 1.1;

/** Up to this many neighbours of a member are kept because few others link to them. */
const MAX_KEPT_NEIGHBOURS: u32 = 16;

/** Whether a neighbour covers a candidate. `between`: cosine of these two; `cosine`: of the candidate and the member. */
export function covers(between: f32, cosine: f32): bool {
  return (<f32>1 - between) * SLACK <= <f32>1 - cosine;
}

/**
 * Selects up to `most` of `count` candidates, best first, none of which covers another, so that they are in different directions.
 * `candidates`: Candidate[count]. Their indices are in `chosen`.
 */
export function choose(builder: GraphBuilder, level: u32, candidates: usize, count: u32, most: u32): u32 {
  const quantized = changetype<Quantized>(builder.quantized);
  const other = changetype<Probe>(builder.other);
  let chosen: u32 = 0;
  for (let i: u32 = 0; i < count && chosen < most; i++) {
    const candidate = changetype<Candidate>(candidates + <usize>i * offsetof<Candidate>());
    if (chosen > 0) probeRow(other, quantized, vectorIn(builder.graph, level, placeOfCandidate(candidate)));
    let apart = true;
    for (let j: u32 = 0; j < chosen && apart; j++) {
      const before = changetype<Candidate>(
        candidates + <usize>load<u32>(builder.chosen + ((<usize>j) << 2)) * offsetof<Candidate>(),
      );
      const between = rowCosine(other, quantized, vectorIn(builder.graph, level, placeOfCandidate(before)));
      apart = !covers(between, candidate.cosine);
    }
    if (!apart) continue;
    store<u32>(builder.chosen + ((<usize>chosen) << 2), i);
    chosen++;
  }
  return chosen;
}

/** Selects the neighbours of a member from the first `count` candidates of the builder. */
export function chooseNeighbours(builder: GraphBuilder, level: u32, member: u32, count: u32): void {
  const neighbours = neighboursAt(builder.graph, level, member);
  const most = mostNeighbours(level);
  let chosen = choose(builder, level, builder.candidates, count, most);
  if (level === 0) {
    for (let i: usize = 0; i < <usize>most; i++) {
      const before = load<u32>(neighbours + (i << 2));
      if (before === NONE) break;
      countLink(builder, before, -1);
    }
    chosen = keepLinks(builder, count, chosen, most);
    memory.fill(covererAt(builder, neighbours), <u8>UNKNOWN, most);
  }
  for (let i: u32 = 0; i < most; i++) {
    const slot = neighbours + ((<usize>i) << 2);
    if (i < chosen) {
      const kept = candidateAt(builder, load<u32>(builder.chosen + ((<usize>i) << 2)));
      setNeighbour(builder, level, slot, kept.place, kept.cosine);
    } else store<u32>(slot, NONE);
  }
}

/**
 * Adds those of the first `count` candidates that have too few incoming links to the `before` chosen ones, or in place of the farthest
 * ones that have more. The indices in `chosen` ascend, before and after. Links from the member to its neighbours must not be counted.
 */
export function keepLinks(builder: GraphBuilder, count: u32, before: u32, most: u32): u32 {
  let chosen = before;
  let kept: u32 = 0;
  for (let i: u32 = 0; i < chosen; i++) if (linksTo(builder, chosenAt(builder, i).place) < KEPT_LINKS) kept++;
  let next: u32 = 0;
  for (let i: u32 = 0; i < count && kept < MAX_KEPT_NEIGHBOURS; i++) {
    // The first `before` candidates chosen ascend; some of their places may have been reused.
    while (next < before && load<u32>(builder.chosen + ((<usize>next) << 2)) < i) next++;
    if (next < before && load<u32>(builder.chosen + ((<usize>next) << 2)) === i) continue;
    if (linksTo(builder, candidateAt(builder, i).place) >= KEPT_LINKS) continue;
    let at = chosen;
    if (chosen < most) chosen++;
    else while (at > 0 && linksTo(builder, chosenAt(builder, --at).place) < KEPT_LINKS) {}
    store<u32>(builder.chosen + ((<usize>at) << 2), i);
    kept++;
  }
  sortChosen(builder, chosen);
  return chosen;
}

function sortChosen(builder: GraphBuilder, count: u32): void {
  for (let i: u32 = 1; i < count; i++) {
    const index = load<u32>(builder.chosen + ((<usize>i) << 2));
    let at = builder.chosen + ((<usize>i) << 2);
    for (; at > builder.chosen && load<u32>(at - 4) > index; at -= 4) store<u32>(at, load<u32>(at - 4));
    store<u32>(at, index);
  }
}

function chosenAt(builder: GraphBuilder, index: u32): Candidate {
  return candidateAt(builder, load<u32>(builder.chosen + ((<usize>index) << 2)));
}

export function candidateAt(builder: GraphBuilder, index: u32): Candidate {
  return changetype<Candidate>(builder.candidates + <usize>index * offsetof<Candidate>());
}

/** Inserts a candidate into the first `count`, which are sorted. */
export function insertCandidate(builder: GraphBuilder, count: u32, cosine: f32, place: u32): void {
  let at = count;
  for (; at > 0; at--) {
    const before = candidateAt(builder, at - 1);
    if (before.cosine >= cosine) break;
    const moved = candidateAt(builder, at);
    moved.cosine = before.cosine;
    moved.place = before.place;
  }
  const entry = candidateAt(builder, at);
  entry.cosine = cosine;
  entry.place = place;
}
