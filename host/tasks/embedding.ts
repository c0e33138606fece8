import type { IndexSettings } from '../../bindings/index-types.js';
import type { Embedders } from '../embedders/embedders.js';
import type { EmbeddingFailure, EmbeddingOrder } from '../index/embedding.js';
import type { BatchProgress } from './progress.js';
import type { StopSignal } from './stop.js';
import type { BatchStats, EmbedderRequests } from './types.js';

/** What of the service's embedders batches use. */
export type TaskEmbedders = Pick<Embedders, 'embedDocuments' | 'settled'>;

/** Depth of the step in the progress of a batch. */
const DEPTH = 2;

/** The embedding that one batch has done: how far it is, and what it asked of models. */
export class BatchEmbedding {
  readonly #requests: EmbedderRequests = { total: 0, failed: 0 };

  constructor(
    private readonly embedders: TaskEmbedders,
    private readonly progress: BatchProgress,
    private readonly stop: StopSignal,
  ) {}

  embed(order: EmbeddingOrder): Promise<EmbeddingFailure[]> {
    return this.embedders.embedDocuments(order, {
      signal: this.stop.signal,
      count: (failure) => this.#count(failure),
      progress: (done, total) => this.progress.enter(DEPTH, 'embedding texts', done, total),
    });
  }

  settled(settings: IndexSettings, stored: IndexSettings): Promise<IndexSettings> {
    return this.embedders.settled(settings, stored, this.stop.signal);
  }

  /** Left out where nothing was asked. */
  get stats(): Pick<BatchStats, 'embedderRequests'> {
    return this.#requests.total > 0 ? { embedderRequests: { ...this.#requests } } : {};
  }

  #count(failure: string | null): void {
    this.#requests.total++;
    if (failure === null) return;
    this.#requests.failed++;
    this.#requests.lastError = failure;
  }
}
