import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { checkedUid } from '../../../bindings/query/index-uid.js';
import { readObject, readParameters } from '../../../bindings/query/validate.js';
import { checkSupported, readCompletion } from '../../chats/completion-request.js';
import { WORKSPACE, workspaceView } from '../../chats/settings.js';
import { jsonObject } from '../body.js';
import { pageOf } from '../page.js';
import { parametersOf, requireFeature, type Service } from '../service.js';
import { INDEX_PAGE } from './indexes.js';

/** Workspaces of chats, and completions. A faulty body is reported before a disabled feature. */
export function chatRoutes(app: FastifyInstance, service: Service): void {
  const { chats, options } = service;
  const { workspaces } = chats;
  const limitBytes = options.httpPayloadSizeLimit;
  const gate = () => requireFeature(service, 'chatCompletions', 'Using chats');
  const running = new Set<AbortController>();
  app.addHook('preClose', (done) => {
    for (const one of running) one.abort();
    done();
  });

  app.get('/chats', (request, reply) => {
    const page = readParameters(INDEX_PAGE, parametersOf(request));
    gate();
    return reply.send(pageOf(workspaces.uids, page, (uid) => ({ uid })));
  });
  app.get('/chats/:workspace_uid', (request, reply) => {
    gate();
    const uid = workspaceOf(request);
    workspaces.find(uid);
    return reply.send({ uid });
  });
  app.delete('/chats/:workspace_uid', async (request, reply) => {
    gate();
    await workspaces.delete(workspaceOf(request));
    return reply.code(204).send();
  });

  app.get('/chats/:workspace_uid/settings', (request, reply) => {
    gate();
    return reply.send(workspaceView(workspaces.find(workspaceOf(request))));
  });
  app.patch('/chats/:workspace_uid/settings', async (request, reply) => {
    const change = readObject(WORKSPACE, await jsonObject(request, limitBytes));
    gate();
    const uid = checkedUid(workspaceOf(request));
    return reply.send(workspaceView(await workspaces.update(uid, change)));
  });
  app.delete('/chats/:workspace_uid/settings', async (request, reply) => {
    gate();
    return reply.send(workspaceView(await workspaces.reset(workspaceOf(request))));
  });

  app.post('/chats/:workspace_uid/chat/completions', async (request, reply) => {
    const completion = readCompletion(await jsonObject(request, limitBytes));
    gate();
    checkSupported(completion);
    const run = new AbortController();
    const events = chats.complete(workspaceOf(request), completion, request.access, run.signal);
    running.add(run);
    reply.raw.once('close', () => {
      running.delete(run);
      run.abort();
    });
    reply
      .header('content-type', 'text/event-stream')
      .header('cache-control', 'no-cache')
      .header('x-accel-buffering', 'no')
      // A kept-alive connection that becomes idle after shutdown has begun would delay it.
      .header('connection', 'close')
      .send(Readable.from(events));
    // The client should see the stream begin before the model answers.
    reply.raw.flushHeaders();
    return reply;
  });
}

function workspaceOf(request: FastifyRequest): string {
  return (request.params as { workspace_uid: string }).workspace_uid;
}
