import type { FastifyInstance } from 'fastify';
import { apiError } from '../../../bindings/errors.js';
import { readObject } from '../../../bindings/query/validate.js';
import { NETWORK } from '../../network/members.js';
import type { Network } from '../../network/store.js';
import { jsonObject } from '../body.js';
import { requireFeature, type Service } from '../service.js';

/** The other instances that searches can use. A faulty body is reported before a disabled feature. */
export function networkRoutes(app: FastifyInstance, service: Service): void {
  const { network, options } = service;
  const gate = () => requireFeature(service, 'network', 'Using the network of instances');

  app.get('/network', (_request, reply) => {
    gate();
    return reply.send(networkView(network.current));
  });

  app.patch('/network', async (request, reply) => {
    const change = readObject(NETWORK, await jsonObject(request, options.httpPayloadSizeLimit));
    gate();
    if (change.leader !== undefined && change.leader !== null) refuseLeader('A network with a leader');
    return reply.send(networkView(await network.update(change)));
  });

  app.post('/network/control', () => {
    gate();
    return refuseLeader('Controlling a network');
  });
}

/** @throws ApiError requires_enterprise_edition */
function refuseLeader(what: string): never {
  throw apiError('requires_enterprise_edition', 'replication', { what });
}

function networkView({ self, remotes, shards, version }: Network): Record<string, unknown> {
  return {
    self,
    // Remotes are not contacted before the first search.
    remotes: Object.fromEntries([...remotes].map(([name, remote]) => [name, { ...remote, status: 'available' }])),
    shards: Object.fromEntries([...shards].map(([name, names]) => [name, { remotes: names }])),
    leader: null,
    version,
  };
}
