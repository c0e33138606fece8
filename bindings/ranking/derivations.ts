import { TypoTerms } from '../engine/exports.js';
import type { OpenSegment } from '../engine/segments.js';
import { byteLength } from '../engine/utf8.js';
import type { IndexView } from '../index-types.js';
import type { AttributeTable } from './attributes.js';
import { matchPhrase } from './phrases.js';
import type { Run, Sources } from './runs.js';

export const MAX_WORD_BYTES = 250;
const MAX_PREFIXES = 1000;
const MAX_ONE_TYPO = 150;
const MAX_TWO_TYPOS = 50;
/** A prefix of at most so many bytes that so many dictionary words share has no limit of derivations. */
const SHORT_PREFIX_BYTES = 4;
const SHORT_PREFIX_WORDS = 100;
/** Which words are counted: those on the tolerant side of a live document, or all live ones. */
const MAX_REMEMBERED = 20_000;

/** Words of the index that stand for a word of the query, by class (number of typos charged). */
export interface Derivations {
  /** The word itself; empty when no live document holds it. */
  exact: Run[];
  /** Other words that start with it (prefix terms only). */
  prefixes: Run[];
  /** There is no limit to them, and proximity treats them as one. */
  prefixIndexed: boolean;
  one: Run[];
  two: Run[];
  /** The best cut into two words that stand side by side somewhere. */
  split: [string, string] | null;
}

/** What words derive to in one state of an index: kept until the index changes. */
const remembered = new WeakMap<IndexView, Map<string, Derivations>>();

/** Looks words up in all the segments of an index together: limits and order are those of the whole index. */
export class Dictionary {
  readonly #memory: Map<string, Derivations>;

  constructor(
    readonly sources: Sources,
    readonly attributes: AttributeTable,
  ) {
    const { view } = sources.reader;
    this.#memory = remembered.get(view) ?? new Map();
    remembered.set(view, this.#memory);
  }

  /** `typed`: the words that a joined word was made of, else the word alone. */
  derive(typed: readonly string[], prefix: boolean, budget: number): Derivations {
    const { attributes } = this;
    const byAttribute = this.#byAttribute && attributes.restricted;
    const key = `${typed.join('\u0001')}\u0000${prefix ? 1 : 0}${budget}${typed.length > 1 ? 'n' : ''}`;
    // splits depend on the searched attributes in this one case
    const known = byAttribute ? undefined : this.#memory.get(key);
    if (known) return known;
    const text = typed.join('');
    const derivations: Derivations = {
      exact: this.find(text),
      prefixes: [],
      prefixIndexed: false,
      one: [],
      two: [],
      split: this.#split(text, typed),
    };
    if (prefix) this.#prefixes(text, derivations);
    if (budget > 0) this.#typos(text, budget, prefix, derivations);
    if (!byAttribute) {
      if (this.#memory.size >= MAX_REMEMBERED) this.#memory.clear();
      this.#memory.set(key, derivations);
    }
    return derivations;
  }

  get #byAttribute(): boolean {
    return this.sources.reader.view.settings.proximityPrecision === 'byAttribute';
  }

  /** A word of a live document, in each segment that has it. */
  find(text: string): Run[] {
    const runs: Run[] = [];
    this.#each(text, (segment, number, pointer, length) => {
      const { instance } = segment;
      const term = instance.exports.termFind(segment.view, pointer, length);
      if (term < 0) return;
      if (segment.ref.tombstones && !instance.exports.termIsLive(segment.view, term, segment.ref.tombstones)) return;
      runs.push({ segment: number, from: term, to: term + 1 });
    });
    return runs;
  }

  /** Texts of the terms of some runs, ascending and without doubles. */
  texts(runs: readonly Run[]): string[] {
    const found = new Set<string>();
    for (const run of runs) for (let term = run.from; term < run.to; term++) found.add(this.#text(run.segment, term));
    return [...found].sort(compareBytes);
  }

  #text(number: number, term: number): string {
    const segment = this.sources.reader.segments[number] as OpenSegment;
    const { instance, view } = segment;
    return instance.text(instance.exports.termBegin(view, term), instance.exports.termLength(view, term));
  }

  #each(text: string, job: (segment: OpenSegment, number: number, pointer: number, length: number) => void): void {
    const bytes = byteLength(text);
    if (bytes > MAX_WORD_BYTES || bytes === 0) return;
    for (const [number, segment] of this.sources.reader.segments.entries()) {
      segment.instance.scoped(() => job(segment, number, segment.instance.putText(text).pointer, bytes));
    }
  }

  #prefixes(text: string, derivations: Derivations): void {
    const ranges: Run[] = [];
    this.#each(text, (segment, number, pointer, length) => {
      const { instance, view } = segment;
      const count = instance.exports.termCountOf(view);
      const from = instance.exports.prefixStart(view, pointer, length, 0, count);
      const to = instance.exports.prefixEnd(view, pointer, length, from, count);
      if (from < to) ranges.push({ segment: number, from, to });
    });
    const bytes = byteLength(text);
    derivations.prefixIndexed =
      bytes <= SHORT_PREFIX_BYTES && this.#sharedBy(ranges, true, SHORT_PREFIX_WORDS) >= SHORT_PREFIX_WORDS;
    for (const range of ranges) {
      // the word itself, when it is there, is the first of its range
      const segment = this.sources.reader.segments[range.segment] as OpenSegment;
      const from = this.#length(segment, range.from) === bytes ? range.from + 1 : range.from;
      if (from < range.to) derivations.prefixes.push({ ...range, from });
    }
    if (!derivations.prefixIndexed) derivations.prefixes = this.#firstLive(derivations.prefixes, MAX_PREFIXES);
  }

  #length(segment: OpenSegment, term: number): number {
    return segment.instance.exports.termLength(segment.view, term);
  }

  /** How many different live words the ranges hold, counted up to a limit. */
  #sharedBy(ranges: readonly Run[], isTolerant: boolean, limit: number): number {
    let most = 0;
    let sum = 0;
    for (const { segment: number, from, to } of ranges) {
      const count = this.#withKinds(number, (kinds, { instance, view, ref }) =>
        instance.exports.liveTerms(view, from, to, isTolerant, ref.tombstones, kinds, limit),
      );
      most = Math.max(most, count);
      sum += count;
    }
    if (most >= limit || sum < limit || ranges.length === 1) return Math.max(most, ranges.length === 1 ? sum : 0);
    const words = new Set<string>();
    for (const run of ranges) for (const term of this.#liveIn(run, isTolerant, limit)) words.add(this.#text(run.segment, term));
    return words.size;
  }

  /** Live terms of a run, ascending, the first `limit`. */
  #liveIn(run: Run, isTolerant: boolean, limit: number): number[] {
    return this.#withKinds(run.segment, (kinds, { instance, view, ref }) => {
      const terms: number[] = [];
      for (let term = run.from; term < run.to && terms.length < limit; term++) {
        if (instance.exports.liveTerms(view, term, term + 1, isTolerant, ref.tombstones, kinds, 1)) terms.push(term);
      }
      return terms;
    });
  }

  /** Runs a job on a segment with the kinds of attributes in its memory: 0 where nothing is deleted, since flags tell all then. */
  #withKinds<T>(number: number, job: (kinds: number, segment: OpenSegment) => T): T {
    const { reader } = this.sources;
    const segment = reader.segments[number] as OpenSegment;
    if (!segment.ref.tombstones) return job(0, segment);
    const { kinds } = this.attributes;
    if (segment.instance === reader.instance) return job(kinds, segment);
    const copied = reader.instance.bytes.subarray(kinds, kinds + reader.view.fields.length);
    return segment.instance.scoped(() => job(segment.instance.put(copied), segment));
  }

  /** Cuts runs of several segments to the first `limit` live words in byte order. */
  #firstLive(runs: readonly Run[], limit: number): Run[] {
    const size = runs.reduce((sum, run) => sum + run.to - run.from, 0);
    if (size <= limit) return [...runs];
    return this.#cut(
      runs.map((run) => ({ segment: run.segment, terms: this.#liveIn(run, false, limit) })),
      limit,
    );
  }

  /** The first `limit` different words of lists of terms, in byte order, as runs. */
  #cut(lists: readonly { segment: number; terms: readonly number[] }[], limit: number): Run[] {
    const words = lists.flatMap(({ segment, terms }) =>
      terms.map((term) => ({ segment, term, text: this.#text(segment, term) })),
    );
    words.sort((a, b) => compareBytes(a.text, b.text));
    const kept: { segment: number; term: number }[] = [];
    let different = 0;
    let last: string | null = null;
    for (const word of words) {
      if (word.text !== last) {
        if (different === limit) break;
        different++;
        last = word.text;
      }
      kept.push(word);
    }
    return toRuns(kept);
  }

  #typos(text: string, budget: number, prefix: boolean, derivations: Derivations): void {
    const one: { segment: number; terms: number[] }[] = [];
    const two: { segment: number; terms: number[] }[] = [];
    this.#each(text, (segment, number, pointer, length) => {
      const { instance, view, ref } = segment;
      this.#withKinds(number, (kinds) => {
        const word = [pointer, length, budget, prefix] as const;
        const found = instance.exports.typoTerms(view, ref.tombstones, kinds, ...word, MAX_ONE_TYPO, MAX_TWO_TYPOS);
        const { oneTerms, oneCount, twoTerms, twoCount } = instance.read(TypoTerms, found);
        one.push({ segment: number, terms: [...instance.u32(oneTerms, oneCount)] });
        two.push({ segment: number, terms: [...instance.u32(twoTerms, twoCount)] });
      });
    });
    derivations.one = this.#limited(one, MAX_ONE_TYPO);
    derivations.two = this.#limited(two, MAX_TWO_TYPOS);
  }

  #limited(lists: { segment: number; terms: number[] }[], limit: number): Run[] {
    const filled = lists.filter(({ terms }) => terms.length > 0);
    const size = filled.reduce((sum, { terms }) => sum + terms.length, 0);
    const runs =
      size > limit
        ? this.#cut(filled, limit)
        : toRuns(filled.flatMap(({ segment, terms }) => terms.map((term) => ({ segment, term }))));
    const { segments, view } = this.sources.reader;
    if (segments.length === 1 || view.settings.typoTolerance.disableOnAttributes.length === 0) return runs;
    // a word that tolerates typos in one segment counts in all of them, even where it stands in exact attributes alone
    return toRuns(this.texts(runs).flatMap((text) => this.find(text).map(({ segment, from }) => ({ segment, term: from }))));
  }

  /** The cut whose halves stand side by side in most documents; the shortest left half wins a tie. */
  #split(text: string, typed: readonly string[]): [string, string] | null {
    const points = [...text];
    if (points.length < 2 || byteLength(text) > MAX_WORD_BYTES) return null;
    const cuts: { left: string; right: string; leftRuns: Run[]; rightRuns: Run[] }[] = [];
    for (let at = 1; at < points.length; at++) {
      const left = points.slice(0, at).join('');
      const right = points.slice(at).join('');
      // the right half is the longer one at first, and the rarer
      const rightRuns = this.find(right);
      if (rightRuns.length === 0) continue;
      const leftRuns = this.find(left);
      if (leftRuns.length > 0) cuts.push({ left, right, leftRuns, rightRuns });
    }
    const isOwn = (cut: { left: string; right: string }): boolean =>
      typed.length === 2 && cut.left === typed[0] && cut.right === typed[1];
    if (cuts.every(isOwn)) return null;
    let most = 0;
    let best: [string, string] | null = null;
    for (const cut of cuts) {
      const documents = this.#adjacent(cut.leftRuns, cut.rightRuns);
      if (documents <= most) continue;
      most = documents;
      best = isOwn(cut) ? null : [cut.left, cut.right];
    }
    return best;
  }

  /** Number of live documents where the right word directly follows the left one. */
  #adjacent(left: Run[], right: Run[]): number {
    const { reader, scratch, engine } = this.sources;
    const mark = scratch.mark();
    // words that stand side by side do so for every search, whichever attributes it looks at
    const attributes = { ...this.attributes, restricted: this.#byAttribute && this.attributes.restricted };
    const matched = matchPhrase(this.sources, attributes, [left, right], reader.liveBitmap());
    const documents = matched === 0 ? 0 : engine.bitmapCount(matched, reader.bitmapBytes);
    scratch.release(mark);
    return documents;
  }
}

/** Joins neighbouring terms. */
function toRuns(terms: readonly { segment: number; term: number }[]): Run[] {
  const sorted = [...terms].sort((a, b) => a.segment - b.segment || a.term - b.term);
  const runs: Run[] = [];
  for (const { segment, term } of sorted) {
    const last = runs[runs.length - 1];
    if (last && last.segment === segment && last.to === term) last.to++;
    else runs.push({ segment, from: term, to: term + 1 });
  }
  return runs;
}

/** Order of the UTF-8 bytes of two texts, which is that of their code points. */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    let x = a.charCodeAt(i);
    let y = b.charCodeAt(i);
    if (x === y) continue;
    // surrogates stand for the code points after all others
    if (x >= 0xd800 && x < 0xe000) x += 0x10000;
    if (y >= 0xd800 && y < 0xe000) y += 0x10000;
    return x - y;
  }
  return a.length - b.length;
}
