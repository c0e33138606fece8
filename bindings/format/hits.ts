import { QueryTerms } from '../engine/exports.js';
import { geoDistances } from '../engine/geo-distances.js';
import type { IndexReader } from '../engine/segments.js';
import type { IndexSettings, IndexView } from '../index-types.js';
import type { SearchRequest } from '../query/request.js';
import type { ByteWriter } from './byte-writer.js';
import { floatText } from './float-text.js';
import { formatPlan } from './format-plan.js';
import { type HitForm, writeHits } from './hit-writer.js';
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
 * @param terms what they are highlighted by, in the scratch of the reader's instance; 0: nothing
 */
export function formatHits(
  out: ByteWriter,
  reader: IndexReader,
  request: SearchRequest,
  slots: readonly number[],
  terms: QueryTerms = QueryTerms.at(0),
  extras: HitExtras = {},
): void {
  if (slots.length === 0) return;
  const { instance, view } = reader;
  const segments = reader.inPlan();
  const members = membersOfHits(reader, request, slots, extras);
  writeHits(out, instance, segments, hitForm(view, request, terms), { slots, members });
}

/** How hits look as a request wants them. */
export function hitForm(view: IndexView, request: SearchRequest, terms: QueryTerms): HitForm {
  const { settings } = view;
  const plan = formatPlan(view, request);
  const vectors = request.retrieveVectors && showsVectors(settings) && !hasEmbedders(view);
  const { highlightPreTag, highlightPostTag, cropMarker, showMatchesPosition: positions } = request;
  if (!plan.formats && !positions) return { plan, vectors };
  const recut = request.locales !== null;
  return { plan, vectors, matching: { settings, terms, recut, positions, highlightPreTag, highlightPostTag, cropMarker } };
}

/** What hits show beside their documents, each without braces; null: nothing. */
function membersOfHits(
  reader: IndexReader,
  request: SearchRequest,
  slots: readonly number[],
  extras: HitExtras,
): string[] | null {
  const point = extras.geoPoint;
  const vectors = request.retrieveVectors && showsVectors(reader.view.settings) && hasEmbedders(reader.view);
  if (!point && !vectors && !extras.scores && !extras.details && !extras.federation) return null;
  const distances = point ? geoDistances(reader, point.lat, point.lng, slots) : null;
  const { scores, details, federation } = extras;
  let members = '';
  return slots.map((slot, position) => {
    const before = position - 1;
    const isLikeBefore =
      position > 0 &&
      !distances &&
      !federation &&
      scores?.[position] === scores?.[before] &&
      details?.[position] === details?.[before];
    // documents that are ranked alike show the same
    if (!isLikeBefore) members = membersOf(request, position, distances, extras);
    return vectors ? joined(vectorsMember(reader, slot, reader.document(slot)), members) : members;
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
