import { METHODS } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import fastify, { type FastifyInstance, type FastifyReply, type HTTPMethods, LogController } from 'fastify';
import { errorBody, errorStatus } from '../../bindings/error-table/table.js';
import { ApiError } from '../../bindings/errors.js';
import type { MultiSearch } from '../../bindings/query/multi-search.js';
import { Access } from '../auth/access.js';
import { type Action, OPEN } from '../auth/actions.js';
import { Guard } from '../auth/guard.js';
import { logRequests } from '../observe/request-log.js';
import { compressAnswer } from './compression.js';
import { Connections } from './connections.js';
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
import { readTls } from './tls.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the caller may use. */
    access: Access;
    /** The queries of a multi-search, once they are parsed. */
    multiSearch: MultiSearch | null;
  }
  interface FastifyContextConfig {
    action?: Action;
    /** Long bodies are streamed to disk: those with documents. */
    spools?: boolean;
  }
}

/** Seconds after which a refused client should retry. */
const RETRY_AFTER = '10';
/** Longest segment of a path, in bytes. */
const MAX_PATH_SEGMENT_BYTES = 16_384;

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

/** The HTTP server with all routes, not yet listening. @param observe adds hooks */
export async function createServer(
  service: Service,
  observe: (app: FastifyInstance) => void = () => {},
): Promise<FastifyInstance> {
  const tls = readTls(service.options);
  const app = fastify({
    // The declared type is that of plain HTTP: routes behave the same over HTTPS.
    ...(tls ? ({ https: tls.options } as object) : {}),
    loggerInstance: service.logs.module('http'),
    logController: new LogController({ disableRequestLogging: true }),
    // Few requests log anything, and those lines name their request: no logger is made for each.
    childLoggerFactory: (logger) => logger,
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    frameworkErrors: (error, _request, reply: FastifyReply) => {
      // A path that cannot be decoded never reaches a route.
      reply.code(400).send(errorBody('bad_request', error.message));
    },
    routerOptions: {
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
      maxParamLength: MAX_PATH_SEGMENT_BYTES,
      querystringParser: (text) => (text === '' ? NO_PARAMETERS : [...new URLSearchParams(text)]) as never,
    },
  });
  const connections = new Connections(service.options.httpMemoryLimit);
  connections.attach(app.server);
  tls?.prepare(app.server as unknown as HttpsServer);
  const guard = new Guard(service.options.masterKey, service.keys);
  const methods = new Map<string, Set<string>>();

  app.decorateRequest('access', null as never);
  app.decorateRequest('multiSearch', null);
  // Routes read bodies themselves. The framework also lists methods that older versions of Node.js do not know.
  for (const method of app.supportedMethods.filter((name) => METHODS.includes(name)))
    app.addHttpMethod(method, { hasBody: false, overrideExisting: true });

  app.addHook('onRoute', (route) => {
    const { url } = route;
    for (const method of [route.method].flat()) {
      const { action = routeOf(method, url).action } = route.config ?? {};
      const spools = action !== OPEN && (routeOf(method, url).types?.length ?? 1) > 1;
      route.config = { ...route.config, action, spools };
      methods.set(url, (methods.get(url) ?? new Set()).add(method));
    }
  });

  app.addHook('onRequest', (request, reply, done) => {
    const { headers } = request.raw;
    if (headers.origin !== undefined) {
      reply.header('access-control-allow-origin', '*');
      if (request.method === 'OPTIONS' && headers['access-control-request-method'] !== undefined) {
        reply
          .header('access-control-allow-methods', '*')
          .header('access-control-allow-headers', headers['access-control-request-headers'] ?? '*')
          .header('access-control-max-age', '86400')
          .code(200)
          .send();
        return;
      }
    }
    if (request.is404) return done();
    const admit = (access: Access) => {
      request.access = access;
      done();
    };
    try {
      if (request.routeOptions.config.action !== OPEN) connections.begin(request.raw, request.routeOptions.config.spools);
      const { index_uid: indexUid } = request.params as { index_uid?: string };
      const access = guard.check(request.routeOptions.config.action ?? null, indexUid, headers.authorization);
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
  app.addHook('onSend', compressAnswer);
  app.addHook('onSend', (_request, reply, payload, done) => {
    const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0;
    if (connections.takes(bytes)) return done(null, payload);
    const { code, message } = connections.refusal();
    reply.code(errorStatus(code)).removeHeader('content-encoding').removeHeader('content-length');
    reply.header('content-type', 'application/json').header('retry-after', RETRY_AFTER);
    done(null, JSON.stringify(errorBody(code, message)));
  });
  logRequests(app, service.logs);
  observe(app);

  app.setNotFoundHandler((_request, reply) => {
    reply.code(404).send();
  });
  app.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
    const known = error instanceof ApiError;
    if (!known && !(error.statusCode && error.statusCode < 500))
      request.log.error({ err: error, reqId: request.id }, 'a request failed');
    const code = known ? error.code : error.statusCode && error.statusCode < 500 ? 'bad_request' : 'internal';
    const status = (known && error.status) || errorStatus(code);
    if (status === 503) reply.header('retry-after', RETRY_AFTER);
    reply.code(status).send(errorBody(code, error.message));
  });

  for (const resource of RESOURCES) resource(app, service);
  const missing = Object.keys(ROUTES).filter((route) => !app.hasRoute(methodAndUrl(route)));
  if (missing.length > 0) throw new Error(`nobody answers ${missing.join(', ')}`);
  refuseOtherMethods(app, methods);
  await app.ready();
  return app;
}

/** Splits `GET /stats` into method and URL. */
function methodAndUrl(route: string): { method: HTTPMethods; url: string } {
  const [method, url] = route.split(' ') as [HTTPMethods, string];
  return { method, url };
}

const NO_PARAMETERS: [string, string][] = [];
const ROUTED_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const;

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
