import {
  PlanRule,
  type PlanRuleFields,
  Ranked,
  type RankedFields,
  RankedHit as RankedHitLayout,
  Step,
  type StepFields,
  Steps,
} from '../engine/exports.js';
import type { EngineInstance } from '../engine/instance.js';
import type { IndexReader } from '../engine/segments.js';
import { type EncodedRanking, putPlan, type RankQuery } from './plan.js';

/** A ranked document. */
export interface RankedHit {
  slot: number;
  /** What the rules said of it, in scratch memory of the reader's instance; 0: no scores were requested. */
  steps: Steps;
}

/** Ranks documents in one call of the engine. The result is in scratch memory of the reader's instance. */
export function rankDocuments(reader: IndexReader, ranking: EncodedRanking, query: RankQuery): RankedFields {
  const { instance } = reader;
  const plan = putPlan(reader, ranking, query);
  return instance.read(Ranked, instance.exports.rank(plan));
}

/** The hits of a result, best first. */
export function readHits({ instance }: IndexReader, ranked: RankedFields): RankedHit[] {
  const { words } = instance;
  const size = RankedHitLayout.bytes / Uint32Array.BYTES_PER_ELEMENT;
  const hits = new Array<RankedHit>(ranked.hitCount);
  let at = ranked.hits / Uint32Array.BYTES_PER_ELEMENT;
  for (let place = 0; place < ranked.hitCount; place++, at += size) {
    hits[place] = { slot: words[at] as number, steps: Steps.at(words[at + 1] as number) };
  }
  return hits;
}

/** A document that was not ranked. */
export function unrankedHit(slot: number): RankedHit {
  return { slot, steps: Steps.at(0) };
}

/** The ranking score of a hit, from 0 to 1. */
export function scoreOf({ instance }: IndexReader, { steps }: RankedHit): number {
  return instance.view.getFloat64(steps + Steps.offset.score, true);
}

/** Writes steps of a single rule for a document that no plan has ranked. @param kind RULE_* */
export function putSteps(
  instance: EngineInstance,
  kind: number,
  step: Pick<StepFields, 'number' | 'score' | 'valueKind'>,
): Steps {
  const rules = instance.putStructures(PlanRule, [{ ...NO_RULE, kind }]);
  const steps = instance.putStructures(Step, [{ ...NO_STEP, ...step }]);
  return instance.putStructures(Steps, [{ score: step.score, count: 1, steps, rules }]);
}

const NO_RULE: PlanRuleFields = {
  lat: 0,
  lng: 0,
  kind: 0,
  field: 0,
  ascending: 0,
  isMerged: 0,
  isHidden: 0,
  name: 0,
  nameLength: 0,
};
const NO_STEP = { lat: 0, lng: 0, rule: 0, rank: 0, max: 0, text: 0, textLength: 0 };
