import { own } from '../../bindings/own.js';
import type { IndexMetrics } from '../index/index-store.js';
import type { BatchRecord } from '../tasks/batch.js';
import { now } from '../time/moments.js';
import type { DeliveryMetrics } from '../webhooks/deliveries.js';
import type { State } from './state.js';

/** A value of a gauge, with the values of its labels in order. */
export type Sample = [value: number, ...labels: string[]];

export interface GaugeRow {
  name: string;
  /** The value only grows, from 0 at the launch. */
  isCounter?: true;
  help: string;
  labels?: readonly string[];
  samples(state: State): Sample[];
}

const UNITS: Record<string, number> = { ns: 1e-6, µs: 1e-3, ms: 1, s: 1000 };

/** Milliseconds of a duration in a progress trace, such as `12.50ms`. */
export function traceMilliseconds(time: string): number {
  const [, number, unit] = /^([\d.]+)(\D+)$/.exec(time)!;
  return Number(number) * own(UNITS, unit!)!;
}

function indexed(batches: BatchRecord[], value: (batch: BatchRecord) => number): Sample[] {
  return batches.flatMap((batch): Sample[] => {
    const [index, ...others] = Object.keys(batch.stats.indexUids);
    if (typeof batch.details.indexedDocuments !== 'number' || index === undefined || others.length > 0) return [];
    return [[value(batch), String(batch.uid), index]];
  });
}

/** Samples of one delivery counter, by webhook. */
function ofWebhooks(name: Exclude<keyof DeliveryMetrics, 'webhook'>): Pick<GaugeRow, 'labels' | 'samples'> {
  return {
    labels: ['webhook'],
    samples: ({ service }) => service.deliveries.metrics.map((metrics) => [metrics[name], metrics.webhook]),
  };
}

/** Samples of one metric, by index. */
function ofIndexes(read: (metrics: IndexMetrics) => number): Pick<GaugeRow, 'labels' | 'samples'> {
  return {
    labels: ['index'],
    samples: ({ service: { indexStore } }) => [...indexStore.indexes.keys()].map((uid) => [read(indexStore.metricsOf(uid)), uid]),
  };
}

/** Tokens of one kind, by workspace and model. */
function ofChats(part: 'prompt' | 'completion' | 'total'): Pick<GaugeRow, 'isCounter' | 'labels' | 'samples'> {
  return {
    isCounter: true,
    labels: ['workspace', 'model'],
    samples: ({ service }) => [...service.chats.usage.tokens].map((tokens) => [tokens[part], tokens.workspace, tokens.model]),
  };
}

/**
 * Every gauge and counter that is read on demand. The first part has the names that dashboards for this interface use, the second
 * has our own.
 */
export const GAUGES: readonly GaugeRow[] = [
  {
    name: 'meilisearch_degraded_search_requests',
    help: 'Searches ended at the time limit.',
    samples: ({ service }) => [[service.searches.usage.degraded]],
  },
  {
    name: 'meilisearch_personalized_search_requests',
    help: 'Searches that were personalized.',
    samples: ({ service }) => [[service.personalization?.searches ?? 0]],
  },
  { name: 'meilisearch_db_size_bytes', help: 'Bytes of the database folder.', samples: (state) => [[state.databaseBytes]] },
  { name: 'meilisearch_used_db_size_bytes', help: 'Bytes of them in use.', samples: (state) => [[state.databaseBytes]] },
  { name: 'meilisearch_index_count', help: 'Indexes.', samples: ({ service }) => [[service.indexStore.indexes.size]] },
  {
    name: 'meilisearch_index_docs_count',
    help: 'Documents of an index.',
    labels: ['index'],
    samples: ({ service }) => [...service.indexStore.indexes.values()].map(({ uid, stats }) => [stats.documents, uid]),
  },
  {
    name: 'meilisearch_nb_tasks',
    help: 'Tasks by status, type and index.',
    labels: ['kind', 'value'],
    samples: ({ tasks }) =>
      Object.entries(tasks).flatMap(([kind, counts]) => [...counts].map(([value, count]): Sample => [count, kind, value])),
  },
  {
    name: 'meilisearch_batch_running_progress_trace',
    help: 'Share that is done of each step of the batches under way.',
    labels: ['batch_uid', 'step_name'],
    samples: ({ service: { queue } }) =>
      [...queue.running].flatMap(({ uid, progress }) =>
        progress().steps.map((step): Sample => [step.finished / Math.max(step.total, 1), String(uid), step.currentStep]),
      ),
  },
  {
    name: 'meilisearch_last_finished_batches_progress_trace_ms',
    help: 'Milliseconds of each step of the batches that ended last.',
    labels: ['batch_uid', 'step_name'],
    samples: ({ batches }) =>
      batches.flatMap(({ uid, stats }) =>
        Object.entries(stats.progressTrace ?? {}).map(([step, time]): Sample => [traceMilliseconds(time), String(uid), step]),
      ),
  },
  {
    name: 'meilisearch_last_indexed_documents_count',
    help: 'Documents that the last batches indexed.',
    labels: ['batch_uid', 'index'],
    samples: ({ batches }) => indexed(batches, ({ details }) => details.indexedDocuments as number),
  },
  {
    name: 'meilisearch_last_indexed_documents_duration_ms',
    help: 'Milliseconds that this took.',
    labels: ['batch_uid', 'index'],
    samples: ({ batches }) => indexed(batches, ({ startedAt, finishedAt }) => (finishedAt! - startedAt) / 1000),
  },
  {
    name: 'meilisearch_last_update',
    help: 'Unix seconds of the last change of an index.',
    samples: ({ service }) => [
      [Math.max(0, ...[...service.indexStore.indexes.values()].map(({ updatedAt }) => Math.floor(Date.parse(updatedAt) / 1000)))],
    ],
  },
  {
    name: 'meilisearch_is_indexing',
    help: '1 while a batch is under way.',
    samples: ({ service }) => [[service.queue.running.size > 0 ? 1 : 0]],
  },
  {
    name: 'meilisearch_search_queue_size',
    help: 'Searches that may wait.',
    samples: ({ service }) => [[service.options.experimentalSearchQueueSize]],
  },
  {
    name: 'meilisearch_searches_running',
    help: 'Searches that threads have.',
    samples: ({ service }) => [[service.searches.running]],
  },
  {
    name: 'meilisearch_searches_waiting_to_be_processed',
    help: 'Searches that wait for a thread.',
    samples: ({ service }) => [[service.searches.waiting]],
  },
  {
    name: 'meilisearch_task_queue_latency_seconds',
    help: 'How long the oldest waiting task has waited.',
    samples: ({ oldestWaiting }) => [[oldestWaiting === null ? 0 : Math.max(0, (now() - oldestWaiting) / 1e6)]],
  },
  {
    name: 'meilisearch_task_queue_max_size',
    help: 'Bytes that the queue can grow to.',
    samples: ({ service }) => [[service.queue.bound]],
  },
  {
    name: 'meilisearch_task_queue_used_size',
    help: 'Bytes of the tasks and batches.',
    samples: ({ service }) => [[service.queue.bytes]],
  },
  {
    name: 'meilisearch_task_queue_size_until_stop_registering',
    help: 'Bytes until no more tasks are taken.',
    samples: ({ service, freeBytes }) => [[Math.min(service.queue.room, freeBytes)]],
  },
  {
    name: 'meilisearch_chat_searches_total',
    help: 'Searches of chats.',
    isCounter: true,
    labels: ['type'],
    samples: ({ service }) => (service.chats.usage.searches > 0 ? [[service.chats.usage.searches, 'internal']] : []),
  },
  { name: 'meilisearch_chat_prompt_tokens_total', help: 'Tokens of prompts.', ...ofChats('prompt') },
  { name: 'meilisearch_chat_completion_tokens_total', help: 'Tokens of completions.', ...ofChats('completion') },
  { name: 'meilisearch_chat_tokens_total', help: 'Tokens of chats.', ...ofChats('total') },
  { name: 'peregrine_index_segments', help: 'Segments of an index.', ...ofIndexes(({ segments }) => segments) },
  {
    name: 'peregrine_index_deleted_documents',
    help: 'Documents in the segments that were deleted or replaced and not merged away.',
    ...ofIndexes(({ deletedDocuments }) => deletedDocuments),
  },
  { name: 'peregrine_index_file_bytes', help: 'Bytes of the segment files.', ...ofIndexes(({ fileBytes }) => fileBytes) },
  {
    name: 'peregrine_index_memory_bytes',
    help: 'Bytes of the segments and tombstones in shared memory.',
    ...ofIndexes(({ memoryBytes }) => memoryBytes),
  },
  {
    name: 'peregrine_index_is_merging',
    help: '1 while segments are merged.',
    ...ofIndexes(({ isMerging }) => Number(isMerging)),
  },
  {
    name: 'peregrine_index_merges_total',
    help: 'Merges of segments that have ended.',
    isCounter: true,
    ...ofIndexes(({ merges }) => merges),
  },
  {
    name: 'peregrine_index_merged_documents_total',
    help: 'Documents that merges have written anew.',
    isCounter: true,
    ...ofIndexes(({ mergedDocuments }) => mergedDocuments),
  },
  {
    name: 'peregrine_index_merge_seconds_total',
    help: 'Seconds that merges took.',
    isCounter: true,
    ...ofIndexes(({ mergeSeconds }) => mergeSeconds),
  },
  {
    name: 'peregrine_index_rebuilds_total',
    help: 'Changes of settings for which a part of the segments was built anew.',
    isCounter: true,
    labels: ['index', 'part'],
    samples: ({ service: { indexStore } }) =>
      [...indexStore.indexes.keys()].flatMap((uid) =>
        Object.entries(indexStore.metricsOf(uid).rebuilds).map(([part, count]): Sample => [count, uid, part]),
      ),
  },
  {
    name: 'peregrine_shared_memory_bytes',
    help: 'Bytes of segments and tombstones of all indexes in shared memory.',
    samples: ({ service }) => [[service.indexStore.memoryUsed]],
  },
  {
    name: 'peregrine_webhook_deliveries_total',
    help: 'Notices of ended tasks that a webhook has taken.',
    isCounter: true,
    ...ofWebhooks('delivered'),
  },
  {
    name: 'peregrine_webhook_failures_total',
    help: 'Notices that were given up after their last attempt.',
    isCounter: true,
    ...ofWebhooks('failed'),
  },
  {
    name: 'peregrine_webhook_dropped_total',
    help: 'Notices that were dropped because too many waited, or the webhook was deleted.',
    isCounter: true,
    ...ofWebhooks('dropped'),
  },
  {
    name: 'peregrine_webhook_retries_total',
    help: 'Attempts after the first.',
    isCounter: true,
    ...ofWebhooks('retried'),
  },
  { name: 'peregrine_webhook_queue_length', help: 'Notices that wait for a webhook.', ...ofWebhooks('waiting') },
];
