import fs from 'node:fs';
import path from 'node:path';
import type { KeyedRun, ProvideWordList } from '../../../../bindings/engine/builder.js';
import { SegmentBuilder } from '../../../../bindings/engine/builder.js';
import type { BuilderConfig } from '../../../../bindings/engine/builder-config.js';
import type { EngineInstance } from '../../../../bindings/engine/instance.js';
import type { DocumentVectors, StoredGraph } from '../../../../bindings/engine/vectors.js';
import { writeAll } from '../../../storage/file-writer.js';
import type { StoredSegment } from '../../record.js';

export interface SegmentWriterOptions {
  /** Private instance of the engine. */
  instance: EngineInstance;
  config: BuilderConfig;
  /** Folder of the segment files. */
  folder: string;
  nextId: () => number;
  /** Bytes that a builder may use before its segment is written and the next one begun. */
  memoryBudget: number;
  /** Loads a word list that the documents need into the instance. */
  provideWordList: ProvideWordList;
  /** Called for each write to a file. */
  onWrite(blocked: boolean): void;
  /** Vector graphs to start from; see {@link SegmentBuilder.startFrom}. */
  graphs?: readonly StoredGraph[];
}

/** Milliseconds by which a write must exceed the time of copying its bytes to count as having waited for the disk. */
const BLOCKED_MS = 5;
const COPIED_BYTES_PER_MS = 200_000;

/** Writes documents by ascending internal id, in as many segments as the memory budget requires. */
export class SegmentWriter {
  readonly segments: StoredSegment[] = [];
  /** By name of a top-level member: documents in the segments that have it. */
  readonly fieldDocuments = new Map<string, number>();
  readonly #options: SegmentWriterOptions;
  #builder: SegmentBuilder | null = null;
  #fields: string[];

  constructor(options: SegmentWriterOptions) {
    this.#options = options;
    this.#fields = options.config.fields;
  }

  /**
   * Adds a document; internal ids must ascend. `json` and `vectors` are read before the call returns.
   * @param vectors the state and vectors of the document for each embedder of the index; see {@link SegmentBuilder.addVectors}
   * @throws {ApiError} max_fields_limit_exceeded
   */
  add(internalId: number, key: Uint8Array, json: Uint8Array, vectors: readonly DocumentVectors[] = []): void {
    const builder = this.#begun();
    builder.add(internalId, key, json);
    for (const each of vectors) builder.addVectors(each);
    this.#keepToBudget(builder);
  }

  /**
   * Adds neighbouring documents. @param vectorsOf what {@link add} gets of a document, by its position among them; null: no document has vectors
   * @throws {ApiError} max_fields_limit_exceeded
   */
  addRun(run: KeyedRun, vectorsOf: ((document: number) => readonly DocumentVectors[]) | null): void {
    const builder = this.#begun();
    const first = builder.documentCount;
    builder.addRun(run);
    for (let document = 0; vectorsOf && document < run.ids.length; document++) {
      for (const each of vectorsOf(document)) builder.addVectors(each, first + document);
    }
    this.#keepToBudget(builder);
  }

  /** All field paths known after the documents added so far. */
  get fields(): string[] {
    return this.#builder?.fields ?? this.#fields;
  }

  /** Writes what is left. The files are not synced: see {@link Drafts.built}. */
  finish(): StoredSegment[] {
    this.#flush();
    return this.segments;
  }

  /** Discards what was built, and removes its files. */
  discard(): void {
    this.#builder?.dispose();
    this.#builder = null;
    for (const { file } of this.segments) fs.rmSync(path.join(this.#options.folder, file), { force: true });
  }

  #begun(): SegmentBuilder {
    const { instance, config, provideWordList, graphs } = this.#options;
    if (!this.#builder) {
      this.#builder = new SegmentBuilder(instance, { ...config, fields: this.#fields }, provideWordList);
      if (graphs) this.#builder.startFrom(graphs);
    }
    return this.#builder;
  }

  #keepToBudget(builder: SegmentBuilder): void {
    if (builder.memoryUsed > this.#options.memoryBudget) this.#flush();
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
      const { docCount, residentLength, fileLength, rawBytes } = builder.finish((bytes, offset) =>
        this.#write(fd, bytes, offset),
      );
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

  #write(fd: number, bytes: Uint8Array, offset: number): void {
    const started = performance.now();
    writeAll(fd, bytes, offset);
    const milliseconds = performance.now() - started;
    this.#options.onWrite(milliseconds > BLOCKED_MS + bytes.length / COPIED_BYTES_PER_MS);
  }
}
