import { FilterPlan, QueryTerms } from '../engine/exports.js';
import type { Target } from '../engine/nearest-vectors.js';
import type { IndexReader } from '../engine/segments.js';
import { ApiError } from '../errors.js';
import { evaluateEncoded, noteTimeout, putFilter } from '../query/filter-evaluate.js';
import type { SearchKind } from '../query/request.js';
import { type RankedHit, RankedHits, rankDocuments } from '../ranking/ranked.js';
import type { TimeLimit } from '../time-limit.js';
import { countPins, type PinnedHit, takePins } from './pinned.js';
import { isPlaceholder, type RankPlan } from './plan.js';
import { hybridHits, wordsSuffice } from './semantic/hybrid.js';
import { expectVector, type SemanticQuery, targetOf } from './semantic/query-vector.js';
import { rankVectors } from './semantic/rank-vectors.js';
import type { SearchSession } from './session.js';

/** The result of ranking, by keywords, vectors or both. */
export interface Ranked {
  reader: IndexReader;
  /**
   * Best first, as many as the plan needs, with the results of each rule, from which scores and the order of merged lists are
   * computed.
   */
  hits: RankedHits;
  /** Pinned documents by position; not among the hits, but counted. */
  pins: readonly PinnedHit[];
  /** Bitmap over slots of the counted documents, in scratch memory of the reader's instance. */
  counted: number;
  /** Their number. */
  total: number;
  /** Bitmap of the documents that further pages can show: more than the counted ones when vectors were not searched yet. */
  reachable: number;
  /** What hits are highlighted by, in scratch memory of the reader's instance; 0: nothing. */
  terms: QueryTerms;
  /** Hits whose score is a vector similarity; null when no vectors were used. */
  semantic: ReadonlySet<RankedHit> | null;
  /** What documents were compared with; null: nothing. */
  target: Target | null;
}

/** Finds and ranks documents. Runs inside one scope of every instance of the reader; its bitmaps are valid as long. */
export function rank(session: SearchSession, plan: RankPlan): Ranked {
  const { reader } = plan;
  // With keywords only the preparation: the filter is evaluated with the ranking, in its stage.
  const searched = session.stage('evaluate filter', () => searchedDocuments(session, plan));
  const pins = takePins(reader, plan, searched.universe);
  const { hits, counted, total, reachable, terms, semantic, target } = RANKINGS[plan.kind](session, plan, searched);
  // Pinned documents were excluded from the ranking.
  countPins(reader, pins, counted);
  if (reachable !== counted) countPins(reader, pins, reachable);
  return { reader, hits, pins, counted, total: total + pins.length, reachable, terms, semantic, target };
}

/** The result of one kind of search among the documents of a bitmap. */
type Found = Omit<Ranked, 'reader' | 'pins'>;

/** The documents that a search considers. */
interface Searched {
  /** Bitmap of documents that are not deleted; 0: all of them. */
  universe: number;
  /** The filter, when it is left to the ranking. */
  later: LaterFilter | null;
}

/** A filter that is evaluated with the ranking, when the documents that match the query are known. */
interface LaterFilter {
  plan: FilterPlan;
  limit: TimeLimit;
}

const RANKINGS: Record<SearchKind, (session: SearchSession, plan: RankPlan, searched: Searched) => Found> = {
  keyword: byWords,
  semantic: byVectors,
  hybrid: byBoth,
};

function byWords(session: SearchSession, plan: RankPlan, { universe, later }: Searched): Found {
  const { reader, query, ranking, needed, exhaustive, detailed, matches } = plan;
  const stage = isPlaceholder(plan) ? 'placeholder ranking' : 'keyword ranking';
  const ranked = session.stage(stage, () =>
    rankDocuments(reader, ranking, {
      query,
      universe,
      filter: later?.plan ?? FilterPlan.at(0),
      needed,
      exhaustive,
      detailed,
      matches,
      deadline: session.deadline(reader.view.settings.searchCutoffMs),
      vectors: null,
    }),
  );
  const { counted, total, degraded, terms } = ranked;
  if (degraded !== 0) session.degraded = true;
  if (later) noteTimeout(reader, later.plan, later.limit);
  return { hits: RankedHits.of(reader, ranked), counted, total, reachable: counted, terms, semantic: null, target: null };
}

function byVectors(session: SearchSession, plan: RankPlan, { universe }: Searched): Found {
  const { reader } = plan;
  const query = plan.semantic as SemanticQuery;
  const target = targetOf(query, session.embeddings);
  const threshold = plan.request.rankingScoreThreshold;
  const deadline = session.deadline(reader.view.settings.searchCutoffMs);
  const { hits, counted, total, byVector } = session.stage('semantic ranking', () =>
    rankVectors(reader, universe, { ...plan, threshold, pageEnd: query.to, deadline }, target),
  );
  return {
    hits,
    counted,
    total,
    reachable: counted,
    terms: QueryTerms.at(0),
    semantic: new Set(byVector ? hits.list : []),
    target,
  };
}

/** Keywords first: vectors are only searched if the keyword results are not good enough and a vector can be obtained. */
function byBoth(session: SearchSession, plan: RankPlan, searched: Searched): Found {
  const query = plan.semantic as SemanticQuery;
  if (query.to > 0) expectVector(query, session.embeddings);
  const words = byWords(session, { ...plan, detailed: true }, searched);
  const alone = { ...words, semantic: new Set<RankedHit>() };
  // The keyword search removed documents with excluded words from the universe.
  if (wordsSuffice(plan.reader, words.hits, query.to, query.semanticRatio)) return { ...alone, reachable: searched.universe };
  try {
    const vectors = byVectors(session, { ...plan, detailed: true }, searched);
    const { hits, semantic } = hybridHits(plan.reader, words, vectors, query, plan.distinct);
    const total = plan.reader.count(words.counted);
    return { ...words, total, hits, semantic, target: vectors.target };
  } catch (error) {
    if (error instanceof ApiError && error.code === 'vector_embedding_error') return alone;
    throw error;
  }
}

/** Unless something else needs to know what passes it, the filter is left to the ranking, where it has to examine fewer documents. */
function searchedDocuments(session: SearchSession, { reader, kind, filter, remaining, pins }: RankPlan): Searched {
  const isLater = kind === 'keyword' && pins.length === 0;
  const limit = filter && session.limit(reader.view.settings.searchCutoffMs);
  const later = isLater && limit ? { plan: putFilter(reader, filter, limit), limit } : null;
  if (isLater && remaining === null) return { universe: 0, later };
  const universe = isLater || !limit ? reader.liveBitmap() : evaluateEncoded(reader, filter, limit);
  if (remaining !== null) reader.intersect(universe, reader.instance.put(remaining));
  return { universe, later };
}
