import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Has every request observed once it is answered. */
export function observeAnswers(app: FastifyInstance, observe: (request: FastifyRequest, reply: FastifyReply) => void): void {
  app.addHook('onResponse', (request, reply, done) => {
    observe(request, reply);
    done();
  });
}
