import { cosine } from '../../bindings/cosine.js';
import { dimensionsOf, indexingEmbedder, modelKey, searchEmbedder } from '../../bindings/embedders/models.js';
import { type ApiError, apiError, errorAs } from '../../bindings/errors.js';
import type { EmbedderSettings, IndexSettings } from '../../bindings/index-types.js';
import type { EmbeddingFailure, EmbeddingOrder } from '../index/changes/embedding.js';
import { IGNORED_FAILURES } from '../options/ignored-failures.js';
import type { RequestOptions } from './client.js';
import { embedTexts, type NamedSource, wrongLength } from './document-batches.js';
import type { EmbeddingCache } from './embedding-cache.js';
import { apiErrorOf, EmbedderFailure } from './errors.js';
import type { LocalModels } from './local/local-models.js';
import { QueryCache } from './query-cache.js';
import { SharedWork } from './shared-work.js';
import { type ModelSource, modelSource, type SourceContext } from './sources.js';

export interface EmbeddersOptions extends SourceContext {
  local: LocalModels;
  cache: EmbeddingCache;
  /** Query embeddings in the cache. */
  cacheEntries: number;
}

/** How the embedding of documents reports progress and is cancelled. */
export interface Watch {
  signal: AbortSignal;
  count: NonNullable<RequestOptions['count']>;
  progress: (done: number, total: number) => void;
}

/** How models are called when embedder settings change. */
export interface Probe {
  signal: AbortSignal;
  /** Runs work that may take long without the lock of the indexes. */
  unlocked<T>(work: () => Promise<T>): Promise<T>;
}

/** Texts with which models are tried out when settings change. */
const PROBE_TEXTS = ['test', 'a second text, somewhat longer', 'the quick brown fox jumps over the lazy dog'];
/** Largest distance, (1 - cos) / 2, between the vectors of one text by the two models of a composite embedder. */
const MAX_MODEL_DISTANCE = 0.01;
const PROBE_RETRIES = 3;
const QUERY_RETRIES = 10;

/** Embeds documents and queries by the embedders of indexes. */
export class Embedders {
  readonly #cache: QueryCache;
  readonly #shared = new SharedWork();

  constructor(private readonly options: EmbeddersOptions) {
    this.#cache = new QueryCache(options.cacheEntries);
  }

  /** Keeps all cached embeddings until the returned function is called: see {@link EmbeddingCache.hold}. */
  holdEmbeddings(): () => void {
    return this.options.cache.hold();
  }

  /**
   * Embeds the texts of an order. Returns those that could not be embedded; the vectors of the others are in the file of the
   * order.
   */
  async embedDocuments(order: EmbeddingOrder, { signal, count, progress }: Watch): Promise<EmbeddingFailure[]> {
    const embedders = new Map(Object.entries(order.embedders).map(([name, settings]) => [settings.id ?? 0, { name, settings }]));
    const sources = new Map<number, NamedSource>();
    const sourceOf = (embedder: number): NamedSource => {
      let named = sources.get(embedder);
      if (!named) {
        const { name, settings } = embedders.get(embedder) as { name: string; settings: EmbedderSettings };
        const source = this.#source(indexingEmbedder(settings), `.embedders.${name}`);
        named = { name, source, dimensions: dimensionsOf(settings) ?? 0 };
        sources.set(embedder, named);
      }
      return named;
    };
    const failures = await embedTexts({
      order,
      sourceOf,
      cache: this.options.cache,
      shared: this.#shared,
      signal,
      count,
      progress,
    });
    return IGNORED_FAILURES.models ? [] : failures;
  }

  /** Names of the embedders whose models are called again rather than have their vectors cached. */
  uncached(embedders: IndexSettings['embedders']): string[] {
    const isLocal = ([, settings]: [string, EmbedderSettings]) => indexingEmbedder(settings).source === 'huggingFace';
    const local = Object.entries(embedders).filter(isLocal);
    return local.filter(([name, each]) => !this.#source(indexingEmbedder(each), name).keeps()).map(([name]) => name);
  }

  /**
   * The vector of a query: of its text, or of what a search fragment rendered.
   * @throws {ApiError} vector_embedding_error
   */
  async embedQuery(name: string, settings: EmbedderSettings, input: unknown, signal: AbortSignal): Promise<Float32Array> {
    const searching = searchEmbedder(settings);
    const source = this.#source(searching, `.embedders.${name}`);
    const dimensions = dimensionsOf(settings);
    try {
      const key = JSON.stringify([modelKey(searching), dimensions, input]);
      return await this.#cache.get(key, signal, async (signal) => {
        const [vector] = await source.embed([input], { signal, retries: QUERY_RETRIES, isQuery: true });
        if (vector && dimensions !== undefined && vector.length !== dimensions) throw wrongLength(vector.length, dimensions);
        return vector as Float32Array;
      });
    } catch (error) {
      if (signal.aborted) throw apiError('vector_embedding_error', 'timeout', { name });
      throw named(name, error);
    }
  }

  /**
   * The settings with the dimensions that only models know filled in.
   * @throws {ApiError} vector_embedding_error when a model does not answer, or the two models of a composite embedder disagree
   */
  async settled(settings: IndexSettings, stored: IndexSettings, probe: Probe): Promise<IndexSettings> {
    const before = new Map(Object.entries(stored.embedders));
    const embedders: [string, EmbedderSettings][] = [];
    for (const [name, embedder] of Object.entries(settings.embedders)) {
      const changed = dimensionsOf(embedder) === undefined || JSON.stringify(before.get(name)) !== JSON.stringify(embedder);
      try {
        embedders.push([name, changed ? await this.#probed(name, embedder, probe) : embedder]);
      } catch (error) {
        probe.signal.throwIfAborted();
        throw named(name, error);
      }
    }
    return { ...settings, embedders: Object.fromEntries(embedders) };
  }

  close(): Promise<void> {
    return this.options.local.close();
  }

  async #probed(name: string, embedder: EmbedderSettings, probe: Probe): Promise<EmbedderSettings> {
    const where = `.embedders.${name}`;
    if (embedder.source === 'userProvided') return embedder;
    if (embedder.source !== 'composite') return this.#sized(embedder, where, probe);
    const searchEmbedder = await this.#sized(embedder.searchEmbedder as EmbedderSettings, `${where}.searchEmbedder`, probe);
    const indexingEmbedder = await this.#sized(embedder.indexingEmbedder as EmbedderSettings, `${where}.indexingEmbedder`, probe);
    const lengths = [dimensionsOf(searchEmbedder), dimensionsOf(indexingEmbedder)];
    if (lengths[0] !== lengths[1]) {
      throw new EmbedderFailure(
        'model',
        `its two models have different dimensions: ${lengths[0]} for searching, ${lengths[1]} for indexing.`,
      );
    }
    const fragments = searchEmbedder.searchFragments ?? indexingEmbedder.indexingFragments;
    if (!fragments) await this.#compare(searchEmbedder, indexingEmbedder, where, probe);
    return { ...embedder, searchEmbedder, indexingEmbedder };
  }

  async #sized(embedder: EmbedderSettings, where: string, probe: Probe): Promise<EmbedderSettings> {
    const source = this.#source(embedder, where);
    if (dimensionsOf(embedder) !== undefined) return embedder;
    const vector = await probe.unlocked(() => this.#embedded(source, PROBE_TEXTS[0]!, probe));
    return { ...embedder, inferredDimensions: vector.length };
  }

  async #compare(first: EmbedderSettings, second: EmbedderSettings, where: string, probe: Probe): Promise<void> {
    const sources = [this.#source(first, `${where}.searchEmbedder`), this.#source(second, `${where}.indexingEmbedder`)];
    for (const text of PROBE_TEXTS) {
      const [one, other] = await probe.unlocked(() => Promise.all(sources.map((source) => this.#embedded(source, text, probe))));
      const apart = (1 - cosine(one as Float32Array, other as Float32Array)) / 2;
      if (apart <= MAX_MODEL_DISTANCE) continue;
      throw new EmbedderFailure('model', `its two models embed the same text differently (cosine distance ${apart.toFixed(3)}).`);
    }
  }

  async #embedded(source: ModelSource, text: string, { signal }: Probe): Promise<Float32Array> {
    const [vector] = await source.embed([text], { signal, retries: PROBE_RETRIES });
    return vector as Float32Array;
  }

  #source(settings: EmbedderSettings, where: string): ModelSource {
    return modelSource(settings, where, this.options);
  }
}

function named(name: string, error: unknown): ApiError {
  const { code, message } = apiErrorOf(error);
  return errorAs(code, 'embedderFailed', { name, message });
}
