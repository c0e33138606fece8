import type { LiveInterpretations } from './graph.js';
import type { PositionContext } from './positions.js';
import type { Rule } from './rules.js';

/** What one rule said of a document. */
export interface Step {
  rule: Rule | { kind: 'skipped' } | { kind: 'pin'; position: number };
  /** Rank of the rule, higher is better; absent for rules that give values. */
  rank?: number;
  max?: number;
  value?: number | string | null;
  point?: { lat: number; lng: number } | null;
  distance?: number | null;
}

/** Documents that the rules so far hold for equal, best bucket first. */
export interface Bucket {
  /** Bitmap over slots. */
  bitmap: number;
  count: number;
  live: LiveInterpretations;
  /** Occurrences read for a bucket that holds this one. */
  context: PositionContext | null;
  /** null for the bucket of all candidates. */
  step: Step | null;
}

/** Some documents of a bucket. Written out, since objects that are spread have a hidden class of their own. */
export function partOf({ live, context }: Bucket, bitmap: number, count: number, step: Step | null): Bucket {
  return { bitmap, count, live, context, step };
}
