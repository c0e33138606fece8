/** Selects the neighbours of a member from candidates. */
import { NONE } from '../segment/layout';
import { mostNeighbours, neighboursAt, vectorIn } from './graph';
import { Probe, probeRow, rowCosine } from './probe';
import { Quantized } from './quantized';
import { Met, placeMet } from './walk';
import { countLink, KEPT_LINKS, linksTo, setNeighbour, Workshop } from './workshop';

/**
 * A candidate is covered by a neighbour that is nearer to it, by squared distance times this factor, than the member is.
 * Slightly more than 1, which keeps more links to regions that are reached from afar.
 */
const SLACK: f32 = 1.1;

/** Most neighbours of a member that are kept because few others link to them. */
const MAX_KEPT_NEIGHBOURS: u32 = 16;

/** Whether a neighbour covers a candidate. `between`: cosine of these two; `cosine`: of the candidate and the member. */
export function covers(between: f32, cosine: f32): bool {
  return (<f32>1 - between) * SLACK <= <f32>1 - cosine;
}

/**
 * Selects up to `most` of `count` Met, best first, none of which covers another, so that they are in different directions.
 * Their indices are in `chosen`.
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
      apart = !covers(between, candidate.cosine);
    }
    if (!apart) continue;
    store<u32>(shop.chosen + ((<usize>chosen) << 2), i);
    chosen++;
  }
  return chosen;
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
