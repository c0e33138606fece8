import type { IndexedDocument, Occurrence } from '../corpus.js';
import { leadingWords, type NodeState, termCount } from '../state.js';
import { type Bucket, bucketsByCost, cheapestVariant, greatestCost, type RankedBucket, type RuleContext, sum } from './bucket.js';

/** Costs of being away from the place a word has in the query: [greatest distance, cost]. */
const PLACE_COSTS: readonly [number, number][] = [
  [0, 0],
  [1, 1],
  [4, 2],
  [7, 3],
  [11, 4],
  [16, 5],
  [24, 6],
  [64, 7],
  [256, 8],
  [1024, 9],
];
const FARTHEST = 10;
const placeCost = (distance: number): number => PLACE_COSTS.find(([to]) => distance <= to)?.[1] ?? FARTHEST;

/** Positions are known exactly up to 15, coarsely after that. */
export function coarsePosition(position: number): number {
  if (position < 16) return position;
  if (position < 24) return 24;
  return Math.min(65535, 2 ** Math.ceil(Math.log2(position)));
}

/** A rule whose cost is the least over the occurrences of each node. */
function* occurrenceRule(
  bucket: Bucket,
  context: RuleContext,
  maxPerTerm: number,
  cost: (state: NodeState, occurrence: Occurrence) => number,
): Generator<RankedBucket> {
  const max = 1 + greatestCost(bucket.live, (interpretation) => maxPerTerm * termCount(interpretation));
  const least = (state: NodeState, document: IndexedDocument): number => {
    let best = Number.POSITIVE_INFINITY;
    for (const word of leadingWords(state, document)) {
      for (const occurrence of document.occurrences.get(word) ?? []) best = Math.min(best, cost(state, occurrence));
    }
    return best;
  };
  yield* bucketsByCost(bucket, context, max, (document) =>
    cheapestVariant(bucket.live, (interpretation) => {
      const choices = interpretation.map((state) => least(state, document));
      const total = sum(choices);
      return Number.isFinite(total) ? { cost: total, choices, next: interpretation } : null;
    }),
  );
}

/** Words in better attributes first. */
export function attributeRankRule(bucket: Bucket, context: RuleContext): Generator<RankedBucket> {
  const { corpus, within } = context.graph;
  return occurrenceRule(bucket, context, corpus.maxWeight, ({ node }, { attribute }) => {
    if (within !== null && !within.has(attribute)) return Number.POSITIVE_INFINITY;
    return (corpus.attributes[attribute]?.weight ?? 0) * node.size;
  });
}

/** Words near the place they have in the query first, in whichever attribute. */
export function wordPositionRule(bucket: Bucket, context: RuleContext): Generator<RankedBucket> {
  return occurrenceRule(bucket, context, FARTHEST, ({ node }, { position }) => {
    const away = Math.abs(coarsePosition(position) - node.start);
    let cost = 0;
    for (let word = 0; word < node.size; word++) cost += placeCost(away + word);
    return cost;
  });
}
