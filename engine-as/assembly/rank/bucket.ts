import { Context } from '../costs/context';
import { Live } from '../graph/interpretations';
import { PlanRule, Step, VALUE_NONE } from '../plan/plan';
import { Search } from '../plan/search';
import { alloc } from '../runtime/arena';

/** Documents that are equal by the rules applied so far. */
@unmanaged
export class Bucket {
  /** bitmap over slots */
  bitmap: usize;
  count: u32;
  /** u32[count] slots, ascending; 0: not known, as in a bucket over numbers */
  slots: usize;
  live: Live;
  /** the occurrences read for a larger bucket that contains this one; 0: none */
  context: Context;
  /** the result of the rule before; 0 for the bucket of all candidates */
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

/** The result of a rule that gives ranks. */
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
