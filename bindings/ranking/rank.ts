import type { Bucket, Step } from './bucket.js';
import { exactWordsRule, typoRule } from './choice-rules.js';
import type { RankingEngine } from './engine.js';
import { exactAttributeRule } from './exact-attribute-rule.js';
import type { QueryGraph } from './graph.js';
import type { NodeSpace } from './node.js';
import { nearRule, placeRule, weightRule } from './partition-rules.js';
import { positionRule } from './position-rules.js';
import type { RemovalGroups } from './removal.js';
import type { Rule, SortRule } from './rules.js';
import { rankedScore } from './score.js';
import { valueRule } from './value-rules.js';
import { wordsRule } from './words-rule.js';

/** Documents that all rules hold for equal. */
export interface TieGroup {
  bitmap: number;
  count: number;
  steps: readonly Step[];
}

/** One ranking of one query. */
export interface RankingRun {
  space: NodeSpace;
  engine: RankingEngine;
  graph: QueryGraph;
  groups: RemovalGroups | null;
  rules: readonly Rule[];
  /** Bitmap of documents that lost to an equivalent one: they no longer take part. Grows while the ranking is read. 0: none will. */
  dead: number;
  /** An empty bitmap. */
  nothing: number;
  /** Scores or details are asked for: every rule has its say even on a single document. */
  detailed: boolean;
  threshold: number | null;
  /** Bitmap: documents below the threshold are added. */
  removed: number;
  /** Is the time over? */
  expired(): boolean;
}

type RuleEvaluation = (run: RankingRun, rule: Rule, bucket: Bucket) => Generator<Bucket>;

const EVALUATIONS: Record<Rule['kind'], RuleEvaluation> = {
  words: wordsRule,
  typo: typoRule,
  proximity: (run, rule, bucket) => nearRule(run, rule, bucket) ?? positionRule(run, rule, bucket),
  attributeRank: (run, rule, bucket) => weightRule(run, rule, bucket) ?? positionRule(run, rule, bucket),
  wordPosition: (run, rule, bucket) => placeRule(run, rule, bucket) ?? positionRule(run, rule, bucket),
  exactAttribute: exactAttributeRule,
  exactWords: exactWordsRule,
  field: (run, rule, bucket) => valueRule(run, rule as SortRule, bucket),
  geo: (run, rule, bucket) => valueRule(run, rule as SortRule, bucket),
};

const SKIPPED: Step = { rule: { kind: 'skipped' }, rank: 0, max: 1 };

/** The documents of a bucket, best first, tie group by tie group. What a group was told from is released when the next is read. */
export function* rank(run: RankingRun, bucket: Bucket, steps: readonly Step[]): Generator<TieGroup> {
  const { engine, space } = run;
  const { scratch, sources } = space;
  const bytes = sources.reader.bitmapBytes;
  const rule = run.rules[steps.length];
  if (!rule || (bucket.count === 1 && !run.detailed)) {
    yield { bitmap: bucket.bitmap, count: bucket.count, steps };
    return;
  }
  if (run.expired()) {
    yield* skip(run, bucket.bitmap, bucket.count, steps);
    return;
  }
  const read: Bucket[] = [];
  const left = (): number => {
    const rest = sources.reader.newBitmap();
    engine.bitmapCopy(rest, bucket.bitmap, bytes);
    for (const { bitmap } of read) engine.bitmapAndNot(rest, bitmap, bytes);
    return rest;
  };
  for (const inner of EVALUATIONS[rule.kind](run, rule, bucket)) {
    const here = [...steps, inner.step as Step];
    if (isBelow(run, here)) {
      engine.bitmapOr(run.removed, left(), bytes);
      return;
    }
    read.push(inner);
    const mark = scratch.mark();
    yield* rank(run, inner, here);
    scratch.release(mark);
    if (run.expired()) {
      const bitmap = left();
      const count = engine.bitmapCount(bitmap, bytes);
      if (count > 0) yield* skip(run, bitmap, count, steps);
      return;
    }
  }
}

/** Documents that there is no time to rank any further. */
function* skip(run: RankingRun, bitmap: number, count: number, steps: readonly Step[]): Generator<TieGroup> {
  const reached = [...steps, SKIPPED];
  if (isBelow(run, reached)) run.engine.bitmapOr(run.removed, bitmap, run.space.sources.reader.bitmapBytes);
  else yield { bitmap, count, steps: reached };
}

/** Is what the rules said so far below the threshold? It can only fall. */
function isBelow(run: RankingRun, steps: readonly Step[]): boolean {
  return run.threshold !== null && steps.some((step) => step.max !== undefined) && rankedScore(steps) < run.threshold;
}
