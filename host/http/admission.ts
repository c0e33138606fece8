import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Access } from '../auth/access.js';
import { OPEN } from '../auth/actions.js';
import type { Guard } from '../auth/guard.js';
import type { Connections } from './connections.js';

/** Adds what happens before the handler of a route: answers to preflights, time limits of connections, authorisation. */
export function admitRequests(app: FastifyInstance, guard: Guard, connections: Connections): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (allowOrigin(request, reply)) return;
    if (request.is404) return done();
    const admit = (access: Access) => {
      request.access = access;
      done();
    };
    const { action, spools } = request.routeOptions.config;
    try {
      if (action !== OPEN) connections.begin(request.raw, spools);
      const { index_uid: indexUid } = request.params as { index_uid?: string };
      const access = guard.check(action ?? null, indexUid, request.raw.headers.authorization);
      if (access instanceof Access) admit(access);
      else access.then(admit, done);
    } catch (error) {
      done(error as Error);
    }
  });
  app.addHook('onResponse', (request, _reply, done) => {
    connections.end(request.raw);
    done();
  });
}

/** Pages of any origin may use the server (CORS). @returns whether the request was a preflight, which is answered then */
function allowOrigin(request: FastifyRequest, reply: FastifyReply): boolean {
  const { headers } = request.raw;
  if (headers.origin === undefined) return false;
  reply.header('access-control-allow-origin', '*');
  if (request.method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return false;
  reply
    .header('access-control-allow-methods', '*')
    .header('access-control-allow-headers', headers['access-control-request-headers'] ?? '*')
    .header('access-control-max-age', '86400')
    .code(200)
    .send();
  return true;
}
