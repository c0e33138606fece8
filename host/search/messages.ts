import type { MessagePort } from 'node:worker_threads';
import type { IndexView } from '../../bindings/index-types.js';
import type { RingBuffers } from './ring.js';
import type { ThreadContextOptions } from './thread-context.js';

/** Indexes as they stand from `version` on; null: the index is gone. */
export interface ViewUpdate {
  type: 'views';
  version: number;
  /** All memories of the process and their sizes in bytes. */
  memories: WebAssembly.Memory[];
  sizes: number[];
  views: [uid: string, view: IndexView | null][];
  /** Uid of an index whose searches are not counted; empty: there is none. */
  aside: string;
}

export type ToWorker =
  | ViewUpdate
  /** A request that is longer than a slot. */
  | { type: 'request'; slot: number; bytes: Uint8Array };

export type FromWorker =
  | { type: 'ready' }
  /** Answers are in the ring. */
  | { type: 'told' }
  /** An answer that is longer than a slot. */
  | { type: 'answer'; slot: number; bytes: Uint8Array }
  /** Something that should not happen; `broken`: the worker must be replaced. */
  | { type: 'fault'; message: string; broken: boolean };

/** What a search worker starts with. */
export interface SearchWorkerSetup {
  worker: number;
  ring: RingBuffers;
  port: MessagePort;
  home: ThreadContextOptions;
  snapshot: ViewUpdate;
  /** Cells of {@link SearchUsage}. */
  usage: SharedArrayBuffer;
  /** URL of the module whose `HANDLERS` answer requests. */
  handlers: string;
}
