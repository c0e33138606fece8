import { QueryTerms } from '../engine/exports.js';
import { nearestOfDocument, type Target } from '../engine/nearest-vectors.js';
import type { IndexReader } from '../engine/segments.js';
import type { IndexView } from '../index-types.js';
import type { SearchRequest } from '../query/request.js';
import { isDisplayed } from '../query/visible-names.js';
import type { RankedHit } from '../ranking/ranked.js';
import type { ByteWriter } from './byte-writer.js';
import { formatPlan } from './format-plan.js';
import { type HitForm, writeHits } from './hit-writer.js';
import { hasEmbedders, vectorsMember } from './vectors-json.js';

/** Properties of hits that a search has computed, besides their documents and ranks. */
export interface HitExtras {
  /** The point of the first `_geoPoint` in `sort`: hits show their distance from it. */
  geoPoint?: { lat: number; lng: number } | null;
  /** What documents were compared with. */
  target?: Target | null;
  /** `_federation` of each hit as JSON. */
  federation?: readonly string[];
}

/**
 * Writes the hits of a search as items of a JSON array, separated by commas.
 * @param hits in the order of the answer, with steps if scores are requested
 * @param terms what is highlighted, in scratch memory of the reader's instance; 0: nothing
 */
export function formatHits(
  out: ByteWriter,
  reader: IndexReader,
  request: SearchRequest,
  hits: readonly RankedHit[],
  terms: QueryTerms = QueryTerms.at(0),
  { geoPoint, federation, target }: HitExtras = {},
): void {
  if (hits.length === 0) return;
  const { instance, view } = reader;
  const segments = reader.inPlan();
  const members = membersOfHits(reader, request, hits, federation);
  const { showRankingScore: score, showRankingScoreDetails: details } = request;
  const vectors = details && target ? hits.map(({ slot }) => nearestOfDocument(reader, slot, target)) : undefined;
  const list = { hits, members, scores: { score, details }, vectors, origin: geoPoint ?? null };
  writeHits(out, instance, segments, hitForm(view, request, terms), list);
}

/** How a request formats hits. */
export function hitForm(view: IndexView, request: SearchRequest, terms: QueryTerms): HitForm {
  const vectors = request.retrieveVectors && isDisplayed(view.settings, '_vectors') && !hasEmbedders(view);
  return { plan: formatPlan(view, request, vectors), terms, checksIndex: request.locales !== null };
}

/** The further members of each hit, without braces; null: none. */
function membersOfHits(
  reader: IndexReader,
  request: SearchRequest,
  hits: readonly RankedHit[],
  federation: readonly string[] | undefined,
): string[] | null {
  const vectors = request.retrieveVectors && isDisplayed(reader.view.settings, '_vectors') && hasEmbedders(reader.view);
  if (!vectors && !federation) return null;
  return hits.map(({ slot }, place) => {
    const members = vectors ? [vectorsMember(reader, slot, reader.document(slot))] : [];
    if (federation) members.push(`"_federation":${federation[place]}`);
    return members.join();
  });
}
