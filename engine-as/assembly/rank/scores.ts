/** Scores of documents, from 0 to 1, from the results of the rules. */
import { PlanRule, RULE_FIELD, RULE_GEO, RULE_SIMILARITY, SKIPPED_RULE, Step, Steps } from '../plan/plan';

/** Kind of a step that was skipped because the deadline had passed; no rule of a plan is of this kind. */
export const NO_RULE: u32 = 0xffffffff;

export function stepOf(steps: Steps, index: u32): Step {
  return changetype<Step>(steps.steps + <usize>index * offsetof<Step>());
}

export function ruleOf(steps: Steps, step: Step): PlanRule {
  return changetype<PlanRule>(steps.rules + <usize>step.rule * offsetof<PlanRule>());
}

/** RULE_… or {@link NO_RULE} */
export function kindOf(steps: Steps, index: u32): u32 {
  const step = stepOf(steps, index);
  return step.rule === SKIPPED_RULE ? NO_RULE : ruleOf(steps, step).kind;
}

/** The combined score of the steps `from` … `end` - 1: 1 if none of them has ranks. */
export function scoreOf(steps: Steps, from: u32, end: u32): f64 {
  let rank: f64 = 1;
  let max: f64 = 1;
  for (let i = from; i < end; i++) {
    const step = stepOf(steps, i);
    // With a similarity nothing else is scored.
    if (kindOf(steps, i) === RULE_SIMILARITY) return step.number;
    if (step.max === 0) continue;
    rank = (rank - 1) * <f64>step.max + <f64>step.rank;
    max *= <f64>step.max;
  }
  return rank / max;
}

/** Sets the score of each step, and that of all steps. */
export function setScores(steps: Steps): void {
  let run: u32 = 0;
  for (let i: u32 = 0; i < steps.count; i++) {
    const kind = kindOf(steps, i);
    if (kind === RULE_FIELD || kind === RULE_GEO) run = i + 1;
    stepOf(steps, i).score = scoreOf(steps, run, i + 1);
  }
  steps.score = scoreOf(steps, 0, steps.count);
}
