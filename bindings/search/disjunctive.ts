import type { IndexReader } from '../engine/segments.js';
import { facetFields } from '../format/facets.js';
import type { FilterNode } from '../query/filter-ast.js';
import { evaluateFilter } from '../query/filter-evaluate.js';
import { allOf, both, conjuncts, onlyField } from '../query/filter-parts.js';
import { encodeFilter } from '../query/filter-plan.js';
import type { SearchPlan } from './plan.js';
import { type Ranked, rank } from './rank.js';
import type { SearchSession } from './session.js';

/**
 * Counts disjunctive facets, of which a user selects several values: each as if the filter had no conditions on it, with the
 * counts of a further search without these conditions. Only conditions of the request are dropped, never those of a token. A part
 * of the filter that also names other attributes is kept.
 * @returns for each field the bitmap of the documents among which it is counted
 */
export function disjunctiveSets(
  session: SearchSession,
  plan: SearchPlan,
  ranked: Ranked,
  names: readonly string[],
): Map<string, number> {
  const fields = facetFields(plan.reader, names).paths;
  const parts = conjuncts(plan.filters.own);
  const own = new Map<string, FilterNode>();
  for (const field of fields) {
    const conditions = allOf(parts.filter((part) => onlyField(part) === field));
    if (conditions) own.set(field, conditions);
  }
  const others = parts.filter((part) => !own.has(onlyField(part) ?? ''));
  const fixed = both(allOf(others), plan.filters.imposed);
  const sets = own.size === 0 ? new Map<string, number>() : counted(session, plan, own, fixed);
  return new Map(fields.map((path) => [path, sets.get(path) ?? ranked.counted]));
}

/** For each field with conditions of its own, the bitmap of documents among which it is counted. */
function counted(
  session: SearchSession,
  plan: SearchPlan,
  own: ReadonlyMap<string, FilterNode>,
  fixed: FilterNode | null,
): Map<string, number> {
  const { reader, exhaustive, distinct, request, pins } = plan;
  const encoded = (filter: FilterNode | null) => filter && encodeFilter(reader, filter);
  const without = (field: string) => [...own].filter(([other]) => other !== field).map(([, conditions]) => conditions);
  const bare = { ...plan, needed: 0, detailed: false, matches: false };
  // What is counted depends on the ranking only when all documents are evaluated, and with distinct on which pins are found.
  if ((exhaustive && (distinct !== null || request.rankingScoreThreshold !== null)) || (distinct !== null && pins.length > 0)) {
    const needed = request.rankingScoreThreshold === null ? 0 : plan.needed;
    return new Map(
      [...own.keys()].map((field) => {
        const filter = encoded(allOf([...conjuncts(fixed), ...without(field)]));
        return [field, rank(session, { ...bare, needed, detailed: plan.detailed, filter }).counted];
      }),
    );
  }
  const widest = rank(session, { ...bare, filter: encoded(fixed) }).counted;
  const limit = session.limit(reader.view.settings.searchCutoffMs);
  const sets = new Map([...own].map(([field, conditions]) => [field, evaluateFilter(reader, conditions, limit)]));
  return new Map([...own.keys()].map((field) => [field, intersection(reader, widest, sets, field)]));
}

function intersection(reader: IndexReader, widest: number, sets: ReadonlyMap<string, number>, except: string): number {
  const bitmap = reader.copyOf(widest);
  for (const [field, set] of sets) if (field !== except) reader.intersect(bitmap, set);
  return bitmap;
}
