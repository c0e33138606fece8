import type { IndexReader } from '../engine/segments.js';
import type { ByteWriter } from '../format/byte-writer.js';
import type { Facets } from '../format/facets.js';
import { vectorText } from '../format/float-text.js';
import { formatHits } from '../format/hits.js';
import { hydrate } from './foreign/hydrate.js';
import type { Page } from './page.js';
import type { SearchPlan } from './plan.js';
import type { Ranked } from './rank.js';
import type { SearchSession } from './session.js';
import { pageMembers } from './window.js';

/**
 * Writes the answer to a search. The bytes are valid as long as those of the session.
 * @param named the answer begins with the index uid, as in lists of answers
 */
export function write(session: SearchSession, plan: SearchPlan, ranked: Ranked, page: Page, named: boolean): Uint8Array {
  const { out } = session;
  out.text(named ? `{"indexUid":"${plan.reader.view.uid}","hits":[` : '{"hits":[');
  session.stage('format', () => writeHits(session, plan, ranked, page));
  // One text of all members: many short ones take longer.
  let members = membersAfterHits(session, plan, ranked, page);
  if (page.facets) {
    out.text(members);
    writeFacets(out, plan.reader, page.facets);
    members = '';
  }
  out.text(`${members}${lastMembers(session, plan, page)}}`);
  return out.view();
}

/** The end of the hits, and the members up to the facets. */
function membersAfterHits(session: SearchSession, { request }: SearchPlan, { target }: Ranked, page: Page): string {
  let members = `],"query":${JSON.stringify(request.q ?? '')}`;
  if (request.retrieveVectors && target) members += `,"queryVector":${vectorText([...target.vector])}`;
  return `${members},"processingTimeMs":${Math.trunc(session.elapsed)}${pageMembers(request, page.total)}`;
}

function writeFacets(out: ByteWriter, { instance }: IndexReader, facets: Facets): void {
  const { distribution, distributionLength, stats, statsLength } = facets;
  out.text(',"facetDistribution":');
  out.slice(instance.bytes, distribution, distribution + distributionLength);
  out.text(',"facetStats":');
  out.slice(instance.bytes, stats, stats + statsLength);
}

/** Those after the facets. */
function lastMembers(session: SearchSession, { request, reader }: SearchPlan, { semanticHitCount, cursor }: Page): string {
  let members = '';
  if (semanticHitCount !== null) members += `,"semanticHitCount":${semanticHitCount}`;
  if (cursor !== undefined) members += `,"cursor":${JSON.stringify(cursor)}`;
  members += `,"requestUid":"${session.requestUid}"`;
  if (session.metadata) members += `,"metadata":${JSON.stringify(metadataOf(session, reader, request.q))}`;
  const { performanceDetails } = session;
  if (performanceDetails) members += `,"performanceDetails":${JSON.stringify(performanceDetails)}`;
  return members;
}

export function member(out: ByteWriter, name: string, value: unknown): void {
  out.text(`,"${name}":${JSON.stringify(value)}`);
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
export function metadataOf(session: SearchSession, { view }: IndexReader, q: string | null): Record<string, string> {
  return {
    ...(q === null ? {} : { query: q }),
    queryUid: session.uuid(),
    indexUid: view.uid,
    ...(view.primaryKey === null ? {} : { primaryKey: view.primaryKey }),
  };
}
