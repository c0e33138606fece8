import type { SearchBody } from '../oracle/index.js';
import { type RandomCase, randomCase } from '../oracle/random-case.js';

export const QUERIES = 50;
const SEED = 11;

/** Documents and searches for the tests of the bundle: random, but always the same. */
export const sample: RandomCase = randomCase(SEED, QUERIES);

/** The part of an answer that is the same in every run. */
export interface StableAnswer {
  hits: unknown;
  total: unknown;
  facetDistribution: unknown;
}

export function stable(answer: Record<string, unknown>): StableAnswer {
  const { hits, estimatedTotalHits, totalHits, facetDistribution } = answer;
  return { hits, total: estimatedTotalHits ?? totalHits, facetDistribution };
}

/** Everything about a hit that a page may show. */
export function asked(body: SearchBody): SearchBody & Record<string, unknown> {
  return { ...body, showRankingScore: true, showMatchesPosition: true, attributesToHighlight: ['*'] };
}
