import type { FastifyReply, FastifyRequest } from 'fastify';
import { apiError } from '../../bindings/errors.js';
import { checkedUid } from '../../bindings/query/index-uid.js';
import type { KeyStore } from '../auth/keys.js';
import type { Chats } from '../chats/chats.js';
import type { QueryEmbeddings } from '../embedders/query-embeddings.js';
import type { IndexStore } from '../index/index-store.js';
import type { IndexRecord } from '../index/record.js';
import type { Logs } from '../logging/logs.js';
import type { PeerClient } from '../network/peer-client.js';
import type { NetworkStore } from '../network/store.js';
import type { Feature, Features } from '../options/features.js';
import type { Options } from '../options/launch.js';
import type { Personalization } from '../personalization/personalization.js';
import type { RuleStore } from '../rules/store.js';
import type { Cursors } from '../search/cursors.js';
import type { SearchPool } from '../search/pool/pool.js';
import type { TaskPayloads } from '../tasks/queue/payloads.js';
import type { TaskQueue } from '../tasks/queue/queue.js';
import type { NewTask } from '../tasks/queue/records.js';
import { summaryOf, taskView } from '../tasks/view.js';
import type { Deliveries } from '../webhooks/deliveries.js';
import type { WebhookStore } from '../webhooks/store.js';
import { awaited } from './prefer.js';

/** What the routes work with. */
export interface Service {
  options: Options;
  indexStore: IndexStore;
  searches: SearchPool;
  cursors: Cursors;
  embeddings: QueryEmbeddings;
  /** null: no reranking service is configured. */
  personalization: Personalization | null;
  queue: TaskQueue;
  payloads: TaskPayloads;
  features: Features;
  keys: KeyStore;
  webhooks: WebhookStore;
  rules: RuleStore;
  network: NetworkStore;
  peers: PeerClient;
  chats: Chats;
  deliveries: Pick<Deliveries, 'metrics'>;
  logs: Logs;
}

/** The index uid in the path. @throws ApiError invalid_index_uid */
export function uidOf(request: FastifyRequest): string {
  return checkedUid((request.params as { index_uid: string }).index_uid);
}

/** @throws ApiError index_not_found */
export function indexOf({ indexStore }: Service, uid: string): IndexRecord {
  const index = indexStore.indexes.get(uid);
  if (!index) throw apiError('index_not_found', 'notFound', { uid });
  return index;
}

export function parametersOf(request: FastifyRequest): [string, string][] {
  return request.query as [string, string][];
}

/** Registers a task and answers with its summary, or with the ended task if the client prefers to wait for it. */
export async function accept({ queue }: Service, reply: FastifyReply, task: NewTask, status = 202): Promise<FastifyReply> {
  const record = await queue.register(task);
  const ended = await awaited(queue, reply, record.uid);
  if (ended) return reply.code(200).send(taskView(ended));
  return reply.code(status).send(summaryOf(record));
}

/** @param attempt the beginning of the message: what was attempted. @throws ApiError feature_not_enabled */
export function requireFeature({ features }: Service, feature: Feature, attempt: string): void {
  if (features.current[feature]) return;
  throw apiError('feature_not_enabled', 'experimental', { attempt, feature });
}
