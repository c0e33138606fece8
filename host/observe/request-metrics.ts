import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Counter, Histogram, type Registry } from 'prom-client';
import { observeAnswers } from './answers.js';

const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** `/indexes/:index_uid/search` as `/indexes/{index_uid}/search`. */
export function routePattern(request: FastifyRequest): string {
  return request.routeOptions.url?.replace(/:(\w+)/g, '{$1}') ?? '';
}

/** Counts and times requests while `enabled`, except those of unknown paths. */
export function countRequests(app: FastifyInstance, registers: Registry[], enabled: () => boolean): void {
  const requests = new Counter({
    name: 'meilisearch_http_requests_total',
    help: 'Requests answered.',
    labelNames: ['method', 'path', 'status'],
    registers,
  });
  const times = new Histogram({
    name: 'meilisearch_http_response_time_seconds',
    help: 'Time until the answer was sent.',
    labelNames: ['method', 'path'],
    buckets: BUCKETS,
    registers,
  });
  observeAnswers(app, (request, reply) => {
    if (!enabled() || request.is404) return;
    const path = routePattern(request);
    requests.inc({ method: request.method, path, status: reply.statusCode });
    times.observe({ method: request.method, path }, reply.elapsedTime / 1000);
  });
}
