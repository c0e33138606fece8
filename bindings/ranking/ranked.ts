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

/** Bytes of a number, and numbers of a record. */
const WORD = Uint32Array.BYTES_PER_ELEMENT;
const RECORD_WORDS = RankedHitLayout.bytes / WORD;
const STEPS = RankedHitLayout.offset.steps / WORD;

/** Hits, best first: records in scratch memory of an instance, or a list; each is made from the other when it is needed. */
export class RankedHits {
  private constructor(
    readonly instance: EngineInstance,
    readonly count: number,
    private at: number,
    private known: readonly RankedHit[] | null,
  ) {}

  /** Those of a result. */
  static of({ instance }: IndexReader, { hits, hitCount }: Pick<RankedFields, 'hits' | 'hitCount'>): RankedHits {
    return new RankedHits(instance, hitCount, hits, null);
  }

  static listed({ instance }: Pick<IndexReader, 'instance'>, list: readonly RankedHit[]): RankedHits {
    return new RankedHits(instance, list.length, 0, list);
  }

  /** The same objects each time. */
  get list(): readonly RankedHit[] {
    this.known ??= this.#read();
    return this.known;
  }

  /** Address of the records. */
  get records(): number {
    if (this.at === 0) this.at = this.#write();
    return this.at;
  }

  slice(from: number, to: number): RankedHits {
    const { instance, at, known } = this;
    const end = Math.min(to, this.count);
    const count = Math.max(0, end - from);
    return new RankedHits(instance, count, at && at + from * RankedHitLayout.bytes, known?.slice(from, end) ?? null);
  }

  #read(): RankedHit[] {
    const { words } = this.instance;
    const first = this.at / WORD;
    return Array.from({ length: this.count }, (_, place) => {
      const hit = first + place * RECORD_WORDS;
      return { slot: words[hit] as number, steps: Steps.at(words[hit + STEPS] as number) };
    });
  }

  #write(): number {
    const at = this.instance.allocZeroed(this.count * RankedHitLayout.bytes);
    const { words } = this.instance;
    for (const [place, { slot, steps }] of this.list.entries()) {
      const hit = at / WORD + place * RECORD_WORDS;
      words[hit] = slot;
      words[hit + STEPS] = steps;
    }
    return at;
  }
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
