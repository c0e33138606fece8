import { METHODS } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import fastify, { type FastifyInstance, type FastifyReply, LogController } from 'fastify';
import { errorBody, errorStatus } from '../../bindings/error-table/table.js';
import { ApiError } from '../../bindings/errors.js';
import type { MultiSearch } from '../../bindings/query/multi-search.js';
import type { Access } from '../auth/access.js';
import type { Action } from '../auth/actions.js';
import { Guard } from '../auth/guard.js';
import { logRequests } from '../observe/request-log.js';
import { admitRequests } from './admission.js';
import { compressAnswer } from './compression.js';
import { limitConnections } from './connection-limit.js';
import { Connections } from './connections.js';
import { answerMalformed, MAX_HEAD_BYTES } from './malformed-requests.js';
import { addRoutes } from './resources.js';
import type { Service } from './service.js';
import { readTls, type Tls } from './tls.js';

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
const HEAD_LIMIT = { maxHeaderSize: MAX_HEAD_BYTES };
const NO_PARAMETERS: [string, string][] = [];

/** The HTTP server with all routes, not yet listening. @param observe adds hooks */
export async function createServer(
  service: Service,
  observe: (app: FastifyInstance) => void = () => {},
): Promise<FastifyInstance> {
  const tls = readTls(service.options);
  const app = createApp(service, tls);
  const connections = new Connections(service.options.httpMemoryLimit);
  connections.attach(app.server);
  limitConnections(app.server, app.log);
  tls?.prepare(app.server as unknown as HttpsServer);
  admitRequests(app, new Guard(service.options.masterKey, service.keys), connections);
  app.addHook('onSend', compressAnswer);
  limitAnswers(app, connections);
  logRequests(app, service.logs);
  observe(app);
  answerErrors(app);
  addRoutes(app, service);
  await app.ready();
  return app;
}

function createApp(service: Service, tls: Tls | null): FastifyInstance {
  const app = fastify({
    // The declared type is that of plain HTTP: routes behave the same over HTTPS.
    ...(tls ? ({ https: { ...tls.options, ...HEAD_LIMIT } } as object) : { http: HEAD_LIMIT }),
    clientErrorHandler: answerMalformed,
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
  app.decorateRequest('access', null as never);
  app.decorateRequest('multiSearch', null);
  // Routes read bodies themselves. The framework also lists methods that older versions of Node.js do not know.
  for (const method of app.supportedMethods.filter((name) => METHODS.includes(name)))
    app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  return app;
}

/** Refuses answers for which there is no memory, because too many wait for their clients. */
function limitAnswers(app: FastifyInstance, connections: Connections): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0;
    if (connections.takes(bytes)) return done(null, payload);
    const { code, message } = connections.refusal();
    reply.code(errorStatus(code)).removeHeader('content-encoding').removeHeader('content-length');
    reply.header('content-type', 'application/json').header('retry-after', RETRY_AFTER);
    done(null, JSON.stringify(errorBody(code, message)));
  });
}

function answerErrors(app: FastifyInstance): void {
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
}
