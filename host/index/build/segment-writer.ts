import fs from 'node:fs';
import path from 'node:path';
import type { BuilderConfig, ProvideWordList } from '../../../bindings/engine/builder.js';
import { SegmentBuilder } from '../../../bindings/engine/builder.js';
import type { EngineInstance } from '../../../bindings/engine/instance.js';
import type { DocumentVectors, StoredGraph } from '../../../bindings/engine/vectors.js';
import { syncFolder } from '../../storage/sync.js';
import { writeAll } from '../payloads/payload.js';
import type { StoredSegment } from '../types.js';

export interface SegmentWriterOptions {
  /** Private, of the plain target. */
  instance: EngineInstance;
  config: BuilderConfig;
  /** Folder of the segment files. */
  folder: string;
  nextId: () => number;
  /** Bytes a builder may take before its segment is written and another is begun. */
  memoryBudget: number;
  /** Gives the instance a list of words that documents need. */
  provideWordList: ProvideWordList;
  /** Called at each write to a file. */
  onWrite(blocked: boolean): void;
  /** Graphs of vectors to start from; see {@link SegmentBuilder.startFrom}. */
  graphs?: readonly StoredGraph[];
}

/** A write that takes so much longer than the system takes to copy the bytes has waited for the disk. */
const BLOCKED_MS = 5;
const COPIED_BYTES_PER_MS = 200_000;

/** Writes documents in order of their internal ids into as many segments as the memory for building asks for. */
export class SegmentWriter {
  readonly segments: StoredSegment[] = [];
  /** Documents in the segments that have a member at the root, by its name. */
  readonly fieldDocuments = new Map<string, number>();
  readonly #options: SegmentWriterOptions;
  #builder: SegmentBuilder | null = null;
  #fields: string[];

  constructor(options: SegmentWriterOptions) {
    this.#options = options;
    this.#fields = options.config.fields;
  }

  /**
   * Ascending internal ids; `json` and `vectors` are read before the call returns. `vectors`: what each embedder of the index has of the
   * document, its state too where it has no vectors; see {@link SegmentBuilder.addVectors}.
   * @throws {ApiError} max_fields_limit_exceeded
   */
  add(internalId: number, key: Uint8Array, json: Uint8Array, vectors: readonly DocumentVectors[] = []): void {
    const { instance, config, memoryBudget, provideWordList, graphs } = this.#options;
    if (!this.#builder) {
      this.#builder = new SegmentBuilder(instance, { ...config, fields: this.#fields }, provideWordList);
      if (graphs) this.#builder.startFrom(graphs);
    }
    this.#builder.add(internalId, key, json);
    for (const each of vectors) this.#builder.addVectors(each);
    if (this.#builder.memoryUsed > memoryBudget) this.#flush();
  }

  /** All paths known after the documents so far. */
  get fields(): string[] {
    return this.#builder?.fields ?? this.#fields;
  }

  /** Makes everything durable. */
  finish(): StoredSegment[] {
    this.#flush();
    if (this.segments.length) syncFolder(this.#options.folder);
    return this.segments;
  }

  /** Drops what was built and removes its files. */
  discard(): void {
    this.#builder?.dispose();
    this.#builder = null;
    for (const { file } of this.segments) fs.rmSync(path.join(this.#options.folder, file), { force: true });
  }

  #flush(): void {
    const builder = this.#builder;
    if (!builder) return;
    const id = this.#options.nextId();
    const file = `${id}.seg`;
    const target = path.join(this.#options.folder, file);
    const fd = fs.openSync(target, 'w');
    try {
      const added = builder.fieldDocuments;
      const { docCount, residentLength, fileLength, rawBytes } = builder.finish((chunk) => this.#write(fd, chunk));
      fs.fsyncSync(fd);
      this.segments.push({ id, file, docCount, liveCount: docCount, residentLength, fileLength, rawBytes });
      for (const [name, count] of added) this.fieldDocuments.set(name, (this.fieldDocuments.get(name) ?? 0) + count);
    } catch (error) {
      fs.rmSync(target, { force: true });
      throw error;
    } finally {
      fs.closeSync(fd);
    }
    this.#fields = builder.fields;
    this.#builder = null;
  }

  #write(fd: number, chunk: Uint8Array): void {
    const started = performance.now();
    writeAll(fd, chunk);
    const milliseconds = performance.now() - started;
    this.#options.onWrite(milliseconds > BLOCKED_MS + chunk.length / COPIED_BYTES_PER_MS);
  }
}
