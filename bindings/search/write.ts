import type { IndexReader } from '../engine/segments.js';
import { writeEnd } from '../format/answer-end.js';
import type { ByteWriter } from '../format/byte-writer.js';
import { vectorText } from '../format/float-text.js';
import { formatHits } from '../format/hits.js';
import { requestId } from '../request-ids.js';
import { hydrate } from './foreign/hydrate.js';
import type { Page } from './page.js';
import type { SearchPlan } from './plan.js';
import type { Ranked } from './rank.js';
import type { SearchSession } from './session.js';
import { pageCount } from './window.js';

/**
 * Writes the answer to a search. The bytes are valid as long as those of the session.
 * @param named the answer begins with the index uid, as in lists of answers
 */
export function write(session: SearchSession, plan: SearchPlan, ranked: Ranked, page: Page, named: boolean): Uint8Array {
  const { out } = session;
  out.text(named ? `{"indexUid":"${plan.reader.view.uid}","hits":[` : '{"hits":[');
  session.stage('format', () => writeHits(session, plan, ranked, page));
  writeMembers(session, plan, ranked, page);
  return out.view();
}

/** The end of the hits, and the members after them. */
function writeMembers(session: SearchSession, plan: SearchPlan, { target }: Ranked, page: Page): void {
  const { request, reader, query } = plan;
  const { semanticHitCount, cursor, facets, total } = page;
  const { performanceDetails, requestUid } = session;
  let last = '';
  if (semanticHitCount !== null) last += memberText('semanticHitCount', semanticHitCount);
  if (cursor !== undefined) last += memberText('cursor', cursor);
  last += memberText('requestUid', requestUid ?? requestId());
  if (session.metadata) last += memberText('metadata', metadataOf(reader, query.text));
  if (performanceDetails) last += memberText('performanceDetails', performanceDetails);
  writeEnd(session.out, reader.instance, {
    start: session.start,
    query,
    afterQuery: request.retrieveVectors && target ? `,"queryVector":${vectorText([...target.vector])}` : '',
    page: plan.pageMembers,
    pages: pageCount(request, total),
    total,
    facets,
    last,
  });
}

const memberText = (name: string, value: unknown): string => `,"${name}":${JSON.stringify(value)}`;

export function member(out: ByteWriter, name: string, value: unknown): void {
  out.text(memberText(name, value));
}

function writeHits(session: SearchSession, plan: SearchPlan, { terms, target }: Ranked, { hits }: Page): void {
  const { out } = session;
  const start = out.length;
  formatHits(out, plan.reader, plan.format, hits, { terms, geoPoint: geoPointOf(plan), target });
  hydrate(session, plan.reader, out, start);
}

/** The point from which hits show their distance. */
export function geoPointOf({ sort }: SearchPlan): { lat: number; lng: number } | null {
  return sort.find((item) => item.kind === 'geo') ?? null;
}

/** The `metadata` of a query's answer. */
export function metadataOf({ view }: IndexReader, q: string | null): Record<string, string> {
  return {
    ...(q === null ? {} : { query: q }),
    queryUid: requestId(),
    indexUid: view.uid,
    ...(view.primaryKey === null ? {} : { primaryKey: view.primaryKey }),
  };
}
