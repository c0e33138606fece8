import type { Target } from '../../engine/nearest-vectors.js';
import type { IndexReader } from '../../engine/segments.js';
import type { IndexSettings } from '../../index-types.js';
import type { SortItem } from '../../query/sort.js';
import { ALL_DOCUMENTS, encodeRanking, UNRANKED } from '../../ranking/plan.js';
import { RankedHits, rankDocuments } from '../../ranking/ranked.js';
import { isSorting, type Rule, rulesOf } from '../../ranking/rules.js';
import type { RankPlan } from '../plan.js';

export interface VectorAnswer {
  hits: RankedHits;
  /** Bitmap of the counted documents. */
  counted: number;
  /** Their number. */
  total: number;
  /** Whether similarity affects the order; false when the ranking rules contain no relevancy rule. */
  byVector: boolean;
}

/** The members of a plan that ranking by vectors needs. */
export interface VectorPlan extends Pick<RankPlan, 'sort' | 'distinct' | 'needed' | 'detailed'> {
  threshold: number | null;
  /** Number of hits up to the end of the page, which is the number of neighbours searched at a time. */
  pageEnd: number;
  /** Deadline on the engine's clock, after which no vectors are compared. */
  deadline: number;
}

/**
 * Ranks the documents of a bitmap by vector similarity. Documents without a vector come last. Like the reference server, distinct only
 * excludes duplicates of hits from the count, even in page mode.
 */
export function rankVectors(reader: IndexReader, filtered: number, plan: VectorPlan, target: Target): VectorAnswer {
  const { sort, distinct, needed, pageEnd, deadline } = plan;
  const rules = vectorRules(reader.view.settings, sort, target);
  const byVector = rules.some(({ kind }) => kind === 'vector');
  const threshold = byVector ? plan.threshold : null;
  const vectors = byVector ? { target, deadline, roundSize: pageEnd } : null;
  const detailed = plan.detailed || threshold !== null;
  const ranking = encodeRanking(reader, { ...UNRANKED, rules, distinct, threshold });
  const ranked = rankDocuments(reader, ranking, { ...ALL_DOCUMENTS, universe: filtered, needed, detailed, vectors });
  const { counted, total } = ranked;
  return { hits: RankedHits.of(reader, ranked), counted, total, byVector };
}

/** The similarity takes the place of all relevancy rules; without any, vectors are not compared. */
function vectorRules(settings: IndexSettings, sort: readonly SortItem[], { vector }: Target): readonly Rule[] {
  const rules = rulesOf(settings, sort, 'last');
  const first = rules.findIndex((rule) => !isSorting(rule));
  return rules.flatMap((rule, place): Rule[] =>
    place === first ? [{ kind: 'vector', target: vector }] : isSorting(rule) ? [rule] : [],
  );
}
