import type { IndexReader } from '../../engine/segments.js';
import { type Neighbour, nearest } from '../../engine/vectors.js';
import type { RankedHit } from '../../ranking/ranked.js';
import { isSorting, rulesOf, type SortRule } from '../../ranking/rules.js';
import type { Step } from '../../ranking/step.js';
import type { RankPlan } from '../plan.js';
import { inOrder, type SortedGroup, sortedGroups, valuesOf } from './sorted.js';
import { shifted, type VectorTarget } from './target.js';

export interface VectorAnswer {
  hits: RankedHit[];
  /** Bitmap of the documents that the answer counts. */
  counted: number;
  /** The similarity decides about the order somewhere: else the ranking rules name nothing that is about relevancy. */
  byVector: boolean;
}

/** What of a plan a ranking by vectors needs. */
export interface VectorPlan extends Pick<RankPlan, 'sort' | 'distinct' | 'needed' | 'exhaustive'> {
  threshold: number | null;
  /** Is the time for ranking over? */
  expired(): boolean;
}

/** Neighbours looked for at first; more when they turn out to be too few. */
const FIRST_NEIGHBOURS = 64;

/** Ranks the documents of a bitmap by how near their vectors are. Documents without a vector come last. */
export function rankVectors(reader: IndexReader, filtered: number, plan: VectorPlan, target: VectorTarget): VectorAnswer {
  return new VectorRanking(reader, filtered, plan, target).run();
}

class VectorRanking {
  readonly #before: SortRule[] = [];
  readonly #after: SortRule[] = [];
  readonly #byVector: boolean;
  readonly #counted: number;

  constructor(
    private readonly reader: IndexReader,
    private readonly filtered: number,
    private readonly plan: VectorPlan,
    private readonly target: VectorTarget,
  ) {
    const rules = rulesOf(reader.view, plan.sort, 'last');
    const place = rules.findIndex((rule) => !isSorting(rule));
    for (const [index, rule] of rules.entries()) {
      if (isSorting(rule)) (place >= 0 && index > place ? this.#after : this.#before).push(rule);
    }
    this.#byVector = place >= 0;
    this.#counted = reader.newBitmap();
    reader.instance.exports.bitmapCopy(this.#counted, filtered, reader.bitmapBytes);
  }

  run(): VectorAnswer {
    const { plan } = this;
    const hits: RankedHit[] = [];
    const distinct = plan.distinct === null ? null : new DistinctValues(this.reader, plan.distinct, this.filtered);
    if (plan.needed > 0) {
      for (const { slots, steps } of this.#groups()) {
        for (const slot of slots) {
          if (hits.length >= plan.needed && !distinct) break;
          if (!distinct || distinct.take(slot, this.#counted)) hits.push({ slot, steps });
        }
        if (hits.length >= plan.needed) break;
      }
    }
    if (distinct && plan.exhaustive) distinct.countAll(this.#counted);
    return { hits: hits.slice(0, plan.needed), counted: this.#counted, byVector: this.#byVector };
  }

  *#groups(): Generator<SortedGroup> {
    if (!this.#byVector) {
      yield* sortedGroups(this.reader, this.filtered, this.#before);
      return;
    }
    if (this.#before.length === 0) {
      yield* this.#nearest(this.filtered, []);
      return;
    }
    for (const { slots, steps } of sortedGroups(this.reader, this.filtered, this.#before)) {
      yield* this.#nearest(this.#bitmapOf(slots), steps);
    }
  }

  /** The documents of a bitmap by similarity; those below the threshold are no longer counted. */
  *#nearest(bitmap: number, before: readonly Step[]): Generator<SortedGroup> {
    const { reader, target, plan } = this;
    const engine = reader.instance.exports;
    const count = engine.bitmapCount(bitmap, reader.bitmapBytes);
    const step = (similarity: number | null): Step => ({
      rule: { kind: 'vector', target: target.vector },
      similarity: similarity === null ? null : shifted(similarity, target.distribution),
    });
    let taken = 0;
    for (let k = Math.min(count, Math.max(plan.needed, FIRST_NEIGHBOURS)); taken < count; k = Math.min(count, k * 4)) {
      const { found, complete } = nearest(reader, target.embedder, target.vector, k, bitmap, { expired: plan.expired });
      const isAll = found.length < k || k === count || !complete;
      // what equals the last one may go on beyond it
      const settled = isAll ? found.length : beforeTies(found);
      for (let at = taken; at < settled; ) {
        const similarity = (found[at] as Neighbour).similarity;
        let end = at;
        while (end < settled && (found[end] as Neighbour).similarity === similarity) end++;
        const here = step(similarity);
        if (this.#isBelow(here)) return this.#leaveOut(bitmap, found.slice(0, at));
        yield* this.#afterwards(
          found.slice(at, end).map(({ slot }) => slot),
          [...before, here],
        );
        at = end;
      }
      taken = settled;
      if (!isAll) continue;
      const here = step(null);
      if (this.#isBelow(here)) return this.#leaveOut(bitmap, found);
      const rest = this.#without(bitmap, found);
      yield* sortedGroups(reader, rest, this.#after, [...before, here]);
      return;
    }
  }

  /** Equals by the rules after the vector. */
  *#afterwards(slots: readonly number[], steps: readonly Step[]): Generator<SortedGroup> {
    if (slots.length === 1 && this.#after.length === 0) yield { slots, steps };
    else yield* sortedGroups(this.reader, this.#bitmapOf(slots), this.#after, steps);
  }

  #isBelow({ similarity }: Step): boolean {
    const { threshold } = this.plan;
    return threshold !== null && (similarity ?? 0) < threshold;
  }

  #leaveOut(bitmap: number, kept: readonly Neighbour[]): void {
    const { reader } = this;
    reader.instance.exports.bitmapAndNot(this.#counted, this.#without(bitmap, kept), reader.bitmapBytes);
  }

  #without(bitmap: number, found: readonly Neighbour[]): number {
    const { reader } = this;
    const engine = reader.instance.exports;
    const rest = reader.newBitmap();
    engine.bitmapCopy(rest, bitmap, reader.bitmapBytes);
    engine.bitmapAndNot(rest, this.#bitmapOf(found.map(({ slot }) => slot)), reader.bitmapBytes);
    return rest;
  }

  #bitmapOf(slots: readonly number[]): number {
    const bitmap = this.reader.newBitmap();
    for (const slot of slots) this.reader.instance.exports.bitmapAdd(bitmap, slot);
    return bitmap;
  }
}

/** How many come before those that equal the last one. */
function beforeTies(found: readonly Neighbour[]): number {
  let end = found.length;
  while (end > 0 && (found[end - 1] as Neighbour).similarity === (found.at(-1) as Neighbour).similarity) end--;
  return end;
}

/** Keeps one document of each value of a field. */
export class DistinctValues {
  readonly #taken = new Set<number | string>();
  readonly #holders = new Map<number | string, number[]>();
  readonly #values: (slot: number) => readonly (number | string)[];

  constructor(
    private readonly reader: IndexReader,
    path: string,
    universe: number,
  ) {
    this.#values = valuesOf(reader, path);
    for (const slot of inOrder(reader, universe)) {
      for (const value of this.#values(slot)) {
        const holders = this.#holders.get(value);
        if (holders) holders.push(slot);
        else this.#holders.set(value, [slot]);
      }
    }
  }

  /** Takes a document unless one with the same value was taken before; the others of its values are no longer counted. */
  take(slot: number, counted: number): boolean {
    const values = this.#values(slot);
    if (values.some((value) => this.#taken.has(value))) return false;
    for (const value of values) {
      this.#taken.add(value);
      for (const other of this.#holders.get(value) ?? []) if (other !== slot) clear(this.reader, counted, other);
    }
    return true;
  }

  /** Leaves one document of each value among all that are counted, in internal order. */
  countAll(counted: number): void {
    const seen = new Set<number | string>();
    for (const slot of inOrder(this.reader, counted)) {
      const values = this.#values(slot);
      if (values.some((value) => seen.has(value))) clear(this.reader, counted, slot);
      else for (const value of values) seen.add(value);
    }
  }
}

function clear({ instance: { bytes } }: IndexReader, bitmap: number, slot: number): void {
  const at = bitmap + (slot >>> 3);
  bytes[at] = (bytes[at] as number) & ~(1 << (slot & 7));
}
