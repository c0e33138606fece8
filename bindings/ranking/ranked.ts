import {
  Ranked,
  type RankedFields,
  RankedHit as RankedHitLayout,
  SKIPPED_RULE,
  type StepFields,
  Step as StepLayout,
  Steps,
  VALUE_NUMBER,
  VALUE_POINT,
  VALUE_TEXT,
} from '../engine/exports.js';
import type { EngineInstance } from '../engine/instance.js';
import type { IndexReader } from '../engine/segments.js';
import { putPlan, type RankRequest } from './plan.js';
import type { Rule } from './rules.js';
import type { Step } from './step.js';

/** A document of the answer and what the rules said of it: nothing unless scores were asked for. */
export interface RankedHit {
  slot: number;
  steps: readonly Step[];
}

/**
 * Ranks documents: one call into the engine. The answer stands in the scratch of the reader's instance. @param locales languages that
 * the query may be in; none: any
 */
export function rankDocuments(
  reader: IndexReader,
  universe: number,
  request: RankRequest,
  rules: readonly Rule[],
  locales: readonly string[],
): RankedFields {
  const { instance } = reader;
  const plan = putPlan(reader, universe, request, rules, locales);
  return instance.read(Ranked, instance.exports.rank(plan));
}

const NO_STEPS: readonly Step[] = [];

/** The hits of an answer, best first. @param rules those of the request */
export function readHits({ instance }: IndexReader, ranked: RankedFields, rules: readonly Rule[]): RankedHit[] {
  const { words } = instance;
  const size = RankedHitLayout.bytes / Uint32Array.BYTES_PER_ELEMENT;
  const hits: RankedHit[] = [];
  // documents of a tie group share their steps
  let known = 0;
  let steps = NO_STEPS;
  let at = ranked.hits / Uint32Array.BYTES_PER_ELEMENT;
  for (let place = 0; place < ranked.hitCount; place++, at += size) {
    const own = words[at + 1] as number;
    if (own !== known) steps = readSteps(instance, own, rules);
    known = own;
    hits.push({ slot: words[at] as number, steps });
  }
  return hits;
}

function readSteps(instance: EngineInstance, at: number, rules: readonly Rule[]): readonly Step[] {
  const { count, steps } = instance.read(Steps, at);
  const { words } = instance;
  const all: Step[] = [];
  for (let step = steps; step < steps + count * StepLayout.bytes; step += StepLayout.bytes) {
    const first = step / Uint32Array.BYTES_PER_ELEMENT;
    const number = words[first + RULE] as number;
    const rank = words[first + RANK] as number;
    const max = words[first + MAX] as number;
    if (number === SKIPPED_RULE) all.push({ rule: { kind: 'skipped' }, rank, max });
    else if (max !== 0) all.push({ rule: rules[number] as Rule, rank, max });
    else all.push(valueStep(instance, instance.read(StepLayout, step), rules[number] as Rule));
  }
  return all;
}

/** Places of what most steps consist of, in u32. */
const RULE = StepLayout.offset.rule / Uint32Array.BYTES_PER_ELEMENT;
const RANK = StepLayout.offset.rank / Uint32Array.BYTES_PER_ELEMENT;
const MAX = StepLayout.offset.max / Uint32Array.BYTES_PER_ELEMENT;

function valueStep(instance: EngineInstance, fields: StepFields, rule: Rule): Step {
  const { valueKind } = fields;
  if (rule.kind === 'geo') {
    const isThere = valueKind === VALUE_POINT;
    return { rule, point: isThere ? { lat: fields.lat, lng: fields.lng } : null, distance: isThere ? fields.number : null };
  }
  if (valueKind === VALUE_NUMBER) return { rule, value: fields.number };
  return { rule, value: valueKind === VALUE_TEXT ? instance.text(fields.text, fields.textLength) : null };
}
