import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '../../bindings/errors.js';
import type { LocalIndex } from '../../bindings/local-index.js';
import type { OracleAnswer, OracleIndex, SearchBody } from '../oracle/index.js';
import { isObject, type Json, JsonNumber, type JsonObject, parseJson } from '../oracle/json.js';
import { Refusal } from '../oracle/text.js';

/** The compared part of an answer: what ranking decides, or the code of a refusal. */
export interface Outcome {
  refused?: string;
  /** Ids in order. */
  hits?: number[];
  scores?: number[];
  details?: unknown[];
  total?: number;
  facetDistribution?: unknown;
  facetStats?: unknown;
}

/** Whether two doubles may be the same rational number, computed in different ways. */
const SCORE_TOLERANCE = 1e-12;

export function oracleOutcome(oracle: OracleIndex, body: SearchBody): Outcome {
  try {
    return outcomeOfAnswer(oracle.search(body));
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.message };
    throw error;
  }
}

function outcomeOfAnswer({ hits, scores, details, total, facets }: OracleAnswer): Outcome {
  const outcome: Outcome = { hits, scores, details: details.map(entries), total };
  if (facets) {
    outcome.facetDistribution = [...facets.distribution].map(([field, counts]) => [field, [...counts]]);
    outcome.facetStats = [...facets.stats].map(([field, stats]) => [field, entries(stats)]);
  }
  return outcome;
}

export function engineOutcome(index: LocalIndex, body: SearchBody): Outcome {
  const sent = { ...body, attributesToRetrieve: ['id'], showRankingScore: true, showRankingScoreDetails: true };
  try {
    const text = new TextDecoder().decode(index.search(new TextEncoder().encode(JSON.stringify(sent))));
    return outcomeOfBody(parseJson(text) as JsonObject);
  } catch (error) {
    if (error instanceof ApiError) return { refused: error.code };
    throw error;
  }
}

function outcomeOfBody(body: JsonObject): Outcome {
  const hits = body.get('hits') as JsonObject[];
  const outcome: Outcome = {
    hits: hits.map((hit) => plain(hit.get('id') as Json) as number),
    scores: hits.map((hit) => plain(hit.get('_rankingScore') as Json) as number),
    details: hits.map((hit) => plain(hit.get('_rankingScoreDetails') as Json)),
    total: plain((body.get('estimatedTotalHits') ?? body.get('totalHits')) as Json) as number,
  };
  if (body.has('facetDistribution')) {
    outcome.facetDistribution = plain(body.get('facetDistribution') as Json);
    outcome.facetStats = plain(body.get('facetStats') as Json);
  }
  return outcome;
}

/** Objects as lists of entries: their order is part of the answer. */
function plain(value: Json): unknown {
  if (value instanceof JsonNumber) return value.value;
  if (Array.isArray(value)) return value.map(plain);
  return isObject(value) ? [...value].map(([key, member]) => [key, plain(member)]) : value;
}

function entries(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  return Object.entries(value).map(([key, member]) => [key, entries(member)]);
}

/** Members of `a` and `b` that differ: a line each, or none. */
export function differences(oracle: Outcome, engine: Outcome): string[] {
  const keys = new Set([...Object.keys(oracle), ...Object.keys(engine)] as (keyof Outcome)[]);
  return [...keys].flatMap((key) => {
    if (isDeepStrictEqual(sorted(key, oracle[key]), sorted(key, engine[key]))) return [];
    if (isClose(sorted(key, oracle[key]), sorted(key, engine[key]))) return [];
    return [`${key}\n    oracle ${JSON.stringify(oracle[key])}\n    engine ${JSON.stringify(engine[key])}`];
  });
}

/** Members of a detail and of facet stats come in any order. */
function sorted(key: keyof Outcome, value: unknown): unknown {
  const deep = (v: unknown): unknown => {
    if (!Array.isArray(v)) return v;
    const items = v.map(deep);
    const isEntries = items.length > 0 && items.every((item) => Array.isArray(item) && typeof item[0] === 'string');
    return isEntries ? items.sort((a, b) => ((a as [string])[0] < (b as [string])[0] ? -1 : 1)) : items;
  };
  return key === 'details' || key === 'facetStats' ? deep(value) : value;
}

function isClose(a: unknown, b: unknown): boolean {
  if (typeof a === 'number' && typeof b === 'number') return Math.abs(a - b) <= SCORE_TOLERANCE;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, k) => isClose(item, b[k]));
  return a === b;
}
