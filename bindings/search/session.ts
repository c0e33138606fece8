import type { IndexReader } from '../engine/segments.js';
import type { ByteWriter } from '../format/byte-writer.js';
import type { FilterGates } from '../query/filter-check.js';
import type { SearchRule } from '../rules/rule.js';
import { Stages } from '../stages.js';
import type { TimeLimit } from '../time-limit.js';
import type { QueryEmbedding } from './semantic/query-vector.js';

/** Milliseconds that a search may take when its index sets no cutoff. */
const DEFAULT_CUTOFF_MS = 1500;
/** Milliseconds that filters and facets always get, so that results only depend on time for very expensive ones. */
const MIN_TIME_MS = 150;

/** What a caller may see of an index. */
export interface Rights {
  /** JSON as in the member `filter` of a search: only matching documents. */
  filter: unknown;
}

const ALL_RIGHTS: Rights = { filter: null };
const NO_RULES: readonly SearchRule[] = [];
const NO_EMBEDDINGS: readonly QueryEmbedding[] = [];

/** The environment in which a request is answered. */
export interface SessionOptions {
  /**
   * The current state of an index.
   * @throws {ApiError} index_not_found
   */
  open(uid: string): IndexReader;
  /** The writer for the answer, which is reset. Its bytes are valid until the next session uses it. */
  out: ByteWriter;
  /** A monotonic clock, in milliseconds. */
  now(): number;
  /** Enabled experimental features. */
  features: Partial<FilterGates>;
  /** Whether answers to searches have a `metadata` object. */
  metadata: boolean;
  /** Milliseconds that the request waited in a queue, when asked as it begins; absent without one. */
  waited?(): number;
  /** The `requestUid` of the answer; default: a new UUID v7. */
  requestUid?: string | undefined;
  /** The dynamic search rules in the order of their creation; absent when the feature is disabled. */
  rules?: readonly SearchRule[];
  /** What the caller may see of an index that another one refers to; null: nothing. Absent: everything. */
  rightsOn?: ((uid: string) => Rights | null) | undefined;
  /** The vectors that embedders have computed for this request. */
  embeddings?: readonly QueryEmbedding[] | undefined;
  /** Milliseconds already spent on other queries of the same request, which share its time limit. */
  spent?: number;
}

/**
 * The state of one request: the indexes it reads, each opened once, its time limit, its stage timings, and the bytes of its
 * answer. Valid inside one scope of scratch memory of every instance that its readers use.
 */
export class SearchSession {
  readonly start: number;
  /** A ranking was ended by the time limit. */
  degraded = false;
  readonly #options: SessionOptions;
  readonly #readers: IndexReader[] = [];
  /** Absent unless they are timed. */
  #stages?: Stages;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.start = options.now();
    options.out.reset();
  }

  /** Times the stages of the request from now on, for a report about them. */
  timeStages(): void {
    const { now, waited } = this.#options;
    this.#stages = new Stages('search', now, this.start);
    if (waited) this.#stages.note('wait in queue', waited());
  }

  /** Runs a job as a stage of the request. */
  stage<T>(name: string, job: () => T): T {
    return this.#stages ? this.#stages.run(name, job) : job();
  }

  /** The durations of the stages; undefined when they are not timed. */
  get performanceDetails(): Record<string, string> | undefined {
    return this.#stages?.report();
  }

  get out(): ByteWriter {
    return this.#options.out;
  }

  get features(): Partial<FilterGates> {
    return this.#options.features;
  }

  get rules(): readonly SearchRule[] {
    return this.#options.rules ?? NO_RULES;
  }

  rightsOn(uid: string): Rights | null {
    const { rightsOn } = this.#options;
    return rightsOn ? rightsOn(uid) : ALL_RIGHTS;
  }

  get embeddings(): readonly QueryEmbedding[] {
    return this.#options.embeddings ?? NO_EMBEDDINGS;
  }

  get metadata(): boolean {
    return this.#options.metadata;
  }

  /** undefined: a new UUID v7. */
  get requestUid(): string | undefined {
    return this.#options.requestUid;
  }

  /** Milliseconds since the request began. */
  get elapsed(): number {
    return this.#options.now() - this.start;
  }

  /**
   * An index, in the state in which this request first opened it.
   * @throws {ApiError} index_not_found
   */
  open(uid: string): IndexReader {
    for (const reader of this.#readers) if (reader.view.uid === uid) return reader;
    const reader = this.#options.open(uid);
    this.#readers.push(reader);
    return reader;
  }

  /** The deadline for ranking the documents of an index. @param cutoffMs `searchCutoffMs` of its settings */
  deadline(cutoffMs: number | null): number {
    const { spent = 0 } = this.#options;
    return cutoffMs === 0 ? Number.NEGATIVE_INFINITY : this.start + (cutoffMs ?? DEFAULT_CUTOFF_MS) - spent;
  }

  /** The time limit for evaluating a filter or counting facets, starting now. */
  limit(cutoffMs: number | null): TimeLimit {
    return {
      deadline: Math.max(this.deadline(cutoffMs), this.#options.now() + MIN_TIME_MS),
      onTimeout: () => {
        this.degraded = true;
      },
    };
  }
}
