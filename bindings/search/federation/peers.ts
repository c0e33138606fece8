import { sortedSet } from '../../engine/utf8.js';
import { floatText } from '../../format/float-text.js';
import { type JsonValue, jsonText } from '../../query/json.js';
import type { Federation } from '../../query/multi-search.js';
import { countedPage, windowOf } from '../window.js';
import { comparedValue, documentValues } from './document-values.js';
import { type FacetCounts, type FacetsOfIndex, facetsJson, mergeFacets } from './facet-counts.js';
import { mergedPage } from './merge.js';
import type { PeerAnswer, PeerHit } from './peer-answer.js';

/** The results of one instance, possibly this one. */
export interface Peer {
  /** Name of the instance; null: this instance has no name. */
  name: string | null;
  answer: PeerAnswer;
}

/** A hit with the instance that found it. */
interface FoundHit extends PeerHit {
  peer: Peer;
}

/** The merged results of several instances. */
export interface PeersPage {
  hits: FoundHit[];
  total: number;
  facets: FacetsOfIndex[];
}

/** Merges the answers of instances; equal hits of the same query are in the order of the peers. */
export function peersPage(federation: Federation, peers: readonly Peer[]): PeersPage {
  const { distinct } = federation;
  const found = peers.map((peer) => peer.answer.hits.map((hit): FoundHit => ({ ...hit, peer })));
  const pins = found
    .flat()
    .flatMap((hit) => (hit.pin === null ? [] : [{ position: hit.pin, hit }]))
    .sort((a, b) => a.position - b.position || a.hit.position - b.hit.position);
  const lists = found.map((hits) => hits.filter(({ pin }) => pin === null));
  const valuesOf = distinct === null ? null : ({ document }: FoundHit) => documentValues(document, distinct).map(comparedValue);
  const { hits, rejected } = mergedPage(lists, pins, windowOf(federation, Number.POSITIVE_INFINITY), valuesOf);
  const total = peers.reduce((sum, { answer }) => sum + answer.total, 0);
  const facets = peers.flatMap((peer) =>
    peer.answer.facets.map((each) =>
      withoutHits(
        each,
        rejected.filter((hit) => hit.peer === peer && hit.indexUid === each.uid),
      ),
    ),
  );
  return { hits, total: total - rejected.length, facets };
}

/** Facet counts without some of the hits; statistics are unchanged. */
function withoutHits(of: FacetsOfIndex, hits: readonly FoundHit[]): FacetsOfIndex {
  if (hits.length === 0) return of;
  const { facetDistribution, facetStats } = of.facets;
  const left = facetDistribution.map(([field, values]): FacetCounts['facetDistribution'][number] => {
    const gone = new Map<number | string, number>();
    for (const { document } of hits) {
      for (const name of new Set(documentValues(document, field).map(facetName))) gone.set(name, (gone.get(name) ?? 0) + 1);
    }
    const counts = values.map(([value, count]): [string, number] => [value, count - (gone.get(facetName(value)) ?? 0)]);
    return [field, counts.filter(([, count]) => count > 0)];
  });
  return { ...of, facets: { facetDistribution: left, facetStats } };
}

/** The name under which a value is counted: texts that differ only in case share one. */
function facetName(value: number | string): number | string {
  return comparedValue(typeof value === 'number' ? plainDecimal(value) : value);
}

/** A number in decimal digits, without an exponent. */
export function plainDecimal(value: number): string {
  const text = String(value);
  if (!text.includes('e')) return text;
  const parts = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (!parts) return text;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts;
  const point = whole.length + Number(exponent);
  const digits = whole + fraction;
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return sign + digits.padEnd(point, '0');
}

/** The facets of each index over all instances, in the order of the uids. */
function joinedByIndex(facets: readonly FacetsOfIndex[]): [uid: string, facets: FacetCounts][] {
  const uids = sortedSet(facets.map(({ uid }) => uid));
  return uids.map((uid) => {
    const [first, ...more] = facets.filter((each) => each.uid === uid) as [FacetsOfIndex, ...FacetsOfIndex[]];
    return [uid, more.length === 0 ? first.facets : mergeFacets([first, ...more], { maxValuesPerFacet: null })];
  });
}

/** Members of the answer besides hits and facets. */
export interface PeersAnswer {
  requestUid: string;
  /** In milliseconds. */
  processingTime: number;
  /** JSON by member; undefined ones are left out. */
  more: Readonly<Record<string, unknown>>;
  /** Metadata of the queries, or of the only one; null: not requested. */
  metadata: JsonValue;
  vectors: boolean;
}

/** Writes the answer. Every hit names its `remote`. */
export function writePeersAnswer(
  federation: Federation,
  peers: readonly Peer[],
  { hits, total, facets }: PeersPage,
  { requestUid, processingTime, more, metadata, vectors }: PeersAnswer,
): string {
  const out: string[] = [`{"hits":[${hits.map(hitText).join()}]`];
  const member = (name: string, json: string) => out.push(`,"${name}":${json}`);
  const answers = peers.map(({ answer }) => answer);
  if (vectors) member('queryVectors', jsonText(new Map(answers.flatMap(({ queryVectors }) => queryVectors))));
  member('processingTimeMs', String(Math.trunc(processingTime)));
  out.push(countedPage(federation, total));
  const counted = federation.facetsByIndex.some(([, names]) => names !== null);
  if (counted && federation.mergeFacets !== null) {
    const { facetDistribution, facetStats } = facetsJson(mergeFacets(facets, federation.mergeFacets));
    member('facetDistribution', facetDistribution);
    member('facetStats', facetStats);
  } else if (facets.length > 0) {
    member('facetsByIndex', `{${joinedByIndex(facets).map(indexText).join()}}`);
  }
  const semantic = peers.flatMap((peer) => semanticHits(peer, hits));
  if (semantic.length > 0) member('semanticHitCount', String(semantic.reduce((sum, count) => sum + count)));
  member('requestUid', JSON.stringify(requestUid));
  if (metadata) member('metadata', jsonText(metadata));
  for (const [name, value] of Object.entries(more)) if (value !== undefined) member(name, JSON.stringify(value));
  out.push('}');
  return out.join('');
}

/**
 * Number of hits on the page that an instance found by vectors; empty when it used none. Instances of other versions do not mark
 * such hits; then their total count is an upper bound.
 */
function semanticHits(peer: Peer, hits: readonly FoundHit[]): number[] {
  const { semanticHitCount, hits: all } = peer.answer;
  if (semanticHitCount === null) return [];
  const own = hits.filter((hit) => hit.peer === peer && hit.pin === null);
  return [all.some(isByVector) ? own.filter(isByVector).length : Math.min(semanticHitCount, own.length)];
}

function isByVector({ entries }: PeerHit): boolean {
  return entries.some((entry) => entry.kind === 'score' && entry.isVector);
}

function indexText([uid, facets]: [uid: string, facets: FacetCounts]): string {
  const { facetDistribution, facetStats } = facetsJson(facets);
  return `${JSON.stringify(uid)}:{"distribution":${facetDistribution},"stats":${facetStats}}`;
}

function hitText({ shown, indexUid, position, weighted, peer }: FoundHit): string {
  const remote = peer.name === null ? '' : `,"remote":${JSON.stringify(peer.name)}`;
  const federation = `"_federation":{"indexUid":"${indexUid}","queriesPosition":${position},"weightedRankingScore":${floatText(weighted)}${remote}}`;
  const members = jsonText(shown).slice(1, -1);
  return members === '' ? `{${federation}}` : `{${members},${federation}}`;
}
