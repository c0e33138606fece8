import type { FastifyRequest } from 'fastify';
import type { Federation, MultiSearchQuery } from '../../../bindings/query/multi-search.js';
import type { SearchRequest } from '../../../bindings/query/request.js';
import { type NetworkSearch, searchNetwork } from '../../network/federated-search.js';
import { networkWide } from '../../network/shares.js';
import type { SearchAnswer } from '../../search/answer.js';
import { withTokenFilter } from '../../search/token-filter.js';
import type { Service } from '../service.js';
import { wantsMetadata } from './answer.js';

/** Searches the instances that the queries name. @param queries with the filters of the caller's token */
export function askNetwork(
  { searches, features, embeddings, network, peers }: Service,
  request: FastifyRequest,
  queries: readonly MultiSearchQuery[],
  federation: Federation,
  { single, requestUid }: Pick<NetworkSearch, 'single' | 'requestUid'> = {},
): Promise<SearchAnswer> {
  const { scope } = request.access;
  const { socket } = request.raw;
  const gone = new AbortController();
  const leave = () => gone.abort();
  socket.once('close', leave);
  const call = { metadata: wantsMetadata(request), features: features.current, scope };
  const answer = searchNetwork({
    network: network.current,
    client: peers,
    queries,
    federation,
    features: features.current,
    metadata: wantsMetadata(request),
    ...(single ? { single } : {}),
    requestUid,
    signal: gone.signal,
    searchHere: (share) =>
      embeddings.answer((made) =>
        searches.search('federation', queries[0]?.indexUid ?? '', { ...call, ...share, embeddings: made }, socket),
      ),
  });
  return answer.finally(() => socket.off('close', leave));
}

/** Sends one search to all instances. @param indexUid already validated */
export function searchAllInstances(
  service: Service,
  request: FastifyRequest,
  indexUid: string,
  search: SearchRequest,
  { position = 0, requestUid }: { position?: number; requestUid?: string } = {},
): Promise<SearchAnswer> {
  const { query, federation } = networkWide(indexUid, search, position);
  return askNetwork(service, request, [withTokenFilter(query, request.access.filterOf(indexUid))], federation, {
    single: true,
    requestUid,
  });
}
