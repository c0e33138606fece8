/** Builds a graph by inserting members one after the other. The same vectors in the same order give the same graph. */
import { arenaMark, arenaReset } from '../runtime/arena';
import { NONE } from '../segment/layout';
import { carryOver } from './carry-over';
import { choose } from './choose';
import { GraphHeader, mostNeighbours, placeOf } from './graph';
import { EF_CONSTRUCTION, GraphBuilder, graphBuilderCreate, STARTS } from './graph-builder';
import { link, regainLinks } from './link';
import { Probe, probeRow } from './probe';
import { Quantized } from './quantized';
import { startsBelow, Walk, walkLevel } from './walk';

/**
 * Links all members of a graph without links. `old`: a graph to start from, or 0; `origins`: u32 per vector, its number there or
 * NONE.
 */
export function graphLink(graph: usize, quantized: Quantized, levels: usize, old: usize, origins: usize): void {
  const header = changetype<GraphHeader>(graph);
  const mark = arenaMark();
  const builder = graphBuilderCreate(graph, quantized, levels);
  const carried = old !== 0 && carryOver(builder, old, origins);
  for (let vector: u32 = 0; vector < quantized.count; vector++) {
    if (load<u8>(levels + vector) === 255) continue;
    if (carried && load<u32>(origins + ((<usize>vector) << 2)) !== NONE) continue;
    insertMember(builder, vector);
  }
  if (carried) for (let vector: u32 = 0; vector < quantized.count; vector++) regainLinks(builder, vector);
  header.entry = builder.entry;
  arenaReset(mark);
}

function insertMember(builder: GraphBuilder, vector: u32): void {
  const graph = builder.graph;
  const quantized = changetype<Quantized>(builder.quantized);
  const probe = changetype<Probe>(builder.probe);
  const walk = changetype<Walk>(builder.walk);
  const own = <u32>load<u8>(builder.levels + vector);
  if (builder.entry !== NONE) {
    probeRow(probe, quantized, vector);
    store<u32>(builder.starts, builder.entry);
    let starts: u32 = 1;
    for (let level = builder.entryLevel; ; level--) {
      walkLevel(graph, quantized, probe, level, builder.starts, starts, walk, level > own ? STARTS : EF_CONSTRUCTION);
      if (level <= own) {
        const chosen = choose(builder, level, walk.candidates, walk.count, mostNeighbours(level));
        link(builder, level, placeOf(graph, level, vector), chosen);
      }
      if (level === 0) break;
      starts = startsBelow(graph, level, walk, STARTS, builder.starts);
    }
    if (own <= builder.entryLevel) return;
  }
  builder.entry = placeOf(graph, own, vector);
  builder.entryLevel = own;
}
