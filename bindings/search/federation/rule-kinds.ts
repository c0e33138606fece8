import { type ApiError, apiError } from '../../errors.js';
import type { SearchKind } from '../../query/request.js';
import type { Rule } from '../../ranking/rules.js';

/** A criterion by which hits of different queries are compared. Consecutive relevancy rules are combined into one score. */
export interface ComparedRule {
  kind: 'relevancy' | 'asc' | 'desc' | 'geo asc' | 'geo desc';
  /** Name of the rule, for messages. */
  name: string;
}

/** The criteria of a query, for comparison with those of others. */
export interface QueryOrder {
  position: number;
  uid: string;
  rules: readonly ComparedRule[];
}

/** The criteria of a query, in order. */
export function comparedRules(rules: readonly Rule[], kind: SearchKind): ComparedRule[] {
  const compared: ComparedRule[] = [];
  let relevancy = false;
  for (const rule of rules) {
    const next = comparedRule(rule);
    if (next.kind === 'relevancy') {
      if (compared.at(-1)?.kind === 'relevancy') continue;
      // The similarity replaces all relevancy rules.
      if (kind === 'semantic' && relevancy) break;
      relevancy = true;
    }
    compared.push(next);
  }
  return compared;
}

function comparedRule(rule: Rule): ComparedRule {
  switch (rule.kind) {
    case 'field':
      return { kind: rule.ascending ? 'asc' : 'desc', name: `${rule.path}:${rule.ascending ? 'asc' : 'desc'}` };
    case 'geo':
      return { kind: rule.ascending ? 'geo asc' : 'geo desc', name: `_geoPoint(…):${rule.ascending ? 'asc' : 'desc'}` };
    default:
      return { kind: 'relevancy', name: 'the rules of relevancy' };
  }
}

/**
 * Checks that the hits of two queries can be merged.
 * @returns the criteria to compare the next query with: those of the query with more rules
 * @throws {ApiError} invalid_multi_search_query_ranking_rules
 */
export function checkComparable(before: QueryOrder | null, query: QueryOrder): QueryOrder {
  if (before === null) return query;
  const shared = Math.min(before.rules.length, query.rules.length);
  for (let place = 0; place < shared; place++) {
    const ours = query.rules[place] as ComparedRule;
    const theirs = before.rules[place] as ComparedRule;
    if (ours.kind !== theirs.kind) throw notComparable(place, query, ours, before, theirs);
  }
  return before.rules.length > query.rules.length ? before : query;
}

function notComparable(place: number, query: QueryOrder, ours: ComparedRule, before: QueryOrder, theirs: ComparedRule): ApiError {
  const describe = ({ name }: ComparedRule, { position, uid }: QueryOrder) =>
    `rule #${place} of \`.queries[${position}]\` (index \`${uid}\`) is \`${name}\``;
  const opposite = ours.kind !== 'relevancy' && ours.kind.split(' ').length === theirs.kind.split(' ').length;
  const why =
    ours.kind === 'relevancy' || theirs.kind === 'relevancy'
      ? 'one orders by relevancy, the other sorts'
      : 'they sort differently';
  return apiError('invalid_multi_search_query_ranking_rules', 'notComparable', {
    ours: describe(ours, query),
    theirs: describe(theirs, before),
    difference: opposite && theirs.kind !== 'relevancy' ? 'they sort in opposite directions' : why,
  });
}
