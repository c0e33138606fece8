/** Collects the documents of a ranking until enough are found. */
import { copyOf } from '../derive/sources';
import { RankedHit, SKIPPED_RULE, Step, Steps, VALUE_TEXT } from '../plan/plan';
import { Search } from '../plan/search';
import { alloc, arenaMark, arenaReset } from '../runtime/arena';
import { ruleAt } from './bucket';
import { Distinct, distinctCreate, distinctKeep } from './distinct';
import { memoKeep } from './memo';
import { inOrder, Slots } from './order';

/** What steps grow by. */
const STEPS_CHUNK: usize = 16384;

@unmanaged
export class Collector {
  /** RankedHit[], with room for all that may be wanted */
  hits: usize;
  hitCount: u32;
  needed: u32;
  /** bitmap of the documents that the answer counts */
  counted: usize;
  /** 0: every document is kept */
  distinct: Distinct;
  /** equal documents are evaluated together; without any rule they are taken one at a time, as far as they are wanted */
  tied: bool;
  /** u32[ruleCount + 1]: addresses of the Step of each rule on the way to the bucket at hand */
  path: usize;
  /** room for steps that outlives the buckets */
  free: usize;
  freeEnd: usize;
}

/** `universe`: bitmap of `count` candidates. */
export function collectorCreate(search: Search, universe: usize, count: u32): Collector {
  const plan = search.plan;
  const collector = changetype<Collector>(alloc(offsetof<Collector>()));
  collector.needed = min<u32>(plan.needed, count);
  collector.hits = alloc(<usize>collector.needed * offsetof<RankedHit>() + 16);
  collector.hitCount = 0;
  // only what is found equal or below a threshold is taken out of it
  collector.counted = plan.isDistinct || plan.threshold >= 0 ? copyOf(search, universe) : universe;
  collector.distinct = plan.isDistinct ? distinctCreate(search, universe) : changetype<Distinct>(0);
  collector.tied = plan.ruleCount > 0;
  collector.path = alloc((<usize>plan.ruleCount + 1) << 2);
  collector.free = plan.detailed ? alloc(STEPS_CHUNK) : 0;
  collector.freeEnd = plan.detailed ? collector.free + STEPS_CHUNK : 0;
  return collector;
}

export function isDistinct(collector: Collector): bool {
  return changetype<usize>(collector.distinct) !== 0;
}

export function setStep(collector: Collector, depth: u32, step: Step): void {
  store<u32>(collector.path + ((<usize>depth) << 2), <u32>changetype<usize>(step));
}

export function stepAt(collector: Collector, depth: u32): Step {
  return changetype<Step>(<usize>load<u32>(collector.path + ((<usize>depth) << 2)));
}

/**
 * Takes documents that all rules hold for equal, of which the first `depth` steps were said; false: that is enough. `slots`: u32 each,
 * ascending, 0 when they are not known.
 */
export function takeGroup(search: Search, collector: Collector, bitmap: usize, count: u32, slots: usize, depth: u32): bool {
  // steps are written first: what is reserved here is released again
  const steps: usize = search.plan.detailed ? keepSteps(search, collector, depth) : 0;
  const mark = arenaMark();
  const limit = isDistinct(collector) ? count : collector.needed - collector.hitCount;
  let members = slots;
  let memberCount = min<u32>(count, limit);
  if (slots === 0 || search.plan.segments.count !== 1) {
    const ordered: Slots = inOrder(search, bitmap, limit);
    members = ordered.slots;
    memberCount = ordered.count;
  }
  for (let i: u32 = 0; i < memberCount; i++) {
    if (!collector.tied && collector.hitCount >= collector.needed) break;
    const slot = load<u32>(members + ((<usize>i) << 2));
    if (isDistinct(collector) && !distinctKeep(search, collector.distinct, slot, collector.counted)) continue;
    if (collector.hitCount === collector.needed) continue;
    const hit = changetype<RankedHit>(collector.hits + <usize>collector.hitCount * offsetof<RankedHit>());
    hit.slot = slot;
    hit.steps = steps;
    collector.hitCount++;
  }
  arenaReset(mark);
  return collector.hitCount < collector.needed;
}

function reserve(search: Search, collector: Collector, bytes: usize): usize {
  if (collector.freeEnd - collector.free < bytes) {
    const chunk = max<usize>(STEPS_CHUNK, bytes + 8);
    collector.free = memoKeep(search.memo, chunk);
    collector.freeEnd = collector.free + chunk;
  }
  const at = collector.free;
  collector.free += (bytes + 7) & ~7;
  return at;
}

/** A copy of the steps on the way to the group at hand. */
function keepSteps(search: Search, collector: Collector, depth: u32): usize {
  const steps = changetype<Steps>(reserve(search, collector, offsetof<Steps>()));
  steps.count = depth;
  steps.steps = reserve(search, collector, <usize>depth * offsetof<Step>());
  for (let i: u32 = 0; i < depth; i++) {
    const step = changetype<Step>(steps.steps + <usize>i * offsetof<Step>());
    memory.copy(changetype<usize>(step), changetype<usize>(stepAt(collector, i)), offsetof<Step>());
    if (step.rule !== SKIPPED_RULE) step.rule = ruleAt(search, step.rule).place;
    if (step.valueKind !== VALUE_TEXT) continue;
    const text = reserve(search, collector, step.textLength);
    memory.copy(text, step.text, step.textLength);
    step.text = text;
  }
  return changetype<usize>(steps);
}
