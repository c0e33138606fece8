import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { storeSize } from '../../options/sizes.js';
import { folderSize } from '../../storage/folder-size.js';
import { requireFeature, type Service } from '../service.js';

/** Compaction of the ledger, which holds the task queue. The server keeps running meanwhile and needs no restart. */
export function compactionRoutes(app: FastifyInstance, service: Service): void {
  const ledger = path.join(service.options.dbPath, 'ledger');

  app.post('/tasks/compact', async (request, reply) => {
    requireFeature(service, 'taskQueueCompactionRoute', 'Compacting the queue of tasks');
    try {
      const preSize = storeSize(await folderSize(ledger));
      await service.queue.compact();
      return reply.send({ preSize, postSize: storeSize(await folderSize(ledger)), status: 'succeeded' });
    } catch (error) {
      request.log.error({ err: error, reqId: request.id }, 'the queue of tasks cannot be compacted');
      return reply.code(500).send({ status: 'failed', errorMessage: (error as Error).message });
    }
  });
}
