import type { FastifyInstance } from 'fastify';
import { sortedSet } from '../../../bindings/engine/utf8.js';
import { INDEX_UID } from '../../../bindings/query/index-uid.js';
import { STRING, UNSIGNED } from '../../../bindings/query/request-values.js';
import { defaulted, immutable, optional, readObject, readParameters, required } from '../../../bindings/query/validate.js';
import type { IndexRecord } from '../../index/record.js';
import { jsonObject } from '../body.js';
import { pageOf } from '../page.js';
import { accept, indexOf, parametersOf, type Service, uidOf } from '../service.js';

export const INDEX_PAGE = {
  offset: defaulted(UNSIGNED, 'invalid_index_offset', 0),
  limit: defaulted(UNSIGNED, 'invalid_index_limit', 20),
};

export const INDEX_CREATION = {
  uid: required(INDEX_UID, 'invalid_index_uid', 'missing_index_uid'),
  primaryKey: optional(STRING, 'invalid_index_primary_key'),
};

export const INDEX_UPDATE = {
  uid: optional(INDEX_UID, 'invalid_index_uid'),
  primaryKey: optional(STRING, 'invalid_index_primary_key'),
  createdAt: immutable('immutable_index_created_at'),
  updatedAt: immutable('immutable_index_updated_at'),
};

export function indexRoutes(app: FastifyInstance, service: Service): void {
  const { indexStore, options } = service;
  const limitBytes = options.httpPayloadSizeLimit;

  app.get('/indexes', (request, reply) => {
    const page = readParameters(INDEX_PAGE, parametersOf(request));
    const uids = sortedSet(indexStore.indexes.keys()).filter((uid) => request.access.allows(uid));
    return reply.send(pageOf(uids, page, (uid) => indexView(indexStore.indexes.get(uid)!)));
  });

  app.post('/indexes', async (request, reply) => {
    const { uid, primaryKey } = readObject(INDEX_CREATION, await jsonObject(request, limitBytes));
    request.access.require(uid, '`.uid`');
    return accept(service, reply, {
      type: 'indexCreation',
      indexUid: uid,
      details: { primaryKey },
      work: { kind: 'indexCreation', primaryKey },
    });
  });

  app.get('/indexes/:index_uid', (request, reply) => reply.send(indexView(indexOf(service, uidOf(request)))));

  app.patch('/indexes/:index_uid', async (request, reply) => {
    const { uid: newUid, primaryKey } = readObject(INDEX_UPDATE, await jsonObject(request, limitBytes));
    const uid = uidOf(request);
    if (newUid !== null) request.access.require(newUid, '`.uid`');
    return accept(service, reply, {
      type: 'indexUpdate',
      indexUid: uid,
      details: newUid === null ? { primaryKey } : { primaryKey, oldIndexUid: uid, newIndexUid: newUid },
      work: { kind: 'indexUpdate', primaryKey, newUid },
    });
  });

  app.delete('/indexes/:index_uid', (request, reply) =>
    accept(service, reply, {
      type: 'indexDeletion',
      indexUid: uidOf(request),
      details: { deletedDocuments: null },
      work: { kind: 'indexDeletion' },
    }),
  );

  app.post('/indexes/:index_uid/compact', (request, reply) =>
    accept(service, reply, {
      type: 'indexCompaction',
      indexUid: uidOf(request),
      details: {},
      work: { kind: 'indexCompaction' },
    }),
  );
}

function indexView({ uid, createdAt, updatedAt, primaryKey }: IndexRecord): Record<string, unknown> {
  return { uid, createdAt, updatedAt, primaryKey };
}
