import { PassThrough } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { apiError } from '../../../bindings/errors.js';
import { BOOLEAN, oneOf } from '../../../bindings/query/request-values.js';
import { defaulted, fromJson, type Kind, readObject } from '../../../bindings/query/validate.js';
import { type LogTarget, parseTarget } from '../../logging/target.js';
import { ResourceSamples } from '../../observe/resource-samples.js';
import { jsonObject } from '../body.js';
import { requireFeature, type Service } from '../service.js';

const TARGET: Kind<LogTarget> = fromJson(
  { type: 'string', default: 'info' },
  (value, at) =>
    (typeof value === 'string' ? parseTarget(value) : null) ??
    at.refuse('a level (off, error, warn, info, debug, trace), or a list such as `tasks=debug,http=warn`', value),
);

const EVERYTHING: LogTarget = { base: 'info', modules: new Map() };

export const STDERR = { target: defaulted(TARGET, 'bad_request', EVERYTHING) };

export const STREAM = {
  target: STDERR.target,
  mode: defaulted(oneOf('human', 'json', 'profile'), 'bad_request', 'human'),
  profileMemory: defaulted(BOOLEAN, 'bad_request', false),
};

/** Bytes by which a client may lag behind before lines are dropped for it. */
const MAX_UNSENT_BYTES = 1 << 20;

/** The log for clients: one stream at a time, and the level of the process log. */
export function logRoutes(app: FastifyInstance, service: Service): void {
  const { logs, options } = service;
  let end: (() => void) | null = null;
  app.addHook('preClose', (done) => {
    end?.();
    done();
  });

  app.post('/logs/stream', async (request, reply) => {
    const { target, mode, profileMemory } = readObject(STREAM, await jsonObject(request, options.httpPayloadSizeLimit));
    if (profileMemory && mode !== 'profile') throw apiError('bad_request', 'profileMemory');
    requireFeature(service, 'logsRoute', 'Reading the log');
    if (end) throw apiError('bad_request', 'secondLogStream');
    const lines = new PassThrough();
    const write = (line: string) => {
      if (lines.writableLength < MAX_UNSENT_BYTES) lines.write(line);
    };
    const samples = mode === 'profile' ? new ResourceSamples(profileMemory, write) : null;
    logs.stream = { target, format: mode === 'human' ? 'human' : 'json', write };
    end = () => {
      end = null;
      logs.stream = null;
      samples?.end();
      lines.end();
    };
    reply.raw.once('close', () => lines.writableEnded || end?.());
    reply
      .header('content-type', mode === 'human' ? 'text/plain; charset=utf-8' : 'application/x-ndjson')
      .header('x-accel-buffering', 'no')
      .send(lines);
    // Otherwise the client would see the stream begin only with its first line.
    reply.raw.flushHeaders();
    return reply;
  });

  app.delete('/logs/stream', (_request, reply) => {
    requireFeature(service, 'logsRoute', 'Ending a stream of the log');
    end?.();
    return reply.code(204).send();
  });

  app.post('/logs/stderr', async (request, reply) => {
    const { target } = readObject(STDERR, await jsonObject(request, options.httpPayloadSizeLimit));
    requireFeature(service, 'logsRoute', 'Changing the level of the log');
    logs.target = target;
    return reply.code(204).send();
  });
}
