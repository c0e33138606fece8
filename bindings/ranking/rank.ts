import type { EngineFunctions } from '../engine/exports.js';
import type { Bucket, Step } from './bucket.js';
import { exactWordsRule, typoRule } from './choice-rules.js';
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
  engine: EngineFunctions;
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

/** Buckets that were read, the last one first: a list takes less memory than an array, and most have one member. */
interface ReadBuckets {
  bitmap: number;
  before: ReadBuckets | null;
}

/** Takes the next tie group; false: that is enough. */
export type TakeGroup = (group: TieGroup) => boolean;

/**
 * The documents of a bucket, best first, tie group by tie group. What a group was told from is released when the next is read.
 * Answers false when no more were wanted.
 */
export function rank(run: RankingRun, bucket: Bucket, steps: readonly Step[], take: TakeGroup): boolean {
  const { scratch } = run.space;
  const rule = run.rules[steps.length];
  if (!rule || (bucket.count === 1 && !run.detailed)) return take({ bitmap: bucket.bitmap, count: bucket.count, steps });
  if (run.expired()) return skip(run, bucket.bitmap, bucket.count, steps, take);
  let read: ReadBuckets | null = null;
  for (const inner of EVALUATIONS[rule.kind](run, rule, bucket)) {
    const here = [...steps, inner.step as Step];
    if (isBelow(run, here)) {
      remove(run, unread(run, bucket, read));
      return true;
    }
    read = { bitmap: inner.bitmap, before: read };
    const mark = scratch.mark();
    if (!rank(run, inner, here, take)) return false;
    scratch.release(mark);
    if (run.expired()) {
      const bitmap = unread(run, bucket, read);
      const count = run.engine.bitmapCount(bitmap, run.space.sources.reader.bitmapBytes);
      return count === 0 || skip(run, bitmap, count, steps, take);
    }
  }
  return true;
}

/** The documents of a bucket that are not in the inner ones read so far. */
function unread({ engine, space }: RankingRun, bucket: Bucket, read: ReadBuckets | null): number {
  const { reader } = space.sources;
  const rest = reader.newBitmap();
  engine.bitmapCopy(rest, bucket.bitmap, reader.bitmapBytes);
  for (let each = read; each; each = each.before) engine.bitmapAndNot(rest, each.bitmap, reader.bitmapBytes);
  return rest;
}

/** Documents that there is no time to rank any further. */
function skip(run: RankingRun, bitmap: number, count: number, steps: readonly Step[], take: TakeGroup): boolean {
  const reached = [...steps, SKIPPED];
  if (!isBelow(run, reached)) return take({ bitmap, count, steps: reached });
  remove(run, bitmap);
  return true;
}

function remove(run: RankingRun, bitmap: number): void {
  run.engine.bitmapOr(run.removed, bitmap, run.space.sources.reader.bitmapBytes);
}

/** Is what the rules said so far below the threshold? It can only fall. */
function isBelow(run: RankingRun, steps: readonly Step[]): boolean {
  return run.threshold !== null && steps.some((step) => step.max !== undefined) && rankedScore(steps) < run.threshold;
}
