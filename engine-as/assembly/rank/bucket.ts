import { Context } from '../costs/context';
import { Live } from '../graph/interpretations';
import { PlanRule, Step, VALUE_NONE } from '../plan/plan';
import { Search } from '../plan/search';
import { alloc } from '../runtime/arena';

/** Documents that the rules so far hold for equal, best bucket first. */
@unmanaged
export class Bucket {
  /** over slots */
  bitmap: usize;
  count: u32;
  /** u32[count] slots, ascending where there is one segment; 0: they are not known */
  slots: usize;
  live: Live;
  /** occurrences read for a bucket that holds this one; 0: none */
  context: Context;
  /** what the rule before said; 0 for the bucket of all candidates */
  step: Step;
}

export function bucketOf(bitmap: usize, count: u32, live: Live, context: Context, step: Step): Bucket {
  const bucket = changetype<Bucket>(alloc(offsetof<Bucket>()));
  bucket.bitmap = bitmap;
  bucket.count = count;
  bucket.slots = 0;
  bucket.live = live;
  bucket.context = context;
  bucket.step = step;
  return bucket;
}

/** What a rule that ranks says. */
export function rankStep(rule: u32, rank: u32, max: u32): Step {
  const step = changetype<Step>(alloc(offsetof<Step>()));
  step.rule = rule;
  step.rank = rank;
  step.max = max;
  step.valueKind = VALUE_NONE;
  step.number = 0;
  step.text = 0;
  step.textLength = 0;
  return step;
}

export function ruleAt(search: Search, index: u32): PlanRule {
  return changetype<PlanRule>(search.plan.rules + <usize>index * offsetof<PlanRule>());
}
