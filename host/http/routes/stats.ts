import type { FastifyInstance } from 'fastify';
import { sortedSet } from '../../../bindings/engine/utf8.js';
import { own } from '../../../bindings/own.js';
import { BOOLEAN, oneOf } from '../../../bindings/query/request-values.js';
import { defaulted, readParameters, type ValuesOf } from '../../../bindings/query/validate.js';
import type { IndexMetrics } from '../../index/index-store.js';
import type { IndexRecord } from '../../index/record.js';
import { humanSize } from '../../options/sizes.js';
import { folderSize } from '../../storage/folder-size.js';
import { storeSizes } from '../../tasks/scheduler/storage-meter.js';
import { indexOf, parametersOf, type Service, uidOf } from '../service.js';

type Size = (bytes: number) => number | string;

export const STATS_PARAMETERS = {
  showInternalDatabaseSizes: defaulted(BOOLEAN, 'invalid_stats_show_internal_database_sizes', false),
  /** An extension of this server: see docs/guide/operations.md. */
  showSegments: defaulted(BOOLEAN, 'invalid_stats_show_segments', false),
  sizeFormat: defaulted(oneOf('raw', 'human'), 'invalid_stats_size_format', 'raw'),
};

type StatsParameters = ValuesOf<typeof STATS_PARAMETERS>;

export function statsRoutes(app: FastifyInstance, service: Service): void {
  const { indexStore, options } = service;

  app.get('/stats', async (request, reply) => {
    const parameters = readParameters(STATS_PARAMETERS, parametersOf(request));
    const size = sizeIn(parameters.sizeFormat);
    const { access } = request;
    const uids = sortedSet(indexStore.indexes.keys()).filter((uid) => access.allows(uid));
    const records = uids.map((uid) => indexStore.indexes.get(uid)!);
    const used = access.restricted ? sizeOf(records) : await folderSize(options.dbPath);
    return reply.send({
      databaseSize: size(used),
      usedDatabaseSize: size(used),
      lastUpdate: records.reduce(
        (latest: string | null, { updatedAt }) => (latest && latest > updatedAt ? latest : updatedAt),
        null,
      ),
      indexes: Object.fromEntries(records.map((index) => [index.uid, indexStats(service, index, parameters)])),
    });
  });

  app.get('/indexes/:index_uid/stats', (request, reply) => {
    const parameters = readParameters(STATS_PARAMETERS, parametersOf(request));
    return reply.send(indexStats(service, indexOf(service, uidOf(request)), parameters));
  });
}

/** Present only for an index that cannot be read. */
function damageOf({ damaged }: Service['indexStore'], uid: string): { damage?: string } {
  const damage = damaged.get(uid);
  return damage === undefined ? {} : { damage };
}

function sizeIn(format: 'raw' | 'human'): Size {
  return format === 'human' ? humanSize : (bytes) => bytes;
}

function indexStats({ indexStore, queue }: Service, index: IndexRecord, parameters: StatsParameters): Record<string, unknown> {
  const size = sizeIn(parameters.sizeFormat);
  const { documents, rawBytes, fieldDistribution, embeddings, embeddedDocuments } = index.stats;
  return {
    numberOfDocuments: documents,
    rawDocumentDbSize: size(rawBytes),
    avgDocumentSize: size(documents === 0 ? 0 : Math.floor(rawBytes / documents)),
    ...damageOf(indexStore, index.uid),
    isIndexing: queue.running.concern(index.uid),
    ...(parameters.showInternalDatabaseSizes ? { internalDatabaseSizes: internalSizes(index, size) } : {}),
    ...(parameters.showSegments ? { segments: segmentStats(indexStore.metricsOf(index.uid), size) } : {}),
    numberOfEmbeddings: embeddings,
    numberOfEmbeddedDocuments: embeddedDocuments,
    fieldDistribution: Object.fromEntries(
      sortedSet(Object.keys(fieldDistribution)).map((name) => [name, own(fieldDistribution, name)]),
    ),
  };
}

/** The segments of an index, their sizes, and the merges since the launch. */
function segmentStats(metrics: IndexMetrics, size: Size): Record<string, unknown> {
  const { segments, documents, deletedDocuments, fileBytes, memoryBytes, isMerging } = metrics;
  return {
    count: segments,
    documents,
    deletedDocuments,
    fileSize: size(fileBytes),
    memorySize: size(memoryBytes),
    isMerging,
    merges: metrics.merges,
    mergedDocuments: metrics.mergedDocuments,
    mergeSeconds: metrics.mergeSeconds,
    rebuilds: metrics.rebuilds,
  };
}

/** What the files of an index contain, by size, largest first. */
function internalSizes(index: IndexRecord, size: Size): Record<string, number | string> {
  const sizes = Object.entries(storeSizes([index])).sort(([, a], [, b]) => b - a);
  return Object.fromEntries(sizes.map(([name, bytes]) => [name, size(bytes)]));
}

/** Total bytes of some indexes, for callers who may not see all of them. */
function sizeOf(records: IndexRecord[]): number {
  return storeSizes(records).segments;
}
