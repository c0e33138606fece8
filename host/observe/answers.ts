import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Calls `observe` for every request once it has been answered. */
export function observeAnswers(app: FastifyInstance, observe: (request: FastifyRequest, reply: FastifyReply) => void): void {
  app.addHook('onResponse', (request, reply, done) => {
    observe(request, reply);
    done();
  });
}
