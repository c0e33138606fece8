import type { IndexSettings } from '../../../bindings/index-types.js';
import type { Embedders } from '../../embedders/embedders.js';
import type { EmbeddingFailure, EmbeddingOrder, TextEmbedder } from '../../index/changes/embedding.js';
import type { BatchStats, EmbedderRequests } from '../batch.js';
import type { BatchProgress } from '../batches/progress.js';
import type { StopSignal } from './stop.js';

/** The operations of embedders that batches use. */
export type TaskEmbedders = Pick<Embedders, 'embedDocuments' | 'holdEmbeddings' | 'settled' | 'uncached'>;

/** Depth of the step in the progress of a batch. */
const DEPTH = 2;

/** What the embedding needs from its batch. */
export interface EmbeddingBatch {
  progress: BatchProgress;
  stop: StopSignal;
  /** Lets other batches use the indexes during work that does not. */
  unlocked<T>(work: () => Promise<T>): Promise<T>;
}

/** The embedding done for one batch: its progress, and its requests to models. */
export class BatchEmbedding implements TextEmbedder {
  readonly #requests: EmbedderRequests = { total: 0, failed: 0 };
  #release: () => void = () => {};

  constructor(
    private readonly embedders: TaskEmbedders,
    private readonly batch: EmbeddingBatch,
  ) {}

  async embed(order: EmbeddingOrder): Promise<EmbeddingFailure[]> {
    const { progress, stop, unlocked } = this.batch;
    // Abandoned work continues after the end of its batch, and nobody would release its cache entries.
    stop.check();
    const watch = {
      signal: stop.signal,
      count: (failure: string | null) => this.#count(failure),
      progress: (done: number, total: number) => progress.enter(DEPTH, 'embedding texts', done, total, 'timed'),
    };
    watch.progress(0, order.count);
    this.#release();
    this.#release = this.embedders.holdEmbeddings();
    return unlocked(() => this.embedders.embedDocuments(order, watch));
  }

  uncached(embedders: IndexSettings['embedders']): string[] {
    return this.embedders.uncached(embedders);
  }

  settled(settings: IndexSettings, stored: IndexSettings): Promise<IndexSettings> {
    const { stop, unlocked } = this.batch;
    return this.embedders.settled(settings, stored, { signal: stop.signal, unlocked });
  }

  /** The batch has ended or was abandoned. */
  end(): void {
    this.#release();
  }

  /** Absent when no model was called. */
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
