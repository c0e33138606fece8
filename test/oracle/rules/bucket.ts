import type { IndexedDocument } from '../corpus.js';
import type { QueryGraph } from '../graph.js';
import { type Interpretation, interpretationKey, type Live, stateKey } from '../state.js';

/** Documents that are equal on every rule so far, and the interpretations alive among them. */
export interface Bucket {
  documents: readonly IndexedDocument[];
  live: Live;
}

/** A bucket a ranking rule made, with its rank out of the maximum of the bucket it was cut from. */
export interface RankedBucket extends Bucket {
  rank: number;
  max: number;
}

export interface RuleContext {
  graph: QueryGraph;
  /** Documents excluded by distinct: no interpretation gets them. */
  lost: ReadonlySet<IndexedDocument>;
}

/** A way in which a document satisfies an interpretation, and its cost. */
export interface Reading {
  cost: number;
  /** The choice at each node; smaller ones come first. */
  choices: number[];
  /** The interpretation as later rules see it. */
  next: Interpretation;
}

export interface Variant extends Reading {
  interpretation: Interpretation;
  index: number;
}

/** Is one variant visited before another: node by node where they share them, else in the order of their interpretations. */
export function isVisitedBefore(a: Variant, b: Variant, live: Live): boolean {
  for (const [k, choice] of a.choices.entries()) {
    const [own, other] = [a.interpretation[k], b.interpretation[k]];
    if (!own || !other) break;
    if (live.isInitial ? stateKey(own) !== stateKey(other) : a.index !== b.index) break;
    if (choice !== b.choices[k]) return choice < (b.choices[k] as number);
  }
  return a.index < b.index;
}

/** The variant a document takes: the cheapest, and of those the first visited. */
export function cheapestVariant(live: Live, read: (interpretation: Interpretation) => Reading | null): Variant | null {
  let best: Variant | null = null;
  for (const [index, interpretation] of live.interpretations.entries()) {
    const reading = read(interpretation);
    if (!reading) continue;
    const variant = { ...reading, interpretation, index };
    if (!best || variant.cost < best.cost || (variant.cost === best.cost && isVisitedBefore(variant, best, live))) best = variant;
  }
  return best;
}

/**
 * Cuts a bucket by cost. Every document is assigned to its variant; the variants of the documents of one cost are the live
 * interpretations of their bucket. `max` - cost is the rank.
 */
export function* bucketsByCost(
  bucket: Bucket,
  context: RuleContext,
  max: number,
  choose: (document: IndexedDocument) => Variant | null,
): Generator<RankedBucket> {
  const assigned = bucket.documents.flatMap((document) => {
    const variant = choose(document);
    return variant ? [{ document, variant }] : [];
  });
  const costs = new Set(assigned.map(({ variant }) => variant.cost));
  for (const cost of [...costs].sort((a, b) => a - b)) {
    // read when the bucket is asked for: documents may have been lost since
    const own = assigned.filter(({ document, variant }) => variant.cost === cost && !context.lost.has(document));
    if (own.length === 0) continue;
    const distinct = new Map(own.map(({ variant }) => [`${variant.index} ${variant.choices.join()}`, variant]));
    const visited = [...distinct.values()].sort((a, b) => (isVisitedBefore(a, b, bucket.live) ? -1 : 1));
    const interpretations = new Map<string, Interpretation>();
    for (const { next } of visited) {
      if (!interpretations.has(interpretationKey(next))) interpretations.set(interpretationKey(next), next);
    }
    const live = { interpretations: [...interpretations.values()], isInitial: false };
    yield { documents: own.map(({ document }) => document), live, rank: max - cost, max };
  }
}

export const sum = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0);

/** The greatest cost an interpretation of the bucket can have. */
export function greatestCost(live: Live, cost: (interpretation: Interpretation) => number): number {
  return Math.max(0, ...live.interpretations.map(cost));
}
