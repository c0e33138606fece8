import { addMember, hasMember, removeMember } from '../../engine/bitmaps.js';
import type { IndexReader } from '../../engine/segments.js';
import type { RankedHit } from '../../ranking/ranked.js';
import { isSorting, rulesOf, type SortRule } from '../../ranking/rules.js';
import type { Step } from '../../ranking/step.js';
import type { RankPlan } from '../plan.js';
import { DistinctValues } from './distinct-values.js';
import { type SortedGroup, sortedGroups } from './sorted.js';
import { shifted, type VectorTarget } from './target.js';
import { NearestInTurn, type Ordinals, ordinalsOf } from './vector-lists.js';

export interface VectorAnswer {
  hits: RankedHit[];
  /** Bitmap of the documents that the answer counts. */
  counted: number;
  /** The similarity decides about the order somewhere: else the ranking rules name nothing that is about relevancy. */
  byVector: boolean;
}

/** What of a plan a ranking by vectors needs. */
export interface VectorPlan extends Pick<RankPlan, 'sort' | 'distinct' | 'needed'> {
  threshold: number | null;
  /** Hits from the first rank to the end of the page: so many neighbours are looked for in a turn. */
  pageEnd: number;
  /** When the search has to end, by the clock of the engine. */
  deadline: number;
}

/** Ranks the documents of a bitmap by how near their vectors are. Documents without a vector come last. */
export function rankVectors(reader: IndexReader, filtered: number, plan: VectorPlan, target: VectorTarget): VectorAnswer {
  return new VectorRanking(reader, filtered, plan, target).run();
}

class VectorRanking {
  readonly #before: SortRule[] = [];
  readonly #after: SortRule[] = [];
  readonly #byVector: boolean;
  readonly #counted: number;
  readonly #ordinals: Ordinals | null;

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
    this.#ordinals = this.#byVector ? ordinalsOf(reader, target.embedder) : null;
    this.#counted = reader.copyOf(filtered);
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
    // in page mode too distinct takes out only what shares a value with a hit: so the reference counts
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
    const { instance } = reader;
    const left = reader.copyOf(bitmap);
    // what distinct has taken out is not counted any more
    const isLeft = (slot: number) => hasMember(instance, left, slot) && hasMember(instance, this.#counted, slot);
    const documents = new NearestInTurn(reader, target, bitmap, this.#ordinals, plan.pageEnd, plan.deadline);
    for (;;) {
      const next = documents.next(isLeft);
      const here: Step = {
        rule: { kind: 'vector', target: target.vector },
        similarity: next && shifted(next.similarity, target.distribution),
      };
      const isBelow = this.#isBelow(here);
      if (isBelow && (next === null || next.beginsTurn)) {
        instance.exports.bitmapAndNot(this.#counted, left, reader.bitmapBytes);
        return;
      }
      if (next === null) {
        yield* sortedGroups(reader, left, this.#after, [...before, here]);
        return;
      }
      for (const slot of next.slots) removeMember(reader.instance, left, slot);
      if (isBelow) {
        // later turns may have nearer ones
        for (const slot of next.slots) removeMember(reader.instance, this.#counted, slot);
        continue;
      }
      yield* this.#afterwards(next.slots, [...before, here]);
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

  #bitmapOf(slots: readonly number[]): number {
    const bitmap = this.reader.newBitmap();
    for (const slot of slots) addMember(this.reader.instance, bitmap, slot);
    return bitmap;
  }
}
