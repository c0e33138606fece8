import { addMember } from '../../engine/bitmaps.js';
import { columnValues } from '../../engine/column-values.js';
import { type RankedHit, scoreOf } from '../../ranking/ranked.js';
import type { Ranked } from '../rank.js';
import { mergedPage, mergeSorted } from './merge.js';
import type { FederationPlan, IndexPlan, QueryPlan } from './plan.js';
import { compareHits, type ScoredHit, scoreEntries } from './scores.js';

/** A query with its result. */
export interface RankedQuery extends QueryPlan {
  ranked: Ranked;
}

/** An index with the results of its queries. */
export interface RankedIndex extends IndexPlan {
  queries: RankedQuery[];
  /** Bitmap of the documents counted by any query. */
  counted: number;
  total: number;
  /** Bitmap of the documents dropped by `federation.distinct` in favour of a better hit; 0: none. */
  rejected: number;
}

/** A hit of this instance in the merged list. */
export interface FederatedHit extends ScoredHit {
  hit: RankedHit;
  query: RankedQuery;
  index: RankedIndex;
  /** Position assigned by a rule; null: not pinned. */
  pin: number | null;
}

export interface FederatedPage {
  hits: FederatedHit[];
  /** Number of counted documents over all indexes, up to the limit of each. */
  total: number;
}

/** Combines the results of the queries of an index: a document is counted once, whichever queries found it. */
export function joinQueries(index: IndexPlan, queries: RankedQuery[]): RankedIndex {
  const { reader } = index;
  const counted = reader.newBitmap();
  for (const { ranked } of queries) reader.unite(counted, ranked.counted);
  return { ...index, queries, counted, total: reader.count(counted), rejected: 0 };
}

/** A page of the merged list. */
export function federatedPage({ window, needed, federation }: FederationPlan, indexes: readonly RankedIndex[]): FederatedPage {
  const { distinct } = federation;
  const pins = pinsOfAll(indexes);
  const pinned = new Set(pins.map(({ hit }) => documentOf(hit)));
  const lists = indexes.map((index) => unpinned(hitsOf(index, needed), pinned));
  const valuesOf = distinct === null ? null : ({ hit, index }: FederatedHit) => columnValues(index.reader, distinct, hit.slot);
  const { hits, rejected } = mergedPage(lists, pins, window, valuesOf);
  for (const { index, hit } of rejected) reject(index, hit.slot);
  const counts = indexes.map(({ total, reader }) => Math.min(total, reader.view.settings.pagination.maxTotalHits));
  return { hits, total: counts.reduce((sum, count) => sum + count, 0) - rejected.length };
}

/** Identifies the document of a hit among those of all indexes. */
function documentOf({ index, hit }: Pick<FederatedHit, 'index' | 'hit'>): string {
  return `${index.uid}/${hit.slot}`;
}

function* unpinned(hits: Iterable<FederatedHit>, pinned: ReadonlySet<string>): Generator<FederatedHit> {
  for (const hit of hits) if (!pinned.has(documentOf(hit))) yield hit;
}

/** The pins of all queries, each document once, by position; pins of equal position by the position of their queries. */
function pinsOfAll(indexes: readonly RankedIndex[]): { position: number; hit: FederatedHit }[] {
  const pins = new Map<string, { position: number; hit: FederatedHit }>();
  for (const index of indexes) {
    for (const query of index.queries.toSorted((a, b) => a.position - b.position)) {
      for (const { position, hit } of query.ranked.pins) {
        const name = documentOf({ index, hit });
        const weighted = scoreOf(index.reader, hit) * query.weight;
        if (!pins.has(name))
          pins.set(name, {
            position,
            hit: { hit, query, index, position: query.position, pin: position, entries: [], weighted },
          });
      }
    }
  }
  return [...pins.values()].sort((a, b) => a.position - b.position || a.hit.position - b.hit.position);
}

/** The hits of an index, best first; a document found by several queries appears once, for the query that ranks it best. */
function* hitsOf(index: RankedIndex, needed: number): Generator<FederatedHit> {
  const limit = Math.min(needed, index.reader.view.settings.pagination.maxTotalHits);
  const seen = new Set<number>();
  if (limit === 0) return;
  const lists = index.queries.map((query) => hitsOfQuery(query, index, limit));
  for (const hit of mergeSorted(lists, compareHits)) {
    if (seen.has(hit.hit.slot)) continue;
    seen.add(hit.hit.slot);
    yield hit;
    if (seen.size === limit) return;
  }
}

function* hitsOfQuery(query: RankedQuery, index: RankedIndex, limit: number): Generator<FederatedHit> {
  const { weight, position, ranked } = query;
  const { reader } = index;
  for (const hit of ranked.hits.list.slice(0, limit)) {
    const entries = scoreEntries(reader, hit, weight);
    yield { hit, query, index, position, pin: null, entries, weighted: scoreOf(reader, hit) * weight };
  }
}

function reject(index: RankedIndex, slot: number): void {
  const { reader } = index;
  index.rejected ||= reader.newBitmap();
  addMember(reader.instance, index.rejected, slot);
}

/** Bitmap of the documents of an index that are counted and not dropped. */
export function remaining({ counted, rejected, reader }: RankedIndex): number {
  if (rejected === 0) return counted;
  const rest = reader.copyOf(counted);
  reader.subtract(rest, rejected);
  return rest;
}
