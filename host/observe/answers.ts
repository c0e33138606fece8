import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isOwn } from '../http/own-connections.js';

/** Has every request observed once it is answered, but for those of the process itself. */
export function observeAnswers(app: FastifyInstance, observe: (request: FastifyRequest, reply: FastifyReply) => void): void {
  app.addHook('onResponse', (request, reply, done) => {
    if (!isOwn(request.raw)) observe(request, reply);
    done();
  });
}
