import type { FastifyInstance, HTTPMethods } from 'fastify';
import { OPEN } from '../auth/actions.js';
import { ROUTES, routeOf } from './route-table.js';
import { batchRoutes } from './routes/batches.js';
import { chatRoutes } from './routes/chats.js';
import { compactionRoutes } from './routes/compaction.js';
import { documentRoutes } from './routes/documents.js';
import { editionRoutes } from './routes/edition.js';
import { errorPage } from './routes/errors.js';
import { fieldRoutes } from './routes/fields.js';
import { indexRoutes } from './routes/indexes.js';
import { instanceRoutes } from './routes/instance.js';
import { keyRoutes } from './routes/keys.js';
import { logRoutes } from './routes/logs.js';
import { metricsRoutes } from './routes/metrics.js';
import { multiSearchRoutes } from './routes/multi-search.js';
import { networkRoutes } from './routes/network.js';
import { openApiRoute } from './routes/openapi.js';
import { renderRoutes } from './routes/render.js';
import { ruleRoutes } from './routes/rules.js';
import { searchRoutes } from './routes/search.js';
import { settingsRoutes } from './routes/settings.js';
import { statsRoutes } from './routes/stats.js';
import { swapRoutes } from './routes/swap.js';
import { taskRoutes } from './routes/tasks.js';
import { transferRoutes } from './routes/transfers.js';
import { webhookRoutes } from './routes/webhooks.js';
import type { Service } from './service.js';

/** One function per resource, which adds the handlers of its routes. */
const RESOURCES = [
  batchRoutes,
  chatRoutes,
  compactionRoutes,
  documentRoutes,
  editionRoutes,
  errorPage,
  fieldRoutes,
  indexRoutes,
  instanceRoutes,
  keyRoutes,
  logRoutes,
  metricsRoutes,
  multiSearchRoutes,
  networkRoutes,
  openApiRoute,
  renderRoutes,
  ruleRoutes,
  searchRoutes,
  settingsRoutes,
  statsRoutes,
  swapRoutes,
  taskRoutes,
  transferRoutes,
  webhookRoutes,
];

const ROUTED_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const;

/** Adds a handler for every route of the table, with its action, and refuses other methods. @throws if a route has no handler */
export function addRoutes(app: FastifyInstance, service: Service): void {
  const methods = new Map<string, Set<string>>();
  app.addHook('onRoute', (route) => {
    const { url } = route;
    for (const method of [route.method].flat()) {
      const { action = routeOf(method, url).action } = route.config ?? {};
      const spools = action !== OPEN && (routeOf(method, url).types?.length ?? 1) > 1;
      route.config = { ...route.config, action, spools };
      methods.set(url, (methods.get(url) ?? new Set()).add(method));
    }
  });
  for (const resource of RESOURCES) resource(app, service);
  const missing = Object.keys(ROUTES).filter((route) => !app.hasRoute(methodAndUrl(route)));
  if (missing.length > 0) throw new Error(`no handler for ${missing.join(', ')}`);
  refuseOtherMethods(app, methods);
}

/** Splits `GET /stats` into method and URL. */
function methodAndUrl(route: string): { method: HTTPMethods; url: string } {
  const [method, url] = route.split(' ') as [HTTPMethods, string];
  return { method, url };
}

/** Answers a known path with another method by 405 instead of 404. */
function refuseOtherMethods(app: FastifyInstance, methods: Map<string, Set<string>>): void {
  for (const [url, known] of [...methods]) {
    const allow = [...known].join(', ');
    app.route({
      method: ROUTED_METHODS.filter((method) => !known.has(method)),
      url,
      config: { action: OPEN },
      handler: (_request, reply) => reply.code(405).header('allow', allow).send(),
    });
  }
}
