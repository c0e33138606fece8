import type { FastifyInstance } from 'fastify';
import { openApiDocument } from '../openapi.js';

/** The OpenAPI description of the interface. */
export function openApiRoute(app: FastifyInstance): void {
  const bytes = Buffer.from(JSON.stringify(openApiDocument()));
  app.get('/openapi.json', (_request, reply) => reply.header('content-type', 'application/json').send(bytes));
}
