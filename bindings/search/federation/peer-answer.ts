import { ApiError } from '../../errors.js';
import { JsonNumber, type JsonObject, JsonSyntaxError, type JsonValue, parseJson } from '../../query/json.js';
import { type Federation, type MultiSearch, positionOf } from '../../query/multi-search.js';
import { arrayOf, STRING, UNSIGNED } from '../../query/request-values.js';
import {
  fromJson,
  type Kind,
  type Member,
  type MemberTable,
  optional,
  Place,
  readObject,
  required,
} from '../../query/validate.js';
import type { FacetCounts, FacetStats, FacetsOfIndex } from './facet-counts.js';
import { readScoreValues } from './score-values.js';
import type { ScoredHit, ScoreEntry } from './scores.js';

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
const CODE = 'remote_bad_response';
const ANSWER_PLACE = new Place('', CODE);

const NUMBER: Kind<number> = fromJson({}, (value, at) =>
  value instanceof JsonNumber && Number.isFinite(value.value) ? value.value : at.refuse('a number', value),
);
const OBJECT: Kind<JsonObject> = fromJson({}, (value, at) => (value instanceof Map ? value : at.refuse('an object', value)));
const OBJECTS = arrayOf(OBJECT, 'an array of objects');
const NUMBERS = arrayOf(NUMBER, 'an array of numbers');
const VECTOR: Kind<JsonValue> = fromJson({}, (value, at) => {
  NUMBERS.json(value, at);
  return value;
});
const SCORES: Kind<ScoreEntry[]> = fromJson({}, (value, at) => readScoreValues(value) ?? at.refuse('an array of scores', value));

/** An object with members of any name, as pairs of name and value. */
function entriesOf<T>(kind: Kind<T>): Kind<[string, T][]> {
  return fromJson({}, (value, at) => {
    const members = [...OBJECT.json(value, at)];
    return members.map(([name, member]): [string, T] => [name, kind.json(member, at.member(name))]);
  });
}

/** An object with these members; others are ignored. */
function objectWith<T>(table: MemberTable<T>): Kind<T> {
  return fromJson({}, (value, at) => readObject(table, OBJECT.json(value, at), { path: at.path, code: CODE, lenient: true }));
}

const needed = <T>(kind: Kind<T>): Member<T> => required(kind, CODE);
const maybe = <T>(kind: Kind<T>): Member<T | null> => optional(kind, CODE);

/** An entry of `facetsByIndex`. */
const FACETS = objectWith({
  distribution: maybe(entriesOf(entriesOf(UNSIGNED))),
  stats: maybe(entriesOf(objectWith<FacetStats>({ min: needed(NUMBER), max: needed(NUMBER) }))),
});

/** The member `_federation` of a hit. */
const HIT = objectWith({
  indexUid: needed(STRING),
  queriesPosition: needed(UNSIGNED),
  weightedScoreValues: needed(SCORES),
  weightedRankingScore: needed(NUMBER),
  pin: maybe(UNSIGNED),
  extra_document: maybe(OBJECT),
});

const ANSWER = objectWith({
  hits: needed(OBJECTS),
  totalHits: maybe(UNSIGNED),
  estimatedTotalHits: maybe(UNSIGNED),
  facetsByIndex: maybe(entriesOf(FACETS)),
  facetOrders: maybe(OBJECT),
  metadata: maybe(OBJECTS),
  queryVectors: maybe(entriesOf(VECTOR)),
  semanticHitCount: maybe(UNSIGNED),
});

/**
 * Parses the answer of another instance without trusting any of it. Unknown members are ignored.
 * @param most number of hits requested
 * @throws {PeerAnswerError}
 */
export function readPeerAnswer(text: string, { queries, federation }: MultiSearch, most: number): PeerAnswer {
  const positions = new Set(queries.map((query, index) => String(positionOf(query, index))));
  const asked = new Set(queries.map((query, index) => queryName(positionOf(query, index), query.indexUid)));
  const counted = new Map((federation as Federation).facetsByIndex);
  try {
    const answer = ANSWER.json(parseJson(text, MAX_DEPTH), ANSWER_PLACE);
    const total = answer.totalHits ?? answer.estimatedTotalHits;
    if (total === null) throw new PeerAnswerError('the number of hits is missing');
    const order = (field: string) => (answer.facetOrders?.get(field) === 'count' ? 'count' : 'alpha');
    return {
      hits: answer.hits.slice(0, most).map((hit, place) => readHit(hit, `.hits[${place}]._federation`, asked)),
      total,
      facets: (answer.facetsByIndex ?? [])
        .filter(([uid]) => counted.get(uid))
        .map(([uid, facets]) => ({ uid, facets: countsOf(facets), order })),
      metadata: answer.metadata ?? [],
      queryVectors: (answer.queryVectors ?? []).filter(([position]) => positions.has(position)),
      semanticHitCount: answer.semanticHitCount,
    };
  } catch (error) {
    if (error instanceof ApiError || error instanceof JsonSyntaxError)
      throw new PeerAnswerError(error.message.replace(/\.$/, ''));
    throw error;
  }
}

/** Identifies a query of a request, as far as answers do. */
function queryName(position: number, indexUid: string): string {
  return `${position} ${indexUid}`;
}

function readHit(hit: JsonObject, path: string, asked: ReadonlySet<string>): PeerHit {
  const federation = HIT.json(hit.get('_federation') ?? null, new Place(path, CODE));
  const { indexUid, queriesPosition: position, weightedScoreValues: entries, weightedRankingScore: weighted, pin } = federation;
  if (!asked.has(queryName(position, indexUid))) throw new PeerAnswerError(`\`${path}\` names a query that was not asked`);
  const shown: JsonObject = new Map(hit);
  shown.delete('_federation');
  return { shown, indexUid, position, entries, weighted, pin, document: federation.extra_document ?? shown };
}

/** An entry of `facetsByIndex`, as this instance writes it too. @throws {ApiError} */
export function readFacets(value: JsonValue): FacetCounts {
  return countsOf(FACETS.json(value, ANSWER_PLACE));
}

function countsOf({ distribution, stats }: ReturnType<typeof FACETS.json>): FacetCounts {
  return { facetDistribution: distribution ?? [], facetStats: stats ?? [] };
}
