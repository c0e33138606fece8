import type { IndexSettings } from '../../bindings/index-types.js';
import type { Embedders } from '../embedders/embedders.js';
import type { EmbeddingFailure, EmbeddingOrder } from '../index/changes/embedding.js';
import type { BatchProgress } from './progress.js';
import type { StopSignal } from './stop.js';
import type { BatchStats, EmbedderRequests } from './types.js';

/** What of the service's embedders batches use. */
export type TaskEmbedders = Pick<Embedders, 'embedDocuments' | 'holdEmbeddings' | 'settled'>;

/** Depth of the step in the progress of a batch. */
const DEPTH = 2;

/** What the embedding of a batch needs of it. */
export interface EmbeddingBatch {
  progress: BatchProgress;
  stop: StopSignal;
  /** Lets other batches at the indexes while work goes on that needs none. */
  outside<T>(work: () => Promise<T>): Promise<T>;
}

/** The embedding that one batch has done: how far it is, and what it asked of models. */
export class BatchEmbedding {
  readonly #requests: EmbedderRequests = { total: 0, failed: 0 };
  #release: () => void = () => {};

  constructor(
    private readonly embedders: TaskEmbedders,
    private readonly batch: EmbeddingBatch,
  ) {}

  async embed(order: EmbeddingOrder): Promise<EmbeddingFailure[]> {
    const { progress, stop, outside } = this.batch;
    // work that was given up goes on after the end of its batch, and nobody would release what it holds
    stop.check();
    const watch = {
      signal: stop.signal,
      count: (failure: string | null) => this.#count(failure),
      progress: (done: number, total: number) => progress.enter(DEPTH, 'embedding texts', done, total, 'timed'),
    };
    watch.progress(0, order.count);
    this.#release();
    this.#release = this.embedders.holdEmbeddings();
    return outside(() => this.embedders.embedDocuments(order, watch));
  }

  settled(settings: IndexSettings, stored: IndexSettings): Promise<IndexSettings> {
    const { stop, outside } = this.batch;
    return this.embedders.settled(settings, stored, { signal: stop.signal, outside });
  }

  /** The batch has ended, or is given up. */
  end(): void {
    this.#release();
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
