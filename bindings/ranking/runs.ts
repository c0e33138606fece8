import { type EngineFunctions, SlotRange, Source, TermsExtent } from '../engine/exports.js';
import { bytesOfDocs, type IndexReader, type OpenSegment } from '../engine/segments.js';
import { keptResults } from './kept-results.js';
import { Scratch } from './scratch.js';

/** Terms [from, to) of one segment (its place among the segments of the index). */
export interface Run {
  segment: number;
  from: number;
  to: number;
}

/** Two runs of one segment, and whether the second may stand before the first. */
export type Pair = readonly [left: Run, right: Run, backward: boolean];

/** A cost of documents that hold words of a run. */
export interface Costing {
  /** Tells it from others. */
  name: string;
  /** Address of the documents by cost, of a source and with bitmaps of so many bytes; 0 when there is no room. */
  make(source: number, bytes: number): number;
}

/** What a member of a set of documents takes, at most. */
const BYTES_A_MEMBER = 4;
/** Terms from which a union of their documents is worth keeping. */
const CACHED_RUN = 128;

/**
 * Turns runs of terms into what the engine's ranking reads. Segments that live in another memory are projected: the postings of
 * the terms asked for are copied beside the rest of the query.
 */
export class Sources {
  readonly engine: EngineFunctions;
  readonly scratch: Scratch;

  constructor(readonly reader: IndexReader) {
    this.engine = reader.instance.exports;
    this.scratch = new Scratch(reader.instance);
    keptResults(reader.instance).begin();
  }

  /** Address of an array of Source, one a run. */
  pack(runs: readonly Run[]): number {
    return this.packEach([{ runs, within: 0 }]);
  }

  /** Like {@link pack}, for several lists of runs; `within`: bitmap of the documents that count, 0 for all. */
  packEach(lists: readonly { runs: readonly Run[]; within: number }[]): number {
    const sources = lists.flatMap(({ runs, within }) => runs.map((run) => ({ ...this.#place(run), within })));
    return this.reader.instance.putStructures(Source, sources);
  }

  #place(run: Run): { view: number; base: number; from: number; to: number } {
    const segment = this.reader.segments[run.segment] as OpenSegment;
    if (segment.instance === this.reader.instance) return { view: segment.view, base: segment.base, from: run.from, to: run.to };
    const { from, to } = run;
    const view = this.scratch.cached(`terms ${run.segment} ${from} ${to}`, () => projectTerms(this.reader, segment, from, to));
    return { view, base: segment.base, from: 0, to: to - from };
  }

  /** Adds to a bitmap the documents that hold a word of the runs. */
  orInto(runs: readonly Run[], bitmap: number, check: { attributes: number; restricted: boolean; tolerantOnly: boolean }): void {
    if (runs.length === 0) return;
    const plain: Run[] = [];
    for (const run of runs) {
      if (check.restricted || check.tolerantOnly || run.to - run.from < CACHED_RUN || !this.#orCached(run, bitmap))
        plain.push(run);
    }
    if (plain.length === 0) return;
    const { attributes, restricted, tolerantOnly } = check;
    this.engine.sourcesOrInto(this.pack(plain), plain.length, bitmap, attributes, restricted, tolerantOnly);
  }

  /** The union of a long run, kept or made; false when the segment lives elsewhere. */
  #orCached(run: Run, bitmap: number): boolean {
    const { instance, segments } = this.reader;
    const segment = segments[run.segment] as OpenSegment;
    if (segment.instance !== instance) return false;
    const bytes = bytesOfDocs(segment.ref.docCount);
    const union = this.#kept(`union ${segment.ref.id}:${run.from}:${run.to}`, bytes, (made) => {
      this.engine.sourcesOrInto(this.#packLocal(run), 1, made, 0, false, false);
    });
    this.engine.bitmapOr(bitmap + segment.base / 8, union, bytes);
    return true;
  }

  /** Documents of a run by cost: address for {@link spread}, 0 when there is no room. */
  costSets(run: Run, costing: Costing): number {
    const { docCount } = this.#segment(run).ref;
    const bytes = bytesOfDocs(docCount);
    const about = () => BYTES_A_MEMBER * Math.min(docCount, this.postingsOf(run));
    return keptResults(this.reader.instance).own(this.#costKey(run, costing), about, () =>
      this.reader.instance.scoped(() => costing.make(this.#packLocal(run), bytes)),
    );
  }

  /** Are the documents of a run kept by cost, or worth it by now, where `postings` would be read without them? */
  areCostSetsEarned(run: Run, costing: Costing, postings: number): boolean {
    return keptResults(this.reader.instance).isEarned(this.#costKey(run, costing), () => this.postingsOf(run), postings);
  }

  #costKey(run: Run, { name }: Costing): string {
    return `${name} ${this.#segment(run).ref.id}:${run.from}:${run.to}`;
  }

  /** Adds the documents of one cost to a bitmap over slots; `run` says in which segment. Answers how many they are. */
  spread(run: Run, sets: number, cost: number, bitmap: number): number {
    return this.engine.spreadCostSet(sets, cost, bitmap + this.#segment(run).base / 8);
  }

  /** Postings of the terms of a run. */
  postingsOf(run: Run): number {
    const segment = this.#segment(run);
    return segment.instance.exports.runPostings(segment.view, run.from, run.to);
  }

  /** Are all segments where what is kept of them can be read? */
  get inOneMemory(): boolean {
    const { segments, instance } = this.reader;
    return segments.every((segment) => segment.instance === instance);
  }

  /** Tells the segments from others: what is kept of all of them belongs to these. */
  get segmentsKey(): string {
    return this.reader.segments.map(({ ref }) => ref.id).join(' ');
  }

  /** Can costs of pairs be kept: does proximity count words? */
  get canKeepPairs(): boolean {
    return this.reader.view.settings.proximityPrecision === 'byWord' && this.inOneMemory;
  }

  /** Documents by how near words of a pair stand: address for {@link spread}, 0 when there is no room. */
  pairSets(pair: Pair): number {
    const [left, right, backward] = pair;
    const bytes = bytesOfDocs(this.#segment(left).ref.docCount);
    return keptResults(this.reader.instance).own(
      this.pairKey(pair),
      () => bytes,
      () =>
        this.reader.instance.scoped(() => this.engine.pairSets(this.#packLocal(left), this.#packLocal(right), bytes, backward)),
    );
  }

  /** Are the sets of all these pairs kept by now: worth it, where `postings` would be read without them, and is there room? */
  keepsPairSets(pairs: readonly Pair[], postings: number): boolean {
    // each pair gathers what it would have saved, whatever the others did
    const earned = pairs.filter((pair) => this.#isPairEarned(pair, postings));
    return earned.length === pairs.length && pairs.every((pair) => this.pairSets(pair) !== 0);
  }

  #isPairEarned(pair: Pair, postings: number): boolean {
    const price = () => this.postingsOf(pair[0]) + this.postingsOf(pair[1]);
    return keptResults(this.reader.instance).isEarned(this.pairKey(pair), price, postings);
  }

  /** Tells a pair from others. */
  pairKey([left, right, backward]: Pair): string {
    return `pair ${this.#segment(left).ref.id}:${left.from}:${left.to} ${right.from}:${right.to} ${backward ? 1 : 0}`;
  }

  #segment(run: Run): OpenSegment {
    return this.reader.segments[run.segment] as OpenSegment;
  }

  /** A source of one run in the numbers of its own segment. */
  #packLocal(run: Run): number {
    const { from, to } = run;
    return this.reader.instance.putStructures(Source, [{ view: this.#segment(run).view, base: 0, from, to, within: 0 }]);
  }

  /** A result of zeroed bytes that a job fills: kept with the instance, or for this query alone when there is no room. */
  #kept(key: string, bytes: number, make: (at: number) => void): number {
    const kept = keptResults(this.reader.instance).result(key, bytes, make);
    if (kept !== 0) return kept;
    return this.scratch.cached(key, () => {
      const at = this.engine.allocZeroed(bytes);
      make(at);
      return at;
    });
  }
}

/** Copies the postings of the terms [from, to) of a segment into the memory of the query; answers a view that numbers them from 0. */
function projectTerms(reader: IndexReader, segment: OpenSegment, from: number, to: number): number {
  const { instance } = reader;
  const foreign = segment.instance;
  const count = to - from;
  const extent = foreign.read(TermsExtent, foreign.exports.termsExtent(segment.view, from, to));
  const copy = (pointer: number, bytes: number): number => instance.put(foreign.bytes.subarray(pointer, pointer + bytes));
  return instance.exports.viewOfTerms(
    segment.ref.docCount,
    count,
    copy(extent.flags, count),
    copy(extent.docFreqs, count * 4),
    copy(extent.starts, count * 4),
    copy(extent.postings, extent.postingsEnd - extent.postings),
  );
}

/** Word counts of every segment, for the exact-attribute rule: address of a SlotRange[]. */
export function packWordCounts(reader: IndexReader): number {
  const { instance, segments } = reader;
  const ranges = segments.map((segment) => ({
    base: segment.base,
    view: segment.instance === instance ? segment.view : projectWordCounts(reader, segment),
  }));
  return instance.putStructures(SlotRange, ranges);
}

function projectWordCounts(reader: IndexReader, segment: OpenSegment): number {
  const { instance } = reader;
  const foreign = segment.instance;
  const starts = foreign.exports.wordCountStartsOf(segment.view);
  const entries = foreign.exports.wordCountEntriesOf(segment.view);
  const { docCount } = segment.ref;
  const entryCount = foreign.u32(starts, docCount + 1)[docCount] as number;
  const copy = (pointer: number, bytes: number): number => instance.put(foreign.bytes.subarray(pointer, pointer + bytes));
  return instance.exports.viewOfWordCounts(copy(starts, (docCount + 1) * 4), copy(entries, entryCount * 4));
}
