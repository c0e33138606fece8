import type { Rule } from './rules.js';

/** What one rule said of a document. */
export interface Step {
  rule: Rule | { kind: 'skipped' } | { kind: 'pin'; position: number } | { kind: 'vector'; target: Float32Array };
  /** Rank of the rule, higher is better; absent for rules that give values. */
  rank?: number;
  max?: number;
  value?: number | string | null;
  point?: { lat: number; lng: number } | null;
  distance?: number | null;
  /** To the vector of the search; null: the document has none. */
  similarity?: number | null;
}
