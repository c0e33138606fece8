/** Builds a graph by inserting members one after the other. The same vectors in the same order give the same graph. */
import { arenaMark, arenaReset } from '../runtime/arena';
import { NONE } from '../segment/layout';
import { carryOver } from './carry-over';
import { choose } from './choose';
import { GraphHeader, mostNeighbours, placeOf } from './graph';
import { link, regainLinks } from './link';
import { Probe, probeRow } from './probe';
import { Quantized } from './quantized';
import { startsBelow, Walk, walkLevel } from './walk';
import { CANDIDATES, STARTS, Workshop, workshopCreate } from './workshop';

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
