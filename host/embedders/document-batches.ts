import { dimensionsOf } from '../../bindings/embedders/models.js';
import { EmbeddingsWriter } from '../index/build/vectors/embeddings-file.js';
import { readTexts, type TextLine } from '../index/build/vectors/texts.js';
import type { EmbeddingFailure, EmbeddingOrder } from '../index/changes/embedding.js';
import type { RequestOptions } from './client.js';
import type { EmbeddingCache } from './embedding-cache.js';
import { EmbedderFailure } from './errors.js';
import type { SharedWork } from './shared-work.js';
import type { ModelSource } from './sources.js';

/** Estimated bytes of UTF-8 per token: English has about four, most languages fewer. */
const TOKEN_BYTES = 3;
/** Memory per byte of a text: the text as it was read, and as it is sent. */
const TEXT_COPIES = 2;
/** Cached vectors that are written at once. */
const KNOWN_AT_ONCE = 256;
/** Memory per element of a vector: a number of 16 characters in the answer, and 4 bytes in the vector. */
const ELEMENT_BYTES = 20;
const RETRIES = 10;

/** The model of an embedder, and the dimensions that its vectors must have. */
export interface NamedSource {
  /** Of the embedder. */
  name: string;
  source: ModelSource;
  dimensions: number;
}

export interface DocumentWork {
  order: EmbeddingOrder;
  /** The model of an embedder, by its number in the settings of the index. */
  sourceOf: (embedder: number) => NamedSource;
  cache: EmbeddingCache;
  /** Limits shared by all embedding of documents. */
  shared: SharedWork;
  signal: AbortSignal;
  count: NonNullable<RequestOptions['count']>;
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

/** A text by its number, with its vector. */
interface EmbeddedText {
  text: number;
  vector: Float32Array;
}

class TextEmbedding {
  readonly #writer: EmbeddingsWriter;
  readonly #failures: EmbeddingFailure[] = [];
  readonly #running = new Set<Promise<void>>();
  /** By embedder: texts that wait to be sent in one request. */
  readonly #open = new Map<number, { lines: TextLine[]; tokens: number }>();
  /** By embedder: the failure after which it is not called again. */
  readonly #broken = new Map<number, EmbedderFailure>();
  /** Texts with cached vectors. */
  #known: EmbeddedText[] = [];
  #fault: unknown = null;
  #done = 0;

  constructor(private readonly work: DocumentWork) {
    const { vectors, embedders } = work.order;
    const generated = Object.values(embedders).filter(({ source }) => source !== 'userProvided');
    this.#writer = new EmbeddingsWriter(vectors, Math.max(...generated.map((each) => dimensionsOf(each) ?? 0)));
  }

  async run(): Promise<EmbeddingFailure[]> {
    const { order, signal } = this.work;
    try {
      for await (const lines of readTexts(order.texts)) {
        for (const line of lines) {
          const full = this.#take(line);
          if (full) await full;
          signal.throwIfAborted();
          if (this.#fault) throw this.#fault;
        }
      }
      this.#finish(this.#known);
      for (const embedder of [...this.#open.keys()]) await this.#send(embedder);
      await Promise.all(this.#running);
      if (this.#fault) throw this.#fault;
      return this.#failures;
    } finally {
      await Promise.allSettled(this.#running);
      this.#writer.close();
    }
  }

  /** Takes a text. @returns what has to be awaited before the next one; undefined: nothing */
  #take(line: TextLine): Promise<void> | undefined {
    const { source, dimensions } = this.work.sourceOf(line.embedder);
    return line.hash !== null && source.keeps() ? this.#lookUp(line, line.hash, dimensions) : this.#wait(line);
  }

  async #lookUp(line: TextLine, hash: string, dimensions: number): Promise<void> {
    const { order, cache } = this.work;
    const vector = await cache.get(order.uid, hash, dimensions);
    if (!vector) return this.#wait(line);
    this.#known.push({ text: line.text, vector });
    if (this.#known.length >= KNOWN_AT_ONCE) this.#finish(this.#known.splice(0));
  }

  /** Adds a text to the next request of its embedder, which is sent when it is full. */
  #wait(line: TextLine): Promise<void> | undefined {
    const { source } = this.work.sourceOf(line.embedder);
    const tokens = Math.ceil(line.bytes / TOKEN_BYTES);
    const open = this.#open.get(line.embedder);
    if (open && open.tokens + tokens > source.tokens) {
      return this.#send(line.embedder).then(() => this.#wait(line));
    }
    const lines = open?.lines ?? [];
    lines.push(line);
    this.#open.set(line.embedder, { lines, tokens: (open?.tokens ?? 0) + tokens });
    return lines.length >= source.texts ? this.#send(line.embedder) : undefined;
  }

  /** Sends the waiting texts once the shared limits allow another request. */
  async #send(embedder: number): Promise<void> {
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

  async #embed(embedder: number, lines: readonly TextLine[]): Promise<void> {
    const broken = this.#broken.get(embedder);
    if (broken) return this.#refuse(embedder, lines, broken);
    const { order, cache, sourceOf, signal, count } = this.work;
    const { source, dimensions } = sourceOf(embedder);
    try {
      const inputs = lines.map(({ value }) => value);
      const vectors = await source.embed(inputs, { signal, retries: RETRIES, count });
      const wrong = vectors.find((vector) => vector.length !== dimensions);
      if (wrong) throw wrongLength(wrong.length, dimensions);
      const found = lines.map(({ text, hash }, index) => ({ text, hash, vector: vectors[index] as Float32Array }));
      if (source.keeps()) await cache.put(order.uid, found.filter(isHashed));
      this.#finish(found);
    } catch (error) {
      if (!(error instanceof EmbedderFailure)) throw error;
      if (error.kind === 'texts' && lines.length > 1) {
        return this.#embedParts(embedder, lines, source.cutsRefused);
      }
      if (error.kind !== 'texts') this.#broken.set(embedder, error);
      this.#refuse(embedder, lines, error);
    }
  }

  /** Splits a refused batch to find the texts at fault. */
  async #embedParts(embedder: number, lines: readonly TextLine[], how: ModelSource['cutsRefused']): Promise<void> {
    if (how === 'singly') {
      await Promise.all(lines.map((line) => this.#embed(embedder, [line])));
      return;
    }
    const half = Math.ceil(lines.length / 2);
    await this.#embed(embedder, lines.slice(0, half));
    await this.#embed(embedder, lines.slice(half));
  }

  #finish(texts: readonly EmbeddedText[]): void {
    this.#writer.add(texts);
    this.#progress(texts.length);
  }

  #refuse(embedder: number, lines: readonly TextLine[], error: EmbedderFailure): void {
    const { name } = this.work.sourceOf(embedder);
    for (const { text } of lines) this.#failures.push({ text, embedder: name, error: error.apiError });
    this.#progress(lines.length);
  }

  #progress(count: number): void {
    this.#done += count;
    this.work.progress(this.#done, this.work.order.count);
  }
}

function isHashed<T extends { hash: string | null }>(text: T): text is T & { hash: string } {
  return text.hash !== null;
}

export function wrongLength(length: number, dimensions: number): EmbedderFailure {
  return new EmbedderFailure('model', `the model answered a vector of ${length} dimensions, but the embedder has ${dimensions}.`);
}
