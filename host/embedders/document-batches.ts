import { EmbeddingsWriter } from '../index/build/vectors/embeddings-file.js';
import { readTexts, type TextLine } from '../index/build/vectors/texts.js';
import type { EmbeddingFailure, EmbeddingOrder } from '../index/changes/embedding.js';
import type { Patience } from './client.js';
import { EmbedderFailure } from './errors.js';
import type { KeptEmbeddings } from './kept-embeddings.js';
import type { SharedWork } from './shared-work.js';
import type { ModelSource } from './sources.js';

/** Estimated bytes of UTF-8 per token: English has about four, most languages fewer. */
const TOKEN_BYTES = 3;
/** Memory per byte of a text: the text as it was read, and as it is sent. */
const TEXT_COPIES = 2;
/** Memory per element of a vector: a number of 16 characters in the answer, and 4 bytes in the vector. */
const ELEMENT_BYTES = 20;
const RETRIES = 10;

/** A model, and the dimensions that its vectors must have. */
export interface SizedSource {
  source: ModelSource;
  dimensions: number;
}

export interface DocumentWork {
  order: EmbeddingOrder;
  sourceOf: (embedder: string) => SizedSource;
  kept: KeptEmbeddings;
  /** Limits shared by all embedding of documents. */
  shared: SharedWork;
  signal: AbortSignal;
  count: NonNullable<Patience['count']>;
  /** Called with the number of texts done. */
  progress: (done: number, total: number) => void;
}

/**
 * Embeds the texts of documents and writes the vectors to the file of the order. A batch that a model refuses is split until the
 * texts at fault are found; when the model itself fails, the rest is skipped.
 */
export async function embedTexts(work: DocumentWork): Promise<EmbeddingFailure[]> {
  return new TextEmbedding(work).run();
}

class TextEmbedding {
  readonly #writer: EmbeddingsWriter;
  readonly #failures: EmbeddingFailure[] = [];
  readonly #running = new Set<Promise<void>>();
  /** By embedder: texts that wait to be sent in one request. */
  readonly #open = new Map<string, { lines: TextLine[]; tokens: number }>();
  /** By embedder: the failure after which it is not called again. */
  readonly #broken = new Map<string, EmbedderFailure>();
  #fault: unknown = null;
  #done = 0;

  constructor(private readonly work: DocumentWork) {
    this.#writer = new EmbeddingsWriter(work.order.embeddings);
  }

  async run(): Promise<EmbeddingFailure[]> {
    const { order, signal } = this.work;
    try {
      for await (const line of readTexts(order.texts)) {
        signal.throwIfAborted();
        if (this.#fault) throw this.#fault;
        await this.#take(line);
      }
      for (const embedder of [...this.#open.keys()]) await this.#send(embedder);
      await Promise.all(this.#running);
      if (this.#fault) throw this.#fault;
      return this.#failures;
    } finally {
      await Promise.allSettled(this.#running);
      this.#writer.close();
    }
  }

  async #take(line: TextLine): Promise<void> {
    const { order, kept, sourceOf } = this.work;
    const { source, dimensions } = sourceOf(line.embedder);
    const known = source.keeps() ? await kept.get(order.uid, line.hash, dimensions) : null;
    if (known) return this.#finish(line, known);
    let open = this.#open.get(line.embedder);
    const tokens = tokensOf(line.value);
    if (open && (open.lines.length >= source.texts || open.tokens + tokens > source.tokens)) {
      await this.#send(line.embedder);
      open = undefined;
    }
    if (!open) {
      open = { lines: [], tokens: 0 };
      this.#open.set(line.embedder, open);
    }
    open.lines.push(line);
    open.tokens += tokens;
    if (open.lines.length >= source.texts) await this.#send(line.embedder);
  }

  /** Sends the waiting texts once the shared limits allow another request. */
  async #send(embedder: string): Promise<void> {
    const open = this.#open.get(embedder);
    this.#open.delete(embedder);
    if (!open) return;
    const { shared, sourceOf, signal } = this.work;
    const vectors = open.lines.length * sourceOf(embedder).dimensions * ELEMENT_BYTES;
    const done = await shared.enter(open.tokens * TOKEN_BYTES * TEXT_COPIES + vectors, signal);
    const sending: Promise<void> = this.#embed(embedder, open.lines)
      .catch((error) => {
        this.#fault ??= error;
      })
      .finally(() => {
        this.#running.delete(sending);
        done();
      });
    this.#running.add(sending);
  }

  async #embed(embedder: string, lines: readonly TextLine[]): Promise<void> {
    const broken = this.#broken.get(embedder);
    if (broken) return this.#refuse(lines, broken);
    const { order, kept, sourceOf, signal, count } = this.work;
    const { source, dimensions } = sourceOf(embedder);
    try {
      const inputs = lines.map(({ value }) => value);
      const vectors = await source.embed(inputs, { signal, retries: RETRIES, count });
      const wrong = vectors.find((vector) => vector.length !== dimensions);
      if (wrong) throw wrongLength(wrong.length, dimensions);
      const found = lines.map(({ hash }, index) => ({ hash, vector: vectors[index] as Float32Array }));
      if (source.keeps()) await kept.put(order.uid, found);
      for (const [index, line] of lines.entries()) this.#finish(line, vectors[index] as Float32Array);
    } catch (error) {
      if (!(error instanceof EmbedderFailure)) throw error;
      if (error.kind === 'texts' && lines.length > 1) {
        return this.#embedParts(embedder, lines, source.cutsRefused);
      }
      if (error.kind !== 'texts') this.#broken.set(embedder, error);
      this.#refuse(lines, error);
    }
  }

  /** Splits a refused batch to find the texts at fault. */
  async #embedParts(embedder: string, lines: readonly TextLine[], how: ModelSource['cutsRefused']): Promise<void> {
    if (how === 'singly') {
      await Promise.all(lines.map((line) => this.#embed(embedder, [line])));
      return;
    }
    const half = Math.ceil(lines.length / 2);
    await this.#embed(embedder, lines.slice(0, half));
    await this.#embed(embedder, lines.slice(half));
  }

  #finish({ hash }: TextLine, vector: Float32Array): void {
    this.#writer.add(hash, vector);
    this.#progress(1);
  }

  #refuse(lines: readonly TextLine[], error: EmbedderFailure): void {
    for (const { value: _, ...line } of lines) this.#failures.push({ line, error: error.apiError });
    this.#progress(lines.length);
  }

  #progress(count: number): void {
    this.#done += count;
    this.work.progress(this.#done, this.work.order.count);
  }
}

function tokensOf(value: unknown): number {
  return Math.ceil(Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value)) / TOKEN_BYTES);
}

export function wrongLength(length: number, dimensions: number): EmbedderFailure {
  return new EmbedderFailure('model', `the model answered a vector of ${length} dimensions, but the embedder has ${dimensions}.`);
}
