import type { FastifyInstance } from 'fastify';
import type { Logs } from '../logging/logs.js';
import { observeAnswers } from './answers.js';
import { routePattern } from './request-metrics.js';

/** Logs each request at level `debug`: its route, never its address, body or headers. */
export function logRequests(app: FastifyInstance, logs: Logs): void {
  observeAnswers(app, (request, reply) => {
    if (!logs.isLevelEnabled('debug')) return;
    const { method, id: reqId } = request;
    const milliseconds = Math.round(reply.elapsedTime * 100) / 100;
    request.log.debug(
      { reqId, method, route: routePattern(request), status: reply.statusCode, milliseconds },
      'request answered',
    );
  });
}
