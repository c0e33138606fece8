import type { SearchRequest } from '../query/request.js';
import { page } from './page.js';
import { type PreparedSearch, planSearch, type SearchPlan } from './plan.js';
import { type Ranked, rank } from './rank.js';
import type { SearchSession } from './session.js';
import { write } from './write.js';

/** How far a search has been read. */
export interface CursorPosition {
  /** Hits of the pages before. */
  seen: number;
  /** Bitmap over slots of the documents that may still be hits; null: all. */
  remaining: Uint8Array | null;
}

/** A page, and where the next begins. */
export interface CursorPage {
  /** The bytes of the response body. */
  answer: Uint8Array;
  /** null: there is no further page. */
  next: CursorPosition | null;
}

/**
 * A page of a search that begins where the one before ended: what was shown, or lost to something shown, takes no part any more. So a
 * page takes no longer than the first, however many there were.
 * @param token what the answer says as its `cursor`, if there is a further page
 * @throws {ApiError} as a search does
 */
export function searchPage(
  session: SearchSession,
  uid: string,
  prepared: PreparedSearch<SearchRequest>,
  { seen, remaining }: CursorPosition,
  token: string,
): CursorPage {
  session.stages.isWanted = prepared.request.showPerformanceDetails;
  const first = planSearch(session, uid, prepared);
  const pins = first.pins.map(({ id, position }) => ({ id, position: Math.max(0, position - seen) }));
  const plan = { ...first, pins, remaining };
  const ranked = rank(session, plan);
  const shown = page(session, seen === 0 ? plan : withoutFacets(plan), ranked);
  const next = positionAfter(
    ranked,
    shown.hits.map(({ slot }) => slot),
    seen,
  );
  const answer = write(session, plan, ranked, { ...shown, total: seen + ranked.total, cursor: next ? token : null }, false);
  return { answer, next };
}

/** Facets are of all that is found, which the first page has told. */
function withoutFacets(plan: SearchPlan): SearchPlan {
  return { ...plan, request: { ...plan.request, facets: null, disjunctiveFacets: null } };
}

function positionAfter({ reader, counted }: Ranked, shown: readonly number[], seen: number): CursorPosition | null {
  const { instance, bitmapBytes } = reader;
  if (shown.length === 0) return null;
  const remaining = instance.bytes.slice(counted, counted + bitmapBytes);
  for (const slot of shown) remaining[slot >>> 3] = (remaining[slot >>> 3] as number) & ~(1 << (slot & 7));
  return remaining.some((byte) => byte !== 0) ? { seen: seen + shown.length, remaining } : null;
}
