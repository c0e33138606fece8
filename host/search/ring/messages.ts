import type { MessagePort } from 'node:worker_threads';
import type { ThreadContextOptions } from '../../index/memory/thread-context.js';
import type { ViewUpdate } from '../../index/memory/views.js';
import type { RingBuffers } from './ring.js';

export type ToWorker =
  | ViewUpdate
  /** A request longer than a slot. */
  | { type: 'request'; slot: number; bytes: Uint8Array };

export type FromWorker =
  | { type: 'ready' }
  /** Answers are ready in the ring. */
  | { type: 'answered' }
  /** An answer longer than a slot. */
  | { type: 'answer'; slot: number; bytes: Uint8Array }
  /** An unexpected error; `broken`: the worker must be replaced. */
  | { type: 'fault'; message: string; broken: boolean };

/** What a search thread starts with. */
export interface SearchWorkerSetup {
  worker: number;
  ring: RingBuffers;
  port: MessagePort;
  readerContext: ThreadContextOptions;
  snapshot: ViewUpdate;
  /** The cells of {@link SearchUsage}. */
  usage: SharedArrayBuffer;
}
