/** Collects the hits of a ranking until there are enough. */

import { memoKeep } from '../cache/memo';
import { copyOf } from '../derive/sources';
import { RankedHit, Step, Steps, VALUE_TEXT } from '../plan/plan';
import { Search } from '../plan/search';
import { alloc, arenaMark, arenaReset } from '../runtime/arena';
import { Distinct, distinctCreate, distinctKeep } from './distinct';
import { inOrder, listInOrder, Slots } from './order';
import { setScores } from './scores';

/** Growth increment of the memory for steps, in bytes. */
const STEPS_CHUNK: usize = 16384;

@unmanaged
export class Collector {
  /** RankedHit[needed] */
  hits: usize;
  hitCount: u32;
  needed: u32;
  /** bitmap of the documents that the answer counts */
  counted: usize;
  /** 0: the search has no distinct attribute */
  distinct: Distinct;
  /**
   * whether tied documents are evaluated together; false without rules, when documents are taken one by one until there are
   * enough
   */
  tied: bool;
  /** u32[ruleCount + 1]: for each rule the address of its Step that led to the current bucket */
  path: usize;
  /** free memory for steps, which is not released with the buckets */
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
  // Distinct and the threshold remove documents from it.
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
 * Adds tied documents to the hits. Returns false when there are enough hits. `slots`: u32[count], ascending, 0 when they are not
 * known; `depth`: number of rules that led to this group.
 */
export function takeGroup(search: Search, collector: Collector, bitmap: usize, count: u32, slots: usize, depth: u32): bool {
  // Steps are written before the mark, because the memory after it is released.
  const steps: Steps | null = search.plan.detailed ? keepSteps(search, collector, depth) : null;
  const mark = arenaMark();
  const limit = isDistinct(collector) ? count : collector.needed - collector.hitCount;
  const isListed = slots !== 0 && search.inOneMemory;
  const ordered: Slots = isListed ? listInOrder(search, slots, count, limit) : inOrder(search, bitmap, limit);
  for (let i: u32 = 0; i < ordered.count; i++) {
    if (!collector.tied && collector.hitCount >= collector.needed) break;
    const slot = load<u32>(ordered.slots + ((<usize>i) << 2));
    if (isDistinct(collector) && !distinctKeep(search, collector.distinct, slot, collector.counted)) continue;
    if (collector.hitCount === collector.needed) continue;
    const hit = changetype<RankedHit>(collector.hits + <usize>collector.hitCount * offsetof<RankedHit>());
    hit.slot = slot;
    hit.steps = steps;
    hit.document = 0;
    hit.membersLength = 0;
    hit.vector = 0;
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

/** Copies the steps that led to the current group, with their scores. */
function keepSteps(search: Search, collector: Collector, depth: u32): Steps {
  const steps = changetype<Steps>(reserve(search, collector, offsetof<Steps>()));
  steps.count = depth;
  steps.rules = search.plan.rules;
  steps.steps = reserve(search, collector, <usize>depth * offsetof<Step>());
  for (let i: u32 = 0; i < depth; i++) {
    const step = changetype<Step>(steps.steps + <usize>i * offsetof<Step>());
    memory.copy(changetype<usize>(step), changetype<usize>(stepAt(collector, i)), offsetof<Step>());
    if (step.valueKind !== VALUE_TEXT) continue;
    const text = reserve(search, collector, step.textLength);
    memory.copy(text, step.text, step.textLength);
    step.text = text;
  }
  setScores(steps);
  return steps;
}
