import type { IndexedDocument } from './corpus.js';
import { distinctKeys } from './facet-values.js';
import type { FacetAnswer } from './facets.js';
import type { OracleIndex, SearchBody } from './index.js';
import type { Rule } from './rules/list.js';
import { compareValues, type Direction, type SortValue } from './rules/sort.js';
import { fold, isRanked, type Step } from './scores.js';
import { Refusal } from './text.js';

/** A federated search the plain way: every query by itself, all hits in one heap, which is sorted. */

export interface FederatedQuery extends SearchBody {
  indexUid: string;
  federationOptions?: { weight: number };
}

export interface FederatedBody {
  queries: FederatedQuery[];
  federation: {
    offset?: number;
    limit?: number;
    page?: number;
    hitsPerPage?: number;
    distinct?: string;
    facetsByIndex?: Record<string, string[]>;
  };
}

export interface FederatedAnswer {
  hits: { uid: string; id: number; position: number; weighted: number }[];
  total: number;
  facets: Map<string, FacetAnswer>;
}

interface Found {
  uid: string;
  document: IndexedDocument;
  position: number;
  weighted: number;
  entries: Entry[];
}

type Entry = { score: number } | { value: SortValue; direction: Direction };

/** Answers a federated search; throws a {@link Refusal} with the documented code. */
export function federate(indexes: ReadonlyMap<string, OracleIndex>, { queries, federation }: FederatedBody): FederatedAnswer {
  const { from, to, isPage } = window(federation);
  const placed = queries.map((query, position) => ({ ...query, position }));
  let longest: string[] = [];
  const merged: Found[] = [];
  const counted = new Map<string, Set<IndexedDocument>>();
  for (const uid of [...new Set(queries.map(({ indexUid }) => indexUid))].sort()) {
    const index = indexes.get(uid) as OracleIndex;
    const cap = index.settings.pagination.maxTotalHits;
    const needed = isPage && federation.distinct !== undefined ? cap : Math.min(to, cap);
    const found: Found[] = [];
    const union = new Set<IndexedDocument>();
    for (const query of placed.filter(({ indexUid }) => indexUid === uid)) {
      const kinds = kindsOf(index.rules(query));
      const shared = Math.min(kinds.length, longest.length);
      if (kinds.slice(0, shared).join() !== longest.slice(0, shared).join())
        throw new Refusal('invalid_multi_search_query_ranking_rules');
      if (kinds.length >= longest.length) longest = kinds;
      const page = isPage ? { page: 1, hitsPerPage: needed } : { offset: 0, limit: needed };
      const ranked = index.rank({ ...query, ...page, distinct: federation.distinct ?? query.distinct ?? null });
      const weight = query.federationOptions?.weight ?? 1;
      for (const document of ranked.counted) union.add(document);
      for (const { document, steps } of ranked.hits.slice(0, needed)) {
        const entries = entriesOf(steps, weight);
        found.push({ uid, document, position: query.position, weighted: fold(steps) * weight, entries });
      }
    }
    counted.set(uid, union);
    found.sort(compare);
    const unique = found.filter((hit, place) => found.findIndex(({ document }) => document === hit.document) === place);
    merged.push(...unique.slice(0, needed));
  }
  merged.sort(compare);
  const { kept, rejected } = distinctHits(merged, federation.distinct ?? null);
  const sum = [...counted].reduce(
    (total, [uid, { size }]) => total + Math.min(size, (indexes.get(uid) as OracleIndex).settings.pagination.maxTotalHits),
    0,
  );
  return {
    hits: kept.slice(from, to).map(({ uid, document, position, weighted }) => ({
      uid,
      id: document.internalId,
      position,
      weighted,
    })),
    total: sum - rejected.size,
    facets: facetsOf(indexes, federation.facetsByIndex ?? {}, counted, rejected),
  };
}

function window({ offset = 0, limit = 20, page, hitsPerPage }: FederatedBody['federation']) {
  if (page === undefined && hitsPerPage === undefined) return { from: offset, to: offset + limit, isPage: false };
  const size = hitsPerPage ?? 20;
  const last = (page ?? 1) * size;
  return { from: Math.max(0, last - size), to: last, isPage: true };
}

/** Rules as far as they can be compared: neighbouring rules of relevancy are one. */
function kindsOf(rules: readonly Rule[]): string[] {
  const kinds = rules.map((rule) => {
    if (rule.kind === 'field') return rule.direction;
    return rule.kind === 'geo' ? `geo ${rule.direction}` : 'relevancy';
  });
  return kinds.filter((kind, place) => kind !== 'relevancy' || kinds[place - 1] !== kind);
}

function entriesOf(steps: readonly Step[], weight: number): Entry[] {
  const entries: Entry[] = [];
  for (let from = 0; from < steps.length; ) {
    let to = from;
    while (to < steps.length && isRanked(steps[to] as Step)) to++;
    if (to > from) entries.push({ score: fold(steps.slice(from, to)) * weight });
    const step = steps[to];
    if (step && 'value' in step) entries.push({ value: step.value, direction: step.rule.direction });
    else if (step && 'point' in step) entries.push({ value: step.metres, direction: step.rule.direction });
    from = to + 1;
  }
  return entries;
}

const TOLERANCE = 2.2e-16;

function compare(a: Found, b: Found): number {
  for (const [place, ours] of a.entries.entries()) {
    const theirs = b.entries[place];
    if (!theirs) return -1;
    if ('score' in ours && 'score' in theirs) {
      if (Math.abs(ours.score - theirs.score) > TOLERANCE) return theirs.score - ours.score;
    } else if ('value' in ours && 'value' in theirs) {
      const order = compareValues(ours.value, theirs.value, ours.direction);
      if (order !== 0) return order;
    } else {
      throw new Error('lists whose rules can be compared have entries that can');
    }
  }
  if (b.entries.length > a.entries.length) return 1;
  return a.position - b.position;
}

function distinctHits(hits: readonly Found[], path: string | null): { kept: Found[]; rejected: Set<Found> } {
  const taken = new Set<string>();
  const kept: Found[] = [];
  const rejected = new Set<Found>();
  for (const hit of hits) {
    const keys = path === null ? [] : distinctKeys(hit.document.json, path);
    if (keys.some((key) => taken.has(key))) rejected.add(hit);
    else {
      kept.push(hit);
      for (const key of keys) taken.add(key);
    }
  }
  return { kept, rejected };
}

function facetsOf(
  indexes: ReadonlyMap<string, OracleIndex>,
  asked: Record<string, string[]>,
  counted: ReadonlyMap<string, Set<IndexedDocument>>,
  rejected: ReadonlySet<Found>,
): Map<string, FacetAnswer> {
  const facets = new Map<string, FacetAnswer>();
  for (const [uid, union] of counted) {
    const fields = asked[uid];
    if (!fields) continue;
    const index = indexes.get(uid) as OracleIndex;
    const lost = new Set([...rejected].filter((hit) => hit.uid === uid).map(({ document }) => document));
    const rest = [...union].filter((document) => !lost.has(document));
    facets.set(uid, { distribution: index.facets(fields, rest).distribution, stats: index.facets(fields, union).stats });
  }
  return facets;
}
