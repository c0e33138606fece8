import type { Moment } from '../time/moments.js';
import type { Details } from './task.js';
import type { TaskStatus } from './task-types.js';

/** A batch in the ledger. */
export interface BatchRecord {
  uid: number;
  details: Details;
  stats: BatchStats;
  startedAt: Moment;
  finishedAt: Moment | null;
  batchStrategy: string;
}

/** Requests to models for embedding documents. */
export interface EmbedderRequests {
  total: number;
  failed: number;
  lastError?: string;
}

export interface BatchStats {
  totalNbTasks: number;
  status: Record<TaskStatus, number>;
  types: Record<string, number>;
  indexUids: Record<string, number>;
  /** Absent when there were none. */
  embedderRequests?: EmbedderRequests;
  progressTrace?: Record<string, string>;
  writeChannelCongestion?: { attempts: number; blocking_attempts: number; blocking_ratio: number };
  internalDatabaseSizes?: Record<string, string>;
}
