import { removeDuplicates } from './distinct-values.js';
import { page } from './page.js';
import { type PreparedSearch, planSearch, type RankPlan } from './plan.js';
import { type Ranked, rank } from './rank.js';
import type { SearchSession } from './session.js';
import { write } from './write.js';

/** How far a search has been read. */
export interface CursorPosition {
  /** Hits on the previous pages. */
  seen: number;
  /** Bitmap over slots of the documents that may still become hits; null: all. */
  remaining: Uint8Array | null;
}

/** A page, and the position of the next one. */
export interface CursorPage {
  /** The bytes of the response body. */
  answer: Uint8Array;
  /** null: this is the last page. */
  next: CursorPosition | null;
}

/**
 * A page of a cursor search, starting where the previous one ended. Documents already shown, and duplicates of them, are excluded
 * from the ranking, so every page costs about as much as the first one.
 * @param token the `cursor` of the answer, if there is a further page
 * @throws {ApiError} as for a search
 */
export function searchPage(
  session: SearchSession,
  uid: string,
  prepared: PreparedSearch,
  { seen, remaining }: CursorPosition,
  token: string,
): CursorPage {
  if (prepared.request.showPerformanceDetails) session.timeStages();
  const first = planSearch(session, uid, prepared);
  const pins = first.pins.map(({ id, position }) => ({ id, position: Math.max(0, position - seen) }));
  const plan = { ...first, pins, remaining };
  const ranked = rank(session, plan);
  // Facets cover all results and were reported with the first page.
  const shown = page(session, seen === 0 ? plan : { ...plan, facets: null }, ranked);
  const next = positionAfter(
    plan,
    ranked,
    shown.hits.list.map(({ slot }) => slot),
    seen,
  );
  const answer = write(session, plan, ranked, { ...shown, total: seen + ranked.total, cursor: next ? token : null }, false);
  return { answer, next };
}

function positionAfter(
  { distinct }: Pick<RankPlan, 'distinct'>,
  { reader, counted, reachable }: Ranked,
  shown: readonly number[],
  seen: number,
): CursorPosition | null {
  const { instance, bitmapBytes } = reader;
  if (shown.length === 0) return null;
  // The ranking removed duplicates of its hits from the counted documents.
  if (distinct !== null && reachable !== counted) removeDuplicates(reader, distinct, shown, reachable);
  const remaining = instance.bytes.slice(reachable, reachable + bitmapBytes);
  for (const slot of shown) remaining[slot >>> 3] = (remaining[slot >>> 3] as number) & ~(1 << (slot & 7));
  return remaining.some((byte) => byte !== 0) ? { seen: seen + shown.length, remaining } : null;
}
