import { JsonNumber, type JsonObject, type JsonValue, parseJson } from '../../query/json.js';
import { type Federation, type MultiSearch, positionOf } from '../../query/multi-search.js';
import type { FacetCounts, FacetStats, FacetsOfIndex } from './facet-counts.js';
import { readScoreValues } from './score-values.js';
import type { ScoredHit } from './scores.js';

/** A hit found by an instance. */
export interface PeerHit extends ScoredHit {
  /** The hit as shown, without `_federation`. */
  shown: JsonObject;
  indexUid: string;
  /** Position in the merged list assigned by a rule; null: not pinned. */
  pin: number | null;
  /** Contains the values that are compared over all instances. */
  document: JsonObject;
}

/** The answer of one instance to its share of a federated search. */
export interface PeerAnswer {
  /** Best first. */
  hits: PeerHit[];
  total: number;
  facets: FacetsOfIndex[];
  /** One per query, in their order. */
  metadata: JsonObject[];
  /** By position of the query. */
  queryVectors: [position: string, vector: JsonValue][];
  /** null: no vectors were used. */
  semanticHitCount: number | null;
}

/** An answer that is not of the expected form. */
export class PeerAnswerError extends Error {}

/** Deepest nesting of documents, which hits contain. */
const MAX_DEPTH = 1024;

/**
 * Parses the answer of another instance without trusting any of it. Unknown members are ignored.
 * @param needed number of hits requested
 * @throws {PeerAnswerError}
 */
export function readPeerAnswer(text: string, { queries, federation }: MultiSearch, needed: number): PeerAnswer {
  const positions = new Set(queries.map((query, index) => String(positionOf(query, index))));
  const asked = new Set(queries.map((query, index) => queryName(positionOf(query, index), query.indexUid)));
  const counted = new Map((federation as Federation).facetsByIndex);
  const answer = object(parsed(text), 'the answer');
  const total = answer.get('totalHits') ?? answer.get('estimatedTotalHits');
  const orders = object(answer.get('facetOrders') ?? EMPTY, '`facetOrders`');
  const semantic = answer.get('semanticHitCount') ?? null;
  return {
    hits: list(answer.get('hits'), '`hits`')
      .slice(0, needed)
      .map((hit, place) => readHit(object(hit, `\`hits[${place}]\``), `\`hits[${place}]._federation\``, asked)),
    total: count(total, 'the number of hits'),
    facets: [...object(answer.get('facetsByIndex') ?? EMPTY, '`facetsByIndex`')]
      .map(([uid, facets]) => ({
        uid,
        facets: readFacets(object(facets, 'an index of `facetsByIndex`')),
        order: (field: string) => (orders.get(field) === 'count' ? ('count' as const) : ('alpha' as const)),
      }))
      .filter(({ uid }) => counted.get(uid)),
    metadata: list(answer.get('metadata') ?? [], '`metadata`').map((entry) => object(entry, 'an item of `metadata`')),
    queryVectors: [...object(answer.get('queryVectors') ?? EMPTY, '`queryVectors`')]
      .map(([position, vector]): [string, JsonValue] => [position, vectorOf(vector)])
      .filter(([position]) => positions.has(position)),
    semanticHitCount: semantic === null ? null : count(semantic, '`semanticHitCount`'),
  };
}

/** Identifies a query of a request, as far as answers do. */
function queryName(position: number, indexUid: string): string {
  return `${position} ${indexUid}`;
}

const EMPTY: JsonObject = new Map();

function parsed(text: string): JsonValue {
  try {
    return parseJson(text, MAX_DEPTH);
  } catch (error) {
    throw new PeerAnswerError(`it is no JSON: ${(error as Error).message}`);
  }
}

function readHit(hit: JsonObject, path: string, asked: ReadonlySet<string>): PeerHit {
  const federation = object(hit.get('_federation'), path);
  const position = count(federation.get('queriesPosition'), `${path}.queriesPosition`);
  const indexUid = federation.get('indexUid');
  if (typeof indexUid !== 'string' || !asked.has(queryName(position, indexUid))) {
    throw new PeerAnswerError(`${path} names a query that was not asked`);
  }
  const entries = readScoreValues(federation.get('weightedScoreValues'));
  if (entries === null) throw new PeerAnswerError(`${path}.weightedScoreValues cannot be read`);
  const weighted = number(federation.get('weightedRankingScore'), `${path}.weightedRankingScore`);
  const pin = federation.get('pin') ?? null;
  const shown: JsonObject = new Map(hit);
  shown.delete('_federation');
  return {
    shown,
    indexUid,
    position,
    entries,
    weighted,
    pin: pin === null ? null : count(pin, `${path}.pin`),
    document: object(federation.get('extra_document') ?? shown, `${path}.extra_document`),
  };
}

/** An entry of `facetsByIndex`. @throws {PeerAnswerError} */
export function readFacets(facets: JsonObject): FacetCounts {
  const distribution = [...object(facets.get('distribution') ?? EMPTY, 'a distribution of facets')];
  const stats = [...object(facets.get('stats') ?? EMPTY, 'statistics of facets')];
  return {
    facetDistribution: distribution.map(([field, values]) => [
      field,
      [...object(values, 'the values of a facet')].map(([value, times]): [string, number] => [
        value,
        count(times, 'the count of a facet'),
      ]),
    ]),
    facetStats: stats.map(([field, range]): [string, FacetStats] => {
      const { min, max } = Object.fromEntries(object(range, 'the range of a facet'));
      return [field, { min: number(min, 'the least value of a facet'), max: number(max, 'the greatest value of a facet') }];
    }),
  };
}

function vectorOf(vector: JsonValue): JsonValue {
  for (const value of list(vector, 'a vector of `queryVectors`')) number(value, 'an element of a vector of `queryVectors`');
  return vector;
}

function object(value: JsonValue | undefined, what: string): JsonObject {
  if (value instanceof Map) return value;
  throw new PeerAnswerError(`${what} is no object`);
}

function list(value: JsonValue | undefined, what: string): JsonValue[] {
  if (Array.isArray(value)) return value;
  throw new PeerAnswerError(`${what} is no array`);
}

function number(value: JsonValue | undefined, what: string): number {
  if (value instanceof JsonNumber && Number.isFinite(value.value)) return value.value;
  throw new PeerAnswerError(`${what} is no number`);
}

function count(value: JsonValue | undefined, what: string): number {
  const whole = number(value, what);
  if (Number.isSafeInteger(whole) && whole >= 0) return whole;
  throw new PeerAnswerError(`${what} is no count`);
}
