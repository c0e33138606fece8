import fs from 'node:fs';
import path from 'node:path';
import { ApiError, messageOf } from '../../../bindings/errors.js';
import type { IndexView } from '../../../bindings/index-types.js';
import type { SearchRule } from '../../../bindings/rules/rule.js';
import type { Ledger } from '../../storage/ledger/ledger.js';
import type { Commits } from '../commits/draft.js';
import { INDEX_PREFIX, type IndexState, readRecord, TOMBSTONES_PREFIX } from '../commits/state.js';
import type { IndexRecord, StoredSegment } from '../record.js';
import { Epochs } from './epochs.js';
import type { SegmentMemory } from './segment-memory.js';
import type { ThreadContext } from './thread-context.js';
import type { ViewReaders, ViewUpdate } from './views.js';

/**
 * Milliseconds after the start at which documents begin to be read into memory. Any earlier, it would delay the first answers.
 */
const HELD_AFTER = 500;

/** An index of the ledger while its segment files are being read. */
export interface ReadIndex {
  state: IndexState;
  /** The outcome for each segment, in order. */
  loaded: Promise<PromiseSettledResult<void>[]>;
}

/** The committed state of every index. Keeps shared memory, search threads and segment files in step with it. */
export class LiveStates implements Commits {
  readonly states = new Map<string, IndexState>();
  readonly records = new Map<string, IndexRecord>();
  /** One i32: the id of the newest segment of the database. */
  readonly newestSegment = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  /** Ids of segments built by another version of the tokenizer, to be rebuilt. */
  readonly outdated = new Set<number>();
  /** Indexes that cannot be read, with the reason; their files and records are left as they are. */
  readonly damaged = new Map<string, string>();
  readonly #segmentMemory: SegmentMemory;
  readonly #epochs: Epochs;
  #readers: ViewReaders | null = null;
  #version = 1;
  #rules: readonly SearchRule[] = [];

  private constructor(segmentMemory: SegmentMemory) {
    this.#segmentMemory = segmentMemory;
    this.#epochs = new Epochs(() => this.#readers?.oldestReader() ?? Number.POSITIVE_INFINITY);
  }

  /** Reads the ledger, and starts reading the segment files into memory. */
  static async read(ledger: Ledger, segmentMemory: SegmentMemory): Promise<ReadIndex[]> {
    const bitmaps = new Map<number, Uint8Array>();
    for await (const [key, value] of ledger.iterate(TOMBSTONES_PREFIX)) {
      bitmaps.set(Number(key.slice(TOMBSTONES_PREFIX.length)), Uint8Array.from(value));
    }
    const indexes: ReadIndex[] = [];
    for await (const [, value] of ledger.iterate(INDEX_PREFIX)) {
      const record = readRecord(value);
      const { segments } = record;
      const tombstones = new Map<number, Uint8Array>();
      for (const { id } of segments) {
        const bitmap = bitmaps.get(id);
        if (bitmap) tombstones.set(id, bitmap);
      }
      const loaded = Promise.allSettled(segments.map((segment) => segmentMemory.load(segment, segments)));
      indexes.push({ state: { record, tombstones }, loaded });
    }
    return indexes;
  }

  /**
   * Takes over the indexes that were read, and removes files from `folder` that no index refers to. An index with a missing or
   * damaged segment file is left out ({@link damaged}).
   */
  static async load(
    indexes: readonly ReadIndex[],
    segmentMemory: SegmentMemory,
    folder: string,
    readerContext: ThreadContext,
  ): Promise<LiveStates> {
    const live = new LiveStates(segmentMemory);
    const named = new Set<string>();
    for (const { state, loaded } of indexes) {
      const { record } = state;
      for (const { file } of record.segments) named.add(file);
      live.#set(record.uid, state);
      try {
        for (const [index, result] of (await loaded).entries()) {
          if (result.status === 'rejected') throw result.reason;
          segmentMemory.verify(record.segments[index] as StoredSegment, readerContext);
        }
      } catch (error) {
        live.damaged.set(record.uid, damageOf(record.uid, error as Error));
        live.drop(record.segments, true);
        continue;
      }
      for (const segment of record.segments) if (segmentMemory.isOutdated(segment, readerContext)) live.outdated.add(segment.id);
      live.#place(state);
    }
    let newest = 0;
    // The id of a missing file must not be reused either.
    for (const file of [...named, ...fs.readdirSync(folder)]) newest = Math.max(newest, Number.parseInt(file, 10) || 0);
    for (const file of fs.readdirSync(folder)) {
      if (!named.has(file)) fs.rmSync(path.join(folder, file));
    }
    Atomics.store(new Int32Array(live.newestSegment), 0, newest);
    return live;
  }

  /** @param readers to whom every new version is published */
  attach(readers: ViewReaders): void {
    this.#readers = readers;
    setTimeout(() => this.#holdDocuments(), HELD_AFTER).unref();
  }

  /** Reads documents that are not in memory yet, and publishes where they are. */
  #holdDocuments(): void {
    this.#segmentMemory.holdDocuments((segment) => {
      const uids = [...this.records].filter(([, { segments }]) => segments.some(({ id }) => id === segment)).map(([uid]) => uid);
      this.#version++;
      this.#publish(uids, []);
    });
  }

  /** The view of an index for a job. @throws {ApiError} io_error when it is damaged */
  view(record: IndexRecord): IndexView {
    const damage = this.damaged.get(record.uid);
    if (damage !== undefined) throw new ApiError('io_error', damage);
    return this.#segmentMemory.view(record, this.#version);
  }

  /** Everything that a new search thread must receive. */
  snapshot(): ViewUpdate {
    return { ...this.#update([...this.records.keys()]), rules: this.#rules };
  }

  /** Keeps what the present version uses until the returned function is called. */
  pin(): () => void {
    return this.#epochs.pin(this.#version);
  }

  install(states: Map<string, IndexState | null>): void {
    const before = segmentsOf([...states.keys()].map((uid) => this.states.get(uid)));
    const releases: (() => void)[] = [];
    this.#version++;
    for (const [uid, state] of states) {
      if (state) releases.push(...this.#place(state));
      this.#set(uid, state);
    }
    const after = new Set(segmentsOf([...states.values()]).map(({ id }) => id));
    for (const segment of before) if (!after.has(segment.id)) releases.push(this.#segmentMemory.remove(segment));
    this.#publish([...states.keys()], releases);
    if (this.#readers) this.#holdDocuments();
  }

  /** Publishes the dynamic search rules to all readers. */
  setRules(rules: readonly SearchRule[]): void {
    this.#version++;
    this.#rules = rules;
    this.#readers?.publish({ ...this.#update([]), rules });
  }

  drop(segments: StoredSegment[], keepFiles = false): void {
    for (const segment of segments) this.#segmentMemory.remove(segment, keepFiles)();
  }

  async close(): Promise<void> {
    this.#epochs.close();
    await this.#segmentMemory.close();
  }

  #place({ tombstones }: IndexState): (() => void)[] {
    return [...tombstones].map(([segment, bitmap]) => this.#segmentMemory.setTombstones(segment, bitmap));
  }

  #set(uid: string, state: IndexState | null): void {
    if (state) {
      if (state.record.segments.length === 0) this.damaged.delete(uid);
      this.states.set(uid, state);
      this.records.set(uid, state.record);
    } else {
      this.damaged.delete(uid);
      this.states.delete(uid);
      this.records.delete(uid);
    }
  }

  /** Publishes a new version to the search threads; `releases` run when no thread reads the previous version. */
  #publish(uids: string[], releases: (() => void)[]): void {
    this.#readers?.publish(this.#update(uids));
    for (const release of releases) this.#epochs.retire(this.#version, release);
    this.#epochs.sweep();
  }

  #update(uids: string[]): ViewUpdate {
    const memories = this.#segmentMemory.memories.list;
    return {
      type: 'views',
      version: this.#version,
      memories,
      sizes: memories.map((memory) => memory.buffer.byteLength),
      views: uids.map((uid) => {
        const record = this.records.get(uid);
        const damage = this.damaged.get(uid);
        if (damage !== undefined) return [uid, { damage }];
        return [uid, record ? this.view(record) : null];
      }),
    };
  }
}

function damageOf(uid: string, { message }: Error): string {
  return messageOf('io_error', 'damagedIndex', { uid, reason: message });
}

function segmentsOf(states: (IndexState | null | undefined)[]): StoredSegment[] {
  return states.flatMap((state) => state?.record.segments ?? []);
}
