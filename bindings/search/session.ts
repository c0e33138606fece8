import type { IndexReader } from '../engine/segments.js';
import type { ByteWriter } from '../format/byte-writer.js';
import type { FilterGates } from '../query/filter-check.js';
import type { SearchRule } from '../rules/rule.js';
import { Stages } from '../stages.js';
import type { TimeLimit } from '../time-limit.js';
import type { QueryEmbedding } from './semantic/query-vector.js';

/** Milliseconds that a search may take where its index does not say. */
const DEFAULT_CUTOFF_MS = 1500;
/** Milliseconds that filters and facets have in any case: what is found depends on the time only where they are very expensive. */
const MIN_TIME_MS = 150;

/** What a caller may see of an index. */
export interface Rights {
  /** JSON as in the member `filter` of a search: just what passes it. */
  filter: unknown;
}

const ALL_RIGHTS: Rights = { filter: null };
const NO_RULES: readonly SearchRule[] = [];
const NO_EMBEDDINGS: readonly QueryEmbedding[] = [];

/** What a request takes from the place where it is answered. */
export interface SessionOptions {
  /**
   * An index as it stands now.
   * @throws {ApiError} index_not_found
   */
  open(uid: string): IndexReader;
  /** Where the answer is written, over what was there. Its bytes are valid until the next session that is given it. */
  out: ByteWriter;
  /** Milliseconds of a clock that does not jump. */
  now(): number;
  /** Experimental features that are switched on. */
  features: Partial<FilterGates>;
  /** Answers to searches have a `metadata` object. */
  metadata: boolean;
  /** A new UUID v7. */
  uuid(): string;
  /** Milliseconds that the request waited for its turn; null where requests do not wait. */
  waited: number | null;
  /** What the answer says as its `requestUid`; a new UUID v7 by default. */
  requestUid?: string | undefined;
  /** The dynamic search rules in the order of their creation; none where they are switched off. */
  rules?: readonly SearchRule[];
  /** What the caller may see of an index that another one names: null is nothing at all. Without it, everything. */
  rightsOn?(uid: string): Rights | null;
  /** The vectors that embedders have made for queries of this request. */
  embeddings?: readonly QueryEmbedding[] | undefined;
  /** Milliseconds for which other queries of the same request have been answered already: they share its time. */
  spent?: number;
}

/**
 * What one request needs while it is answered: the indexes it reads, each opened once and in one state, its time, its stages, and the
 * bytes of its answer. It lives inside one scope of the scratch of every instance that its readers use.
 */
export class SearchSession {
  readonly start: number;
  readonly stages: Stages;
  /** A ranking was ended because its time was over. */
  degraded = false;
  readonly #options: SessionOptions;
  readonly #readers = new Map<string, IndexReader>();

  constructor(options: SessionOptions) {
    this.#options = options;
    this.start = options.now();
    this.stages = new Stages('search', options.now);
    if (options.waited !== null) this.stages.note('wait in queue', options.waited);
    options.out.reset();
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

  uuid(): string {
    return this.#options.uuid();
  }

  get requestUid(): string {
    return this.#options.requestUid ?? this.uuid();
  }

  /** Milliseconds since the request began. */
  get elapsed(): number {
    return this.#options.now() - this.start;
  }

  /**
   * An index, in the state in which this request first saw it.
   * @throws {ApiError} index_not_found
   */
  open(uid: string): IndexReader {
    let reader = this.#readers.get(uid);
    if (!reader) {
      reader = this.#options.open(uid);
      this.#readers.set(uid, reader);
    }
    return reader;
  }

  /** When the time for ranking the documents of an index is over. @param cutoffMs `searchCutoffMs` of its settings */
  deadline(cutoffMs: number | null): number {
    const { spent = 0 } = this.#options;
    return cutoffMs === 0 ? Number.NEGATIVE_INFINITY : this.start + (cutoffMs ?? DEFAULT_CUTOFF_MS) - spent;
  }

  /** The time for evaluating a filter, or for counting facets, from now on. */
  limit(cutoffMs: number | null): TimeLimit {
    return {
      deadline: Math.max(this.deadline(cutoffMs), this.#options.now() + MIN_TIME_MS),
      onCut: () => {
        this.degraded = true;
      },
    };
  }
}
