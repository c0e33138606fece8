import { QueryTerms } from '../engine/exports.js';
import type { IndexReader } from '../engine/segments.js';
import type { IndexSettings, IndexView } from '../index-types.js';
import type { SearchRequest } from '../query/request.js';
import type { ByteWriter } from './byte-writer.js';
import { floatText } from './float-text.js';
import { formatPlan } from './format-plan.js';
import { type HitForm, writeHits } from './hit-writer.js';
import { hasEmbedders, vectorsMember } from './vectors-json.js';

/** What a search knows about its hits besides their documents; every list is in the order of the hits. */
export interface HitExtras {
  /** Ranking scores, shown when requested. */
  scores?: ArrayLike<number>;
  /** Score details as JSON, shown when requested. */
  details?: readonly string[];
  /** The point of the first `_geoPoint` in `sort`: hits show their distance from it. */
  geoPoint?: { lat: number; lng: number } | null;
  /** `_federation` as JSON. */
  federation?: readonly string[];
}

/**
 * Writes the hits of a search as items of a JSON array, separated by commas.
 * @param slots documents in the order of the answer
 * @param terms what is highlighted, in scratch memory of the reader's instance; 0: nothing
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
  writeHits(out, instance, segments, hitForm(view, request, terms), { slots, members, origin: extras.geoPoint ?? null });
}

/** How a request wants hits to be shown. */
export function hitForm(view: IndexView, request: SearchRequest, terms: QueryTerms): HitForm {
  const { settings } = view;
  const plan = formatPlan(view, request);
  const vectors = request.retrieveVectors && showsVectors(settings) && !hasEmbedders(view);
  const { highlightPreTag, highlightPostTag, cropMarker, showMatchesPosition: positions } = request;
  if (!plan.formats && !positions) return { plan, vectors };
  const recut = request.locales !== null;
  return { plan, vectors, matching: { settings, terms, recut, positions, highlightPreTag, highlightPostTag, cropMarker } };
}

/** The further members of each hit, without braces; null: none. */
function membersOfHits(
  reader: IndexReader,
  request: SearchRequest,
  slots: readonly number[],
  extras: HitExtras,
): string[] | null {
  const vectors = request.retrieveVectors && showsVectors(reader.view.settings) && hasEmbedders(reader.view);
  if (!vectors && !extras.scores && !extras.details && !extras.federation) return null;
  const { scores, details, federation } = extras;
  let members = '';
  return slots.map((slot, position) => {
    const before = position - 1;
    const isLikeBefore =
      position > 0 && !federation && scores?.[position] === scores?.[before] && details?.[position] === details?.[before];
    // Consecutive hits with equal rank have equal members.
    if (!isLikeBefore) members = membersOf(request, position, extras);
    return vectors ? joined(vectorsMember(reader, slot, reader.document(slot)), members) : members;
  });
}

/** The further members of one hit, without braces. */
function membersOf(
  { showRankingScore, showRankingScoreDetails }: SearchRequest,
  position: number,
  { scores, details, federation }: HitExtras,
): string {
  let members = '';
  if (federation) members += `,"_federation":${federation[position]}`;
  if (showRankingScore && scores) members += `,"_rankingScore":${floatText(scores[position] as number)}`;
  if (showRankingScoreDetails && details) members += `,"_rankingScoreDetails":${details[position] ?? '{}'}`;
  return members.slice(1);
}

/** Concatenates members, each without braces. */
function joined(first: string, rest: string): string {
  return rest === '' ? first : `${first},${rest}`;
}

/** Whether `_vectors` may be shown. */
function showsVectors({ displayedAttributes }: IndexSettings): boolean {
  return displayedAttributes === null || displayedAttributes.includes('*') || displayedAttributes.includes('_vectors');
}
