import { Graph, nodeAt } from '../graph/graph';
import { alloc } from '../runtime/arena';

/**
 * The greatest sum of a weight (u32 per node) over the nodes of an interpretation, including interpretations that no document
 * satisfies.
 */
export function greatestSum(graph: Graph, weights: usize): u32 {
  const best = alloc((<usize>graph.termCount + 1) << 2);
  memory.fill(best, 0, (<usize>graph.termCount + 1) << 2);
  for (let id: u32 = 0; id < graph.nodeCount; id++) {
    const node = nodeAt(graph, id);
    const cell = best + ((<usize>(node.last + 1)) << 2);
    const sum = load<u32>(best + ((<usize>node.first) << 2)) + load<u32>(weights + ((<usize>id) << 2));
    if (sum > load<u32>(cell)) store<u32>(cell, sum);
  }
  return load<u32>(best + ((<usize>graph.termCount) << 2));
}
