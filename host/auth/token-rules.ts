import { fitsIndex } from './index-patterns.js';

/** One entry of `searchRules` in a tenant token. */
export interface TokenRule {
  pattern: string;
  /** JSON as in the member `filter` of a search; null and undefined add no filter. */
  filter: unknown;
}

/**
 * The claim `searchRules`: a list of patterns, or an object of patterns with null or `{filter}`.
 * @returns null when it is neither
 */
export function readTokenRules(claim: unknown): TokenRule[] | null {
  if (Array.isArray(claim)) {
    return claim.every((pattern) => typeof pattern === 'string') ? claim.map((pattern) => ({ pattern, filter: null })) : null;
  }
  if (!isObject(claim)) return null;
  const rules = Object.entries(claim);
  if (!rules.every(([, rule]) => rule === null || isObject(rule))) return null;
  return rules.map(([pattern, rule]) => ({ pattern, filter: (rule as { filter?: unknown } | null)?.filter }));
}

/**
 * The rule that applies to an index: an exact uid wins over patterns, a longer pattern over a shorter one; null when none
 * matches.
 */
export function ruleFor(rules: readonly TokenRule[], uid: string): TokenRule | null {
  const exact = rules.find(({ pattern }) => pattern === uid);
  if (exact) return fitsIndex(uid, uid) ? exact : null;
  return rules
    .filter(({ pattern }) => fitsIndex(pattern, uid))
    .reduce((best: TokenRule | null, rule) => (best && best.pattern.length >= rule.pattern.length ? best : rule), null);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
