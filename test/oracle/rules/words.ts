import type { IndexedDocument } from '../corpus.js';
import type { QueryGraph, QueryNode } from '../graph.js';
import { type Interpretation, type NodeState, satisfies, unrestricted } from '../state.js';
import { type Bucket, bucketsByCost, isVisitedBefore, type RankedBucket, type RuleContext, type Variant } from './bucket.js';

export type MatchingStrategy = 'last' | 'all' | 'frequency';

/** Node -> when it is dropped (lower is sooner); never when absent. */
export type RemovalOrder = ReadonlyMap<QueryNode, number>;

/** In which order the words of a query are dropped. */
export function removalOrder(graph: QueryGraph, strategy: MatchingStrategy): RemovalOrder {
  if (strategy === 'all') return new Map();
  const { terms, nodes } = graph;
  const numbers = strategy === 'last' ? terms.map((_, index) => terms.length - index) : frequencyNumbers(graph);
  const order = new Map<QueryNode, number>();
  for (const node of nodes) {
    if (!node.phrase) order.set(node, Math.max(...numbers.slice(node.first, node.last + 1)));
  }
  // without a phrase something must stay: what would be dropped last
  if (terms.every((term) => !term.isPhrase)) {
    const last = Math.max(...order.values());
    for (const [node, number] of order) if (number === last) order.delete(node);
  }
  return order;
}

/** The most frequent words first, words the index does not have before all. */
function frequencyNumbers(graph: QueryGraph): number[] {
  const counts = graph.terms.map((_, index) => {
    const documents = new Set<IndexedDocument>();
    for (const node of graph.nodes) {
      if (node.first > index || node.last < index) continue;
      for (const document of node.documents()) if (satisfies(document, unrestricted(node))) documents.add(document);
    }
    return documents.size === 0 ? Number.POSITIVE_INFINITY : documents.size;
  });
  const descending = [...new Set(counts)].sort((a, b) => (a < b ? 1 : -1));
  return counts.map((count) => descending.indexOf(count) + 1);
}

/** Documents of a universe that match the query, as far as the strategy may reduce it. */
export function matchingDocuments(
  graph: QueryGraph,
  removal: RemovalOrder,
  universe: readonly IndexedDocument[],
): IndexedDocument[] {
  const reduced = new Map<string, NodeState[]>();
  for (const path of graph.paths()) {
    const kept = path.filter((node) => !removal.has(node));
    reduced.set(kept.map((node) => node.id).join(), kept.map(unrestricted));
  }
  const ways = [...reduced.values()];
  return universe.filter((document) => ways.some((way) => way.every((state) => satisfies(document, state))));
}

/**
 * Every way to skip words of an interpretation. Skipping a node forbids keeping one that comes later in the text but would be
 * dropped sooner.
 */
function skips(interpretation: Interpretation, index: number, removal: RemovalOrder): Variant[] {
  let partial: { choices: number[]; next: NodeState[]; cost: number; floor: number }[] = [
    { choices: [], next: [], cost: 0, floor: 0 },
  ];
  for (const state of interpretation) {
    const number = removal.get(state.node);
    partial = partial.flatMap(({ choices, next, cost, floor }) => {
      const ways: typeof partial = [];
      if (number !== undefined) {
        const skipped = { choices: [...choices, 0], next, cost: cost + state.node.size, floor: Math.max(floor, number) };
        ways.push(skipped);
      }
      if (number === undefined || number >= floor) ways.push({ choices: [...choices, 1], next: [...next, state], cost, floor });
      return ways;
    });
  }
  return partial.map(({ choices, next, cost }) => ({ choices, next, cost, interpretation, index }));
}

/** Number of words of the query that a document contains. */
export function* wordsRule(bucket: Bucket, context: RuleContext, removal: RemovalOrder): Generator<RankedBucket> {
  const { graph } = context;
  const variants = bucket.live.interpretations.flatMap((interpretation, index) => skips(interpretation, index, removal));
  variants.sort((a, b) => a.cost - b.cost || (isVisitedBefore(a, b, bucket.live) ? -1 : 1));
  const phraseWords = graph.terms.flatMap((term) => (term.isPhrase ? term.words.filter((word) => word !== null) : []));
  const max = 1 + Math.max(0, phraseWords.length - 1) + Math.max(...variants.map((variant) => variant.cost));
  // documents that satisfy the same nodes take the same variant
  const chosen = new Map<string, Variant | null>();
  yield* bucketsByCost(bucket, context, max, (document) => {
    const satisfied = new Set(graph.nodes.filter((node) => satisfies(document, unrestricted(node))));
    const signature = [...satisfied].map((node) => node.id).join();
    let variant = chosen.get(signature);
    if (variant === undefined) {
      variant = variants.find(({ next }) => next.every((state) => satisfied.has(state.node))) ?? null;
      chosen.set(signature, variant);
    }
    return variant;
  });
}
