import type { SearchRule } from '../../bindings/rules/rule.js';
import type { RuleListing } from './members.js';

/** A parsed listing query: words, phrases as lists of words, and terms that a rule must not contain (`none`). */
interface RuleQuery {
  terms: string[][];
  none: string[][];
}

const MAX_QUERY_TERMS = 10;

/** The matching rules: those with more words of the query first, then those updated last. */
export function matchingRules(rules: readonly SearchRule[], filter: RuleListing['filter']): SearchRule[] {
  const query = readQuery(filter?.query ?? '');
  const active = filter?.active ?? null;
  return rules
    .filter((rule) => active === null || rule.active === active)
    .map((rule) => ({
      rule,
      found: foundTerms(query, wordsOf(`${rule.description ?? ''}\n${rule.conditions.query?.words ?? ''}`)),
    }))
    .filter(({ found }) => found > 0 || (found === 0 && query.terms.length === 0))
    .sort((a, b) => b.found - a.found || (a.rule.lastUpdatedAt < b.rule.lastUpdatedAt ? 1 : -1))
    .map(({ rule }) => rule);
}

function readQuery(text: string): RuleQuery {
  const query: RuleQuery = { terms: [], none: [] };
  for (const [, minus, phrase, plain] of text.matchAll(/(?<=^|\s)(-?)(?:"([^"]*)"?|([^\s"]+))/g)) {
    const words = wordsOf(phrase ?? plain ?? '');
    if (words.length === 0) continue;
    if (minus === '-') query.none.push(words);
    else if (phrase !== undefined) query.terms.push(words);
    else query.terms.push(...words.map((word) => [word]));
  }
  query.terms.length = Math.min(query.terms.length, MAX_QUERY_TERMS);
  return query;
}

/** How many leading terms occur in the words; -1 when a forbidden term occurs. */
function foundTerms({ terms, none }: RuleQuery, words: string[]): number {
  const has = (term: string[]) => words.some((_, at) => term.every((word, i) => words[at + i] === word));
  if (none.some(has)) return -1;
  const missing = terms.findIndex((term) => !has(term));
  return missing < 0 ? terms.length : missing;
}

/** Words without case and diacritics. */
function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}
