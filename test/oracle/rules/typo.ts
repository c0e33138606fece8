import { type Interpretation, lowestClass, type NodeState } from '../state.js';
import { type Bucket, bucketsByCost, cheapestVariant, greatestCost, type RankedBucket, type RuleContext, sum } from './bucket.js';

/** What joining words costs, by their number. */
const JOINING = [0, 0, 2, 3];
const joining = (state: NodeState): number => JOINING[state.node.size] as number;

/** The most typos a node may still be charged: a word without a budget has its split. */
function mostTypos({ node, classes, exactOnly }: NodeState): number {
  if (node.phrase) return 0;
  if (node.budget === 0) return 1;
  return exactOnly ? 0 : Math.max(...classes.filter((typos) => typos <= node.budget), 0);
}

/** Fewer typos first; joined words count as typos too. */
export function* typoRule(bucket: Bucket, context: RuleContext): Generator<RankedBucket> {
  const max = 1 + greatestCost(bucket.live, (i) => sum(i.map((state) => mostTypos(state) + joining(state))));
  yield* bucketsByCost(bucket, context, max, (document) =>
    cheapestVariant(bucket.live, (interpretation: Interpretation) => {
      const choices: number[] = [];
      const next: NodeState[] = [];
      let cost = 0;
      for (const state of interpretation) {
        const typos = lowestClass(state, document);
        if (typos === null) return null;
        cost += typos + joining(state);
        choices.push(typos);
        next.push({ ...state, classes: state.classes.filter((allowed) => allowed === typos) });
      }
      return { cost, choices, next };
    }),
  );
}
