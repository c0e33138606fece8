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
  /** Bitmap of the counted documents. */
  counted: number;
  /** Whether similarity affects the order; false when the ranking rules contain no relevancy rule. */
  byVector: boolean;
}

/** The members of a plan that ranking by vectors needs. */
export interface VectorPlan extends Pick<RankPlan, 'sort' | 'distinct' | 'needed'> {
  threshold: number | null;
  /** Number of hits up to the end of the page, which is the number of neighbours searched at a time. */
  pageEnd: number;
  /** Deadline on the engine's clock. */
  deadline: number;
}

/** Ranks the documents of a bitmap by vector similarity. Documents without a vector come last. */
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
    // Like the reference server, distinct only excludes duplicates of hits from the count, even in page mode.
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

  /** The documents of a bitmap by similarity; those below the threshold are removed from the count. */
  *#nearest(bitmap: number, before: readonly Step[]): Generator<SortedGroup> {
    const { reader, target, plan } = this;
    const { instance } = reader;
    const left = reader.copyOf(bitmap);
    // Documents excluded by distinct are not counted any more.
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
        reader.subtract(this.#counted, left);
        return;
      }
      if (next === null) {
        yield* sortedGroups(reader, left, this.#after, [...before, here]);
        return;
      }
      for (const slot of next.slots) removeMember(reader.instance, left, slot);
      if (isBelow) {
        // Later batches may contain nearer documents.
        for (const slot of next.slots) removeMember(reader.instance, this.#counted, slot);
        continue;
      }
      yield* this.#afterwards(next.slots, [...before, here]);
    }
  }

  /** Orders equally similar documents by the rules after the similarity. */
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
