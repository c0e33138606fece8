import type { MatchingStrategy } from '../query/request.js';
import type { QueryGraph } from './graph.js';
import type { QueryNode } from './node.js';

/** Which nodes may be dropped, lowest group first; nodes that must stay have the group Infinity. */
export type RemovalGroups = ReadonlyMap<QueryNode, number>;

export function removalGroups(graph: QueryGraph, strategy: MatchingStrategy): RemovalGroups {
  const order = strategy === 'frequency' ? byFrequency(graph) : graph.terms.map((_, index) => graph.terms.length - index);
  const groups = new Map<QueryNode, number>();
  let last = 0;
  let anyPhrase = false;
  for (const node of graph.nodes) {
    if (node.isPhrase) {
      anyPhrase = true;
      groups.set(node, Number.POSITIVE_INFINITY);
      continue;
    }
    const group = Math.max(...order.slice(node.first, node.last + 1));
    groups.set(node, group);
    last = Math.max(last, group);
  }
  // without a phrase something must stay
  if (!anyPhrase) for (const [node, group] of groups) if (group === last) groups.set(node, Number.POSITIVE_INFINITY);
  return groups;
}

/** The most frequent term has 1; a term that no document holds goes before everything; equal frequencies share a number. */
function byFrequency(graph: QueryGraph): number[] {
  const { engine, reader } = graph.space.sources;
  const frequencies = graph.terms.map((_, index) => {
    const union = reader.newBitmap();
    for (const node of graph.nodes) {
      if (node.first <= index && index <= node.last && node.documents !== 0) {
        engine.bitmapOr(union, node.documents, reader.bitmapBytes);
      }
    }
    return engine.bitmapCount(union, reader.bitmapBytes) || Number.POSITIVE_INFINITY;
  });
  const distinct = [...new Set(frequencies)].sort((a, b) => (a === b ? 0 : b - a));
  return frequencies.map((frequency) => distinct.indexOf(frequency) + 1);
}
