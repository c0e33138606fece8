import { errorBody } from '../../bindings/error-table/table.js';
import type { JsonObject } from '../../bindings/query/json.js';
import { type Federation, type MultiSearchQuery, positionOf } from '../../bindings/query/multi-search.js';
import { requestId } from '../../bindings/request-ids.js';
import { type PeerAnswer, readPeerAnswer } from '../../bindings/search/federation/peer-answer.js';
import { type Peer, peersPage, writePeersAnswer } from '../../bindings/search/federation/peers.js';
import { prepareQueries } from '../../bindings/search/federation/plan.js';
import { Stages } from '../../bindings/stages.js';
import type { SearchAnswer } from '../search/answer.js';
import type { SearchCall } from '../search/call.js';
import { type PeerClient, RemoteFailure } from './peer-client.js';
import { type Shares, shareBody, shareOut } from './shares.js';
import type { Network } from './store.js';

/** A search over several instances. */
export interface NetworkSearch {
  network: Network;
  client: PeerClient;
  queries: readonly MultiSearchQuery[];
  federation: Federation;
  features: Readonly<Record<string, boolean>>;
  metadata: boolean;
  /** A single search sent to all instances: the answer has the form of a search, not of a multi-search. */
  single?: boolean;
  /** Id of the request; a new one by default. */
  requestUid?: string | undefined;
  /** Aborted when the client has disconnected. */
  signal: AbortSignal;
  /** Runs the share of this instance. */
  searchHere(call: Pick<SearchCall, 'federated' | 'forPeer'>): Promise<SearchAnswer>;
}

const OK = 200;

/**
 * Searches several instances, including this one, and merges their results. Instances that fail are listed in the answer.
 * @returns the answer, or the error of this instance
 * @throws {ApiError} for the first faulty query, naming its position
 */
export async function searchNetwork(search: NetworkSearch): Promise<SearchAnswer> {
  const { network, client, queries, federation, features, metadata, single, signal } = search;
  const now = () => performance.now();
  const start = now();
  const stages = new Stages('search', now);
  const shares = stages.run('partition queries', () => {
    prepareQueries(features, queries, federation);
    return shareOut(queries, federation, network);
  });
  const leave = new AbortController();
  const asked = stages.run('start remote search', () =>
    [...shares.others].map(async ([name, share]): Promise<[string, PeerAnswer | RemoteFailure]> => {
      const remote = network.remotes.get(name);
      if (!remote) throw new Error('a share goes to a remote that exists');
      const read = (text: string) => readPeerAnswer(text, share, shares.needed);
      const until = AbortSignal.any([signal, leave.signal]);
      const answer = client.ask(remote, shareBody(share), { metadata, signal: until, read });
      return [name, await answer.catch(failureOf)];
    }),
  );
  const local = await search.searchHere({ federated: shares.own, forPeer: true }).catch((error) => {
    leave.abort();
    throw error;
  });
  if (local.status !== OK) {
    leave.abort();
    return local;
  }
  const own = readPeerAnswer(local.body.toString(), shares.own, shares.needed);
  local.release();
  const localTime = now() - start;
  const others = await Promise.all(asked);
  const waited = now() - start - localTime;
  const self = shares.networked ? network.self : null;
  const peers: Peer[] = [
    { name: self, answer: own },
    ...others.flatMap(([name, answer]) => (answer instanceof RemoteFailure ? [] : [{ name, answer }])),
  ];
  const page = stages.run('merge results', () => peersPage(federation, peers));
  stages.note('search > execute local search', localTime);
  if (asked.length > 0) stages.note('search > wait for remote results', waited);
  const shownMetadata = metadata ? metadataOf(shares, network.self, peers) : [];
  const text = writePeersAnswer(federation, peers, page, {
    requestUid: search.requestUid ?? requestId(),
    processingTime: now() - start,
    more: {
      query: single ? (queries[0]?.q ?? '') : undefined,
      remoteErrors: shares.networked ? remoteErrors(others) : undefined,
      performanceDetails: federation.showPerformanceDetails ? stages.report() : undefined,
    },
    metadata: metadata ? (single ? (shownMetadata[0] ?? null) : shownMetadata) : null,
    vectors: queries.some(({ retrieveVectors }) => retrieveVectors),
  });
  return { status: OK, body: Buffer.from(text), release: () => {} };
}

function failureOf(error: unknown): RemoteFailure {
  if (error instanceof RemoteFailure) return error;
  throw error;
}

function remoteErrors(answers: readonly [string, PeerAnswer | RemoteFailure][]): object {
  return Object.fromEntries(
    answers.flatMap(([name, answer]) =>
      answer instanceof RemoteFailure ? [[name, errorBody(answer.code, `Remote \`${name}\` failed: ${answer.message}`)]] : [],
    ),
  );
}

/** One entry per query and instance, in the order of the queries, without members that a failed instance would have sent. */
function metadataOf({ own, others, networked }: Shares, self: string | null, peers: readonly Peer[]): JsonObject[] {
  const entries = [[null, own] as const, ...others].flatMap(([name, { queries }]) => {
    const answer = name === null ? peers[0]?.answer : peers.find((peer) => peer.name === name)?.answer;
    const remote = networked ? (name ?? self) : null;
    return queries.map((query, place) => {
      const entry: JsonObject = new Map(answer?.metadata[place] ?? unanswered(query));
      if (remote !== null) entry.set('remote', remote);
      return { position: positionOf(query, place), entry };
    });
  });
  return entries.sort((a, b) => a.position - b.position).map(({ entry }) => entry);
}

function unanswered({ q, indexUid }: MultiSearchQuery): JsonObject {
  const entry: JsonObject = new Map(q === null ? [] : [['query', q]]);
  return entry.set('queryUid', requestId()).set('indexUid', indexUid);
}
