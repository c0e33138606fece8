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

/** A ranked document, with the result of each rule; empty unless scores were requested. */
export interface RankedHit {
  slot: number;
  steps: readonly Step[];
}

/**
 * Ranks documents in one call of the engine. The result is in scratch memory of the reader's instance.
 * @param locales possible languages of the query; empty: any
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

/** The hits of a result, best first. @param rules those of the request */
export function readHits({ instance }: IndexReader, ranked: RankedFields, rules: readonly Rule[]): RankedHit[] {
  const { words } = instance;
  const size = RankedHitLayout.bytes / Uint32Array.BYTES_PER_ELEMENT;
  const hits: RankedHit[] = [];
  // Documents of a tie group share their steps.
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

/** Offsets of the fields of steps, in u32 units. */
const RULE = StepLayout.offset.rule / Uint32Array.BYTES_PER_ELEMENT;
const RANK = StepLayout.offset.rank / Uint32Array.BYTES_PER_ELEMENT;
const MAX = StepLayout.offset.max / Uint32Array.BYTES_PER_ELEMENT;

function valueStep(instance: EngineInstance, fields: StepFields, rule: Rule): Step {
  const { valueKind } = fields;
  if (rule.kind === 'geo') {
    const isThere = valueKind === VALUE_POINT;
    return { rule, point: isThere ? { lat: fields.lat, lng: fields.lng } : null, distance: isThere ? fields.number : null };
  }
  if (rule.kind === 'vector') return { rule, similarity: valueKind === VALUE_NUMBER ? fields.number : null };
  if (valueKind === VALUE_NUMBER) return { rule, value: fields.number };
  return { rule, value: valueKind === VALUE_TEXT ? instance.text(fields.text, fields.textLength) : null };
}
