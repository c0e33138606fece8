import type { ByteWriter } from '../../format/byte-writer.js';
import { facetFields } from '../../format/facets.js';
import { floatText, vectorText } from '../../format/float-text.js';
import { formatHits } from '../../format/hits.js';
import { type JsonObject, jsonText, parseJson } from '../../query/json.js';
import { RankedHits } from '../../ranking/ranked.js';
import { requestId } from '../../request-ids.js';
import { hydrate } from '../foreign/hydrate.js';
import { ANY_DEPTH } from '../foreign/joined-index.js';
import { inQuery } from '../query-position.js';
import type { SearchSession } from '../session.js';
import { countedPage } from '../window.js';
import { geoPointOf, member, metadataOf } from '../write.js';
import { membersWith } from './document-values.js';
import { facetsJson, mergeFacets } from './facet-counts.js';
import { countsOf, type WrittenFacetsOfIndex } from './facets.js';
import type { FederatedHit, FederatedPage, RankedIndex, RankedQuery } from './page.js';
import type { FederationPlan } from './plan.js';
import { scoreValues } from './score-values.js';

/**
 * Writes the answer to a federated search. The bytes are valid as long as those of the session.
 * @param forPeer adds the criteria of hits and the order of facet values
 */
export function writeFederation(
  session: SearchSession,
  plan: FederationPlan,
  indexes: readonly RankedIndex[],
  page: FederatedPage,
  facets: readonly WrittenFacetsOfIndex[],
  forPeer: boolean,
): Uint8Array {
  const { out } = session;
  const { federation } = plan;
  const queries = indexes.flatMap((index) => index.queries).sort((a, b) => a.position - b.position);
  out.text('{"hits":[');
  session.stage('format', () => writeHits(session, page.hits, forPeer ? peerMembers(plan) : () => ''));
  out.text(']');
  if (queries.some(({ plan }) => plan.request.retrieveVectors)) out.text(`,"queryVectors":{${queryVectors(queries).join()}}`);
  member(out, 'processingTimeMs', Math.trunc(session.elapsed));
  out.text(countedPage(federation, page.total));
  if (facets.length > 0) {
    if (forPeer) member(out, 'facetOrders', facetOrders(facets));
    if (federation.mergeFacets === null) writeByIndex(out, facets);
    else {
      const merged = facetsJson(mergeFacets(facets.map(countsOf), federation.mergeFacets));
      out.text(`,"facetDistribution":${merged.facetDistribution},"facetStats":${merged.facetStats}`);
    }
  }
  const semantic = page.hits.filter(({ hit, query }) => query.ranked.semantic?.has(hit)).length;
  if (queries.some(({ ranked }) => ranked.semantic !== null)) member(out, 'semanticHitCount', semantic);
  member(out, 'requestUid', session.requestUid ?? requestId());
  if (session.metadata) {
    const metadata = queries.map(({ plan }) => metadataOf(plan.reader, plan.query.text));
    member(out, 'metadata', metadata);
  }
  const { performanceDetails } = session;
  if (performanceDetails) member(out, 'performanceDetails', performanceDetails);
  out.text('}');
  return out.view();
}

/** Further members of `_federation`. */
type MoreMembers = (hit: FederatedHit) => string;

/** The members by which another instance merges and counts hits. */
function peerMembers({ federation: { distinct } }: FederationPlan): MoreMembers {
  return ({ hit, pin, entries, index: { reader, facets } }) => {
    const position = pin === null ? '' : `,"pin":${pin}`;
    const compared = `,"weightedScoreValues":${JSON.stringify(scoreValues(entries))}${position}`;
    if (distinct === null) return compared;
    const document = parseJson(decoder.decode(reader.document(hit.slot)), ANY_DEPTH) as JsonObject;
    const paths = [distinct, ...(facets ? facetFields(reader, facets).paths : [])];
    return `${compared},"extra_document":${jsonText(membersWith(document, paths))}`;
  };
}

const decoder = new TextDecoder();

/** Fields whose values come by their counts; all others by themselves. */
function facetOrders(facets: readonly WrittenFacetsOfIndex[]): Record<string, string> {
  const byCount = facets.flatMap(({ fields, order }) => fields.filter((field) => order(field) === 'count'));
  return Object.fromEntries(byCount.map((field) => [field, 'count']));
}

/** Writes the hits, consecutive ones of one query together. */
function writeHits(session: SearchSession, hits: readonly FederatedHit[], more: MoreMembers): void {
  for (let from = 0; from < hits.length; ) {
    const { query } = hits[from] as FederatedHit;
    let to = from + 1;
    while (hits[to]?.query === query) to++;
    if (from > 0) session.out.text(',');
    writeRun(session, hits.slice(from, to), more);
    from = to;
  }
}

/** Writes hits of one query, in the form that the query requests. */
function writeRun(session: SearchSession, run: readonly FederatedHit[], more: MoreMembers): void {
  const { plan, ranked, position } = (run[0] as FederatedHit).query;
  const hits = run.map(({ hit }) => hit);
  const federation = run.map((hit) => {
    const { index, position, weighted } = hit;
    const score = floatText(weighted);
    return `{"indexUid":"${index.uid}","queriesPosition":${position},"weightedRankingScore":${score}${more(hit)}}`;
  });
  const { out } = session;
  const start = out.length;
  formatHits(out, plan.reader, plan.format, RankedHits.listed(plan.reader, hits), {
    terms: ranked.terms,
    geoPoint: geoPointOf(plan),
    federation,
    target: ranked.target,
  });
  inQuery(position, () => hydrate(session, plan.reader, out, start));
}

/** @returns members of an object: the vector of each query that asks for it, by the position of the query */
function queryVectors(queries: readonly RankedQuery[]): string[] {
  const asked = queries.filter(({ plan }) => plan.request.retrieveVectors);
  return asked.flatMap(({ position, ranked }) =>
    ranked.target ? [`"${position}":${vectorText([...ranked.target.vector])}`] : [],
  );
}

function writeByIndex(out: ByteWriter, indexes: readonly WrittenFacetsOfIndex[]): void {
  out.text(`,"facetsByIndex":{${indexes.map(({ uid, text }) => `"${uid}":${text}`).join()}}`);
}
