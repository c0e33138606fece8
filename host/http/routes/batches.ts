import type { FastifyInstance } from 'fastify';
import { apiError } from '../../../bindings/errors.js';
import { Place, readParameters } from '../../../bindings/query/validate.js';
import { batchVisible, pageOfBatches, type TaskFilter } from '../../tasks/filters.js';
import { PAGE_PARAMETERS, UID } from '../../tasks/parameters.js';
import { batchView } from '../../tasks/view.js';
import { parametersOf, type Service } from '../service.js';

export function batchRoutes(app: FastifyInstance, { queue }: Service): void {
  app.get('/batches', async (request, reply) => {
    const { limit, from, reverse, ...filter } = readParameters(PAGE_PARAMETERS, parametersOf(request));
    const page = pageOfBatches(queue, filter as TaskFilter, { limit, from, reverse }, request.access);
    const batches = await Promise.all(page.uids.map((uid) => queue.batch(uid)));
    const results = batches.flatMap((batch) => (batch ? [batchView(batch, queue.running)] : []));
    return reply.send({ results, total: page.total, limit, from: page.from, next: page.next });
  });

  app.get('/batches/:batch_uid', async (request, reply) => {
    const uid = UID.text((request.params as { batch_uid: string }).batch_uid, new Place('batch uid', 'invalid_batch_uids', true));
    const batch = batchVisible(queue, uid, request.access) ? await queue.batch(uid) : null;
    if (!batch) throw apiError('batch_not_found', 'notFound', { uid });
    return reply.send(batchView(batch, queue.running));
  });
}
