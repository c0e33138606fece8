import type { QueryTerms } from '../engine/exports.js';
import { nearestOfDocument, type Target } from '../engine/nearest-vectors.js';
import type { IndexReader } from '../engine/segments.js';
import type { IndexView } from '../index-types.js';
import type { SearchRequest } from '../query/request.js';
import { isDisplayed } from '../query/visible-names.js';
import type { RankedHits } from '../ranking/ranked.js';
import type { ByteWriter } from './byte-writer.js';
import { type FormMembers, formatPlan } from './format-plan.js';
import { type HitForm, writeHits } from './hit-writer.js';
import { hasEmbedders, vectorsMember } from './vectors-json.js';

/** Properties of hits that a search has computed, besides their documents and ranks. */
export interface HitExtras {
  /** What is highlighted, in scratch memory of the reader's instance; absent: nothing. */
  terms?: QueryTerms;
  /** The point of the first `_geoPoint` in `sort`: hits show their distance from it. */
  geoPoint?: { lat: number; lng: number } | null;
  /** What documents were compared with. */
  target?: Target | null;
  /** `_federation` of each hit as JSON. */
  federation?: readonly string[];
}

/** How the hits of a search are shown. */
export interface HitFormat extends HitForm {
  /** Hits have the `_vectors` that segments store. */
  storedVectors: boolean;
}

type FormatMembers = FormMembers & Pick<SearchRequest, 'retrieveVectors' | 'showRankingScore' | 'showRankingScoreDetails'>;

/** How a request formats the hits of an index. */
export function hitFormat(view: IndexView, request: FormatMembers): HitFormat {
  const vectors = request.retrieveVectors && isDisplayed(view.settings, '_vectors');
  const storedVectors = vectors && hasEmbedders(view);
  return {
    plan: formatPlan(view, request, vectors && !storedVectors),
    checksIndex: request.locales !== null,
    score: request.showRankingScore,
    details: request.showRankingScoreDetails,
    storedVectors,
  };
}

/**
 * Writes the hits of a search as items of a JSON array, separated by commas.
 * @param hits in the order of the answer, with steps if scores are requested
 */
export function formatHits(
  out: ByteWriter,
  reader: IndexReader,
  format: HitFormat,
  hits: RankedHits,
  { terms, geoPoint, federation, target }: HitExtras = {},
): void {
  if (hits.count === 0) return;
  const members = membersOfHits(reader, format, hits, federation);
  const vectors = format.details && target ? hits.list.map(({ slot }) => nearestOfDocument(reader, slot, target)) : undefined;
  writeHits(out, reader.instance, reader.inPlan(), format, { hits, terms, members, vectors, origin: geoPoint ?? null });
}

/** The further members of each hit, without braces; null: none. */
function membersOfHits(
  reader: IndexReader,
  { storedVectors }: HitFormat,
  hits: RankedHits,
  federation: readonly string[] | undefined,
): string[] | null {
  if (!storedVectors && !federation) return null;
  return hits.list.map(({ slot }, place) => {
    const members = storedVectors ? [vectorsMember(reader, slot, reader.document(slot))] : [];
    if (federation) members.push(`"_federation":${federation[place]}`);
    return members.join();
  });
}
