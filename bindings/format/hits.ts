import { geoDistances } from '../engine/geo-distances.js';
import type { EngineInstance } from '../engine/instance.js';
import type { IndexReader } from '../engine/segments.js';
import type { IndexSettings, IndexView } from '../index-types.js';
import type { SearchRequest } from '../query/request.js';
import type { ByteWriter } from './byte-writer.js';
import { floatText } from './float-text.js';
import { formatPlan } from './format-plan.js';
import { HitWriter } from './hit-writer.js';
import { type MatchTerms, NO_MATCH_TERMS } from './match-terms.js';
import { hasEmbedders, vectorsMember } from './vectors-json.js';

/** What a search knows of its hits beside the documents; every list is in the order of the hits. */
export interface HitExtras {
  /** Ranking scores, shown when the request asks for them. */
  scores?: ArrayLike<number>;
  /** JSON texts of the score details, shown when the request asks for them. */
  details?: readonly string[];
  /** The point of the first `_geoPoint` that the search sorts by: hits show their distance from it. */
  geoPoint?: { lat: number; lng: number } | null;
  /** JSON texts of `_federation`. */
  federation?: readonly string[];
}

/**
 * Writes the hits of a search: items of a JSON array, with commas between them.
 * @param slots documents in the order of the answer
 */
export function formatHits(
  out: ByteWriter,
  reader: IndexReader,
  request: SearchRequest,
  slots: readonly number[],
  terms: MatchTerms = NO_MATCH_TERMS,
  extras: HitExtras = {},
): void {
  if (slots.length === 0) return;
  const point = extras.geoPoint;
  const distances = point ? geoDistances(reader, point.lat, point.lng, slots) : null;
  const { instance, view } = reader;
  instance.scoped(() => {
    const writer = hitWriter(out, view, instance, request, terms);
    const vectors = request.retrieveVectors && showsVectors(view.settings) && hasEmbedders(view);
    for (const [position, slot] of slots.entries()) {
      const json = reader.document(slot);
      const members = membersOf(request, position, distances, extras);
      writer.hit(json, vectors ? joined(vectorsMember(reader, slot, json), members) : members);
    }
    writer.end();
  });
}

/** A writer of hits as a request wants them. */
export function hitWriter(
  out: ByteWriter,
  view: IndexView,
  instance: EngineInstance,
  request: SearchRequest,
  terms: MatchTerms,
): HitWriter {
  const { settings } = view;
  const plan = formatPlan(view, request);
  const { highlightPreTag, highlightPostTag, cropMarker, showMatchesPosition: positions } = request;
  const matching = { settings, terms, positions, highlightPreTag, highlightPostTag, cropMarker };
  return new HitWriter(out, instance, {
    plan,
    vectors: request.retrieveVectors && showsVectors(settings) && !hasEmbedders(view),
    ...(plan.formats || positions ? { matching } : {}),
  });
}

/** The members of a hit that are not made from its document, without braces. */
function membersOf(
  { showRankingScore, showRankingScoreDetails }: SearchRequest,
  position: number,
  distances: ArrayLike<number> | null,
  { scores, details, federation }: HitExtras,
): string {
  const distance = distances?.[position] ?? Number.NaN;
  let members = '';
  if (!Number.isNaN(distance)) {
    const metres = Math.round(distance);
    members += `,"geoDistance":${metres},"_geoDistance":${metres}`;
  }
  if (federation) members += `,"_federation":${federation[position]}`;
  if (showRankingScore && scores) members += `,"_rankingScore":${floatText(scores[position] as number)}`;
  if (showRankingScoreDetails && details) members += `,"_rankingScoreDetails":${details[position] ?? '{}'}`;
  return members.slice(1);
}

/** Members one after the other, each without braces. */
function joined(first: string, rest: string): string {
  return rest === '' ? first : `${first},${rest}`;
}

/** Whether `_vectors` may be shown. */
function showsVectors({ displayedAttributes }: IndexSettings): boolean {
  return displayedAttributes === null || displayedAttributes.includes('*') || displayedAttributes.includes('_vectors');
}
