import type { FastifyInstance } from 'fastify';
import { Counter, Gauge, Registry } from 'prom-client';
import { GAUGES } from '../../observe/gauges.js';
import { countRequests } from '../../observe/request-metrics.js';
import { readState } from '../../observe/state.js';
import { requireFeature, type Service } from '../service.js';

const CONTENT_TYPE = 'text/plain; version=0.0.4';

/** `GET /metrics` for Prometheus. Gauges are read on demand; only requests are counted as they happen. */
export function metricsRoutes(app: FastifyInstance, service: Service): void {
  const registry = new Registry();
  const registers = [registry];
  countRequests(app, registers, () => service.features.current.metrics);
  const gauges = GAUGES.map((row) => {
    const { name, help, labels = [], isCounter } = row;
    const configuration = { name, help, labelNames: [...labels], registers };
    return { row, gauge: isCounter ? new Counter(configuration) : new Gauge(configuration) };
  });

  app.get('/metrics', async (_request, reply) => {
    requireFeature(service, 'metrics', 'Reading the metrics');
    const state = await readState(service);
    for (const { row, gauge } of gauges) {
      gauge.reset();
      for (const [value, ...labels] of row.samples(state)) {
        // The registry was just reset, so incrementing sets the value of a counter too.
        if (labels.length === 0) gauge.inc(value);
        else gauge.labels(...labels).inc(value);
      }
    }
    return reply.header('content-type', CONTENT_TYPE).send(await registry.metrics());
  });
}
