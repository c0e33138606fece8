import { dimensionsOf, distributionOf } from '../embedders/models.js';
import { hasMember, removeMember } from '../engine/bitmaps.js';
import { slotOfKey } from '../engine/document-keys.js';
import { type NeighbourFields, RULE_SIMILARITY, type Steps, VALUE_NUMBER } from '../engine/exports.js';
import { nearest } from '../engine/nearest-vectors.js';
import type { IndexReader } from '../engine/segments.js';
import { vectorsOfDocument } from '../engine/vectors.js';
import { apiError } from '../errors.js';
import { formatHits, hitFormat } from '../format/hits.js';
import type { EmbedderSettings } from '../index-types.js';
import { own } from '../own.js';
import type { FilterNode } from '../query/filter-ast.js';
import { checkFilter, checkFilterGates } from '../query/filter-check.js';
import { evaluateFilter } from '../query/filter-evaluate.js';
import { parseFilter } from '../query/filter-parse.js';
import { SEARCH_DEFAULTS } from '../query/request.js';
import { checkSimilarId, type SimilarRequest } from '../query/similar-request.js';
import { putSteps, RankedHits } from '../ranking/ranked.js';
import { NO_LIMIT, type TimeLimit } from '../time-limit.js';
import { unknownEmbedder } from './plan.js';
import type { SearchSession } from './session.js';
import { member } from './write.js';

const FILTER_CODE = 'invalid_similar_filter';

/** Neighbours examined after the page, so that a threshold just after it is noticed. */
const BEYOND = 1;

/**
 * Finds documents with vectors similar to those of a document.
 * @param tokenFilter filter of the caller's token: a document that it hides counts as missing
 * @returns the bytes of the response body
 * @throws {ApiError} index_not_found, and for other errors in the documented order
 */
export function searchSimilar(session: SearchSession, uid: string, request: SimilarRequest, tokenFilter: unknown): Uint8Array {
  const reader = session.open(uid);
  const { view } = reader;
  const embedder = own(view.settings.embedders, request.embedder);
  if (!embedder) throw unknownEmbedder(view, request.embedder, 'invalid_similar_embedder');
  const filters = [request.filter, tokenFilter].map((filter) => {
    const parsed = parseFilter(filter ?? null, FILTER_CODE);
    if (parsed) checkFilterGates(parsed, session.features);
    return parsed;
  });
  const [own_, hidden] = filters as [FilterNode | null, FilterNode | null];
  checkSimilarId(request.id);
  const allowed = passing(reader, hidden, reader.liveBitmap(), NO_LIMIT);
  const slot = slotOfKey(reader, request.id);
  if (slot < 0 || !hasMember(reader.instance, allowed, slot)) {
    throw apiError('not_found_similar_id', 'notFound', { uid, id: request.id });
  }
  const candidates = passing(reader, own_, allowed, session.limit(view.settings.searchCutoffMs));
  removeMember(reader.instance, candidates, slot);
  return answer(session, reader, request, embedder, { slot, candidates });
}

/** The documents of a bitmap that pass a filter. */
function passing(reader: IndexReader, filter: FilterNode | null, bitmap: number, limit: TimeLimit): number {
  const { view } = reader;
  const documents = reader.copyOf(bitmap);
  if (!filter) return documents;
  checkFilter(filter, view.settings, view.uid, FILTER_CODE);
  reader.intersect(documents, evaluateFilter(reader, filter, limit));
  return documents;
}

function answer(
  session: SearchSession,
  reader: IndexReader,
  request: SimilarRequest,
  embedder: EmbedderSettings,
  { slot, candidates }: { slot: number; candidates: number },
): Uint8Array {
  const { out } = session;
  if (request.showPerformanceDetails) session.timeStages();
  const { maxTotalHits } = reader.view.settings.pagination;
  const { offset, limit } = request;
  const end = Math.min(offset + limit, maxTotalHits);
  const deadline = session.deadline(reader.view.settings.searchCutoffMs);
  const total = reader.count(candidates);
  const scored = session.stage('similar ranking', () =>
    limit === 0 ? [] : nearestToDocument(reader, embedder, slot, candidates, end + BEYOND, deadline),
  );
  const threshold = request.rankingScoreThreshold;
  // Documents before the page are counted whatever their score.
  const below = threshold === null ? -1 : scored.findIndex(({ score }, place) => place >= offset && score < threshold);
  const reached = below >= 0 && below < end;
  const hits = (reached ? scored.slice(0, below) : scored).slice(offset, end);
  out.text('{"hits":[');
  session.stage('format', () =>
    formatHits(
      out,
      reader,
      hitFormat(reader.view, { ...SEARCH_DEFAULTS, ...membersOf(request) }),
      RankedHits.listed(
        reader,
        hits.map(({ slot, score }) => ({ slot, steps: similarSteps(reader, score) })),
      ),
    ),
  );
  const counted = Math.min(reached ? below : total, maxTotalHits);
  out.text(`],"id":${JSON.stringify(request.id)},"processingTimeMs":${Math.trunc(session.elapsed)}`);
  out.text(`,"limit":${limit},"offset":${offset},"estimatedTotalHits":${counted}`);
  const { performanceDetails } = session;
  if (performanceDetails) member(out, 'performanceDetails', performanceDetails);
  out.text('}');
  return out.view();
}

function similarSteps({ instance }: IndexReader, score: number): Steps {
  return putSteps(instance, RULE_SIMILARITY, { number: score, score, valueKind: VALUE_NUMBER });
}

function membersOf({ attributesToRetrieve, retrieveVectors, showRankingScore, showRankingScoreDetails }: SimilarRequest) {
  return { attributesToRetrieve, retrieveVectors, showRankingScore, showRankingScoreDetails };
}

/** The nearest documents of a bitmap: each vector of the document is compared with those of the same ordinal. */
function nearestToDocument(
  reader: IndexReader,
  embedder: EmbedderSettings,
  slot: number,
  candidates: number,
  k: number,
  deadline: number,
): NeighbourFields[] {
  const id = embedder.id ?? 0;
  const [vectors] = vectorsOfDocument(reader, slot, [id]);
  const dimensions = dimensionsOf(embedder) ?? 0;
  if (!vectors || dimensions === 0) return [];
  const best = new Map<number, NeighbourFields>();
  const distribution = distributionOf(embedder);
  for (let place = 0; place * dimensions < vectors.values.length; place++) {
    const vector = vectors.values.slice(place * dimensions, (place + 1) * dimensions);
    const ordinal = vectors.ordinals?.[place] ?? place;
    const target = { embedder: id, vector, distribution };
    for (const neighbour of nearest(reader, target, k, candidates, { ordinal, deadline }).found) {
      const known = best.get(neighbour.slot);
      if (!known || known.similarity < neighbour.similarity) best.set(neighbour.slot, neighbour);
    }
  }
  return [...best.values()].sort((one, other) => other.similarity - one.similarity || one.id - other.id).slice(0, k);
}
