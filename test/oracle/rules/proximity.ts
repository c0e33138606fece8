import type { IndexedDocument } from '../corpus.js';
import type { QueryGraph } from '../graph.js';
import { isContiguous, type NodeState, satisfies, standing, stateKey } from '../state.js';
import { type Bucket, bucketsByCost, cheapestVariant, greatestCost, type RankedBucket, type RuleContext, sum } from './bucket.js';

/** Cost of two words that are not near each other. */
const FAR = 3;
/** Words in reverse order count as one farther apart, up to this. */
const FARTHEST_REVERSED = 2;

/** Documents whose words are near each other, in the order of the query, come first. */
export function* proximityRule(bucket: Bucket, context: RuleContext): Generator<RankedBucket> {
  const max =
    1 +
    greatestCost(bucket.live, (interpretation) =>
      sum(interpretation.map((state, k) => edgeMaximum(interpretation[k - 1], state) + state.node.size - 1)),
    );
  yield* bucketsByCost(bucket, context, max, (document) => {
    const known = new Map<string, number>();
    return cheapestVariant(bucket.live, (interpretation) => {
      const choices: number[] = [];
      for (const [k, state] of interpretation.entries()) {
        const left = interpretation[k - 1];
        const key = left ? `${stateKey(left)} ${stateKey(state)}` : '';
        const edge = known.get(key) ?? (left && isContiguous(left, state) ? distance(context.graph, document, left, state) : 0);
        if (left) known.set(key, edge);
        // a pair that was found is proof enough; otherwise the node itself must be there
        const proven = left !== undefined && isContiguous(left, state) && edge < FAR;
        if (!proven && !satisfies(document, state)) return null;
        choices.push(edge + state.node.size - 1);
      }
      return { cost: sum(choices), choices, next: interpretation };
    });
  });
}

function edgeMaximum(left: NodeState | undefined, right: NodeState): number {
  return left && isContiguous(left, right) ? FAR : 0;
}

/** 0 for neighbours in order, up to {@link FAR}. */
function distance(graph: QueryGraph, document: IndexedDocument, left: NodeState, right: NodeState): number {
  const { corpus, within } = graph;
  const ending = standing(left, document);
  const beginning = standing(right, document);
  const ends = [...ending.words, ...ending.phrases.map((phrase) => phrase.at(-1) ?? null)];
  const begins = [...beginning.words, ...beginning.phrases.map((phrase) => phrase[0] ?? null)];
  let nearest = FAR;
  for (const a of ends) {
    for (const b of begins) {
      if (a !== null && b !== null) nearest = Math.min(nearest, corpus.pair(document, a, b, within) - 1);
    }
  }
  if (corpus.settings.proximityPrecision === 'byAttribute') return nearest;
  for (const a of ending.words) {
    for (const b of beginning.words) {
      const isListed = !right.node.isShortPrefix || b === right.node.text || !b.startsWith(right.node.text);
      const reversed = isListed ? corpus.pair(document, b, a, within) : Number.POSITIVE_INFINITY;
      if (reversed <= FARTHEST_REVERSED) nearest = Math.min(nearest, reversed);
    }
  }
  return nearest;
}
