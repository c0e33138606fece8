import { pathsOf } from '../oracle/facet-values.js';
import { OracleIndex, type SearchBody } from '../oracle/index.js';
import { type JsonObject, parseJson } from '../oracle/json.js';
import { type RandomCase, randomCase } from '../oracle/random-case.js';
import { randomPhrases, randomRequest } from '../oracle/random-request.js';
import { randomText } from '../oracle/random-words.js';
import { differences, engineOutcome, oracleOutcome } from './compare.js';
import { EngineBench, type KeyedDocument, type Spread } from './engine-index.js';

/** The engine against the oracle on random cases: order, scores, details, counts, facets. */

export interface DifferentialOptions {
  /** Documents in one segment, or in up to seven over one or two memories. */
  segments: 'one' | 'many';
  /** Documents are added and deleted again: hidden by tombstones, or left out as a merge leaves them out. */
  deletions: 'none' | 'tombstones' | 'merged';
  /** The searches; by default of any kind. */
  asks?: keyof typeof REQUESTS;
  /** Bytes of the cache of results; see LocalIndexOptions. */
  cacheBytes?: number;
  /** Stops after this many differences. */
  stopAfter?: number;
}

export interface Difference {
  seed: number;
  body: SearchBody;
  report: string;
}

export interface DifferentialResult {
  /** Searches compared. */
  cases: number;
  differences: Difference[];
}

const REQUESTS = { anything: randomRequest, phrases: randomPhrases };
const REQUESTS_PER_CORPUS = 10;
const DELETED_PERCENT = 30;
/** Milliseconds that searches may take by default: with the usual 1500 a busy machine gives incomplete answers now and then. */
const CUTOFF_MS = 3_600_000;
/** Documents shown in a report. */
const MAX_REPORTED = 12;

/** Compares at least `cases` searches; seeds count up from `seed`. */
export function differential(cases: number, seed: number, options: DifferentialOptions): DifferentialResult {
  const bench = new EngineBench();
  const result: DifferentialResult = { cases: 0, differences: [] };
  const request = REQUESTS[options.asks ?? 'anything'];
  for (let next = seed; result.cases < cases; next++) {
    const sample = new Sample(bench, randomCase(next, REQUESTS_PER_CORPUS, request), options);
    for (const [k, body] of sample.random.requests.entries()) {
      result.cases++;
      const found = sample.compare(body);
      if (found.length === 0) continue;
      const report = sample.shrunk(sample.random.requests.slice(0, k), body);
      result.differences.push({ seed: next, body, report });
      if (result.differences.length >= (options.stopAfter ?? 1)) return result;
    }
  }
  return result;
}

/** One random corpus on both sides. */
export class Sample {
  readonly #kept: readonly number[];
  readonly #deleted: ReadonlySet<number>;
  readonly #spread: Spread;
  readonly #engine;
  readonly #oracle: OracleIndex;

  /** @param kept internal ids of the documents to take; all by default */
  constructor(
    private readonly bench: EngineBench,
    readonly random: RandomCase,
    private readonly options: DifferentialOptions,
    kept?: readonly number[],
  ) {
    const text = randomText(~random.seed);
    const ids = [...random.documents.keys()];
    const deleted = new Set(options.deletions === 'none' ? [] : ids.filter(() => text.chance(DELETED_PERCENT)));
    const many = { segments: 2 + text.random.int(6), memories: 1 + text.random.int(2) };
    this.#spread = options.segments === 'one' ? { segments: 1, memories: 1 } : many;
    this.#kept = kept ?? ids;
    this.#deleted = new Set(this.#kept.filter((id) => deleted.has(id)));
    this.#oracle = this.#buildOracle();
    this.#engine = this.#buildEngine();
  }

  #buildEngine() {
    const documents = this.#kept.map((internalId): KeyedDocument => ({ internalId, json: this.#json(internalId) }));
    const isMerged = this.options.deletions === 'merged';
    const built = isMerged ? documents.filter(({ internalId }) => !this.#deleted.has(internalId)) : documents;
    const hidden = isMerged ? new Set<number>() : this.#deleted;
    const { settings } = this.#oracle;
    const patient = { ...settings, searchCutoffMs: settings.searchCutoffMs ?? CUTOFF_MS };
    return this.bench.index(patient, built, this.#spread, hidden, this.options.cacheBytes);
  }

  #buildOracle(): OracleIndex {
    const live = this.#kept.filter((id) => !this.#deleted.has(id)).map((id) => ({ internalId: id, json: this.#json(id) }));
    // what was built in stays a known field; what a merge leaves out was never met here
    const former = this.options.deletions === 'tombstones' ? this.#kept : [];
    const paths = former.flatMap((id) => [...pathsOf(parseJson(this.#json(id)) as JsonObject)]);
    return new OracleIndex(this.random.settings, live, paths);
  }

  #json(internalId: number): string {
    return this.random.documents[internalId] as string;
  }

  /**
   * Searches twice: what a search leaves behind for the next must not change the answer. A search in some attributes comes after
   * the same one in all, or before it.
   */
  compare(body: SearchBody): string[] {
    try {
      const { attributesToSearchOn, ...everywhere } = body;
      const twice = [body, body];
      const twiceEverywhere = attributesToSearchOn ? [everywhere, everywhere] : [];
      const isFirst = (body.q ?? '').length % 2 === 0;
      for (const each of isFirst ? [...twice, ...twiceEverywhere] : [...twiceEverywhere, ...twice]) {
        const found = differences(oracleOutcome(this.#oracle, each), engineOutcome(this.#engine, each));
        if (found.length > 0) return found;
      }
      return [];
    } catch (error) {
      return [`failed: ${(error as Error).stack}`];
    }
  }

  /** Reports a difference with as few documents, and as few searches before it, as still show it. */
  shrunk(before: readonly SearchBody[], body: SearchBody): string {
    const differs = (ids: readonly number[], searches: readonly SearchBody[]): boolean => {
      const sample = new Sample(this.bench, this.random, this.options, ids);
      for (const earlier of searches) sample.compare(earlier);
      return sample.compare(body).length > 0;
    };
    const first = differs(this.#kept, []) ? [] : smallest(before, (searches) => differs(this.#kept, searches));
    const ids = smallest(this.#kept, (kept) => differs(kept, first));
    return new Sample(this.bench, this.random, this.options, ids).#report(first, body);
  }

  #report(before: readonly SearchBody[], body: SearchBody): string {
    for (const earlier of before) this.compare(earlier);
    const documents = this.#kept
      .slice(0, MAX_REPORTED)
      .map((id) => `  ${this.#deleted.has(id) ? 'deleted ' : ''}${this.#json(id)}`);
    return [
      `seed ${this.random.seed} ${JSON.stringify(this.options)} ${JSON.stringify(this.#spread)}`,
      `settings ${JSON.stringify(this.random.settings)}`,
      `${this.#kept.length} documents\n${documents.join('\n')}`,
      ...before.map((earlier) => `after ${JSON.stringify(earlier)}`),
      `search ${JSON.stringify(body)}`,
      ...this.compare(body),
    ].join('\n');
  }
}

/** Drops runs of items as long as the rest still passes a test. */
function smallest<T>(items: readonly T[], passes: (items: readonly T[]) => boolean): readonly T[] {
  let kept = items;
  for (let size = Math.max(1, items.length >> 1); size >= 1; size >>= 1) {
    for (let from = 0; from < kept.length; ) {
      const fewer = kept.filter((_, k) => k < from || k >= from + size);
      if (passes(fewer)) kept = fewer;
      else from += size;
    }
  }
  return kept;
}
