import type { Rule } from './rules.js';

/** The result of one rule for a document. */
export interface Step {
  rule: Rule | { kind: 'skipped' } | { kind: 'pin'; position: number };
  /** Rank of the document, higher is better; absent for rules that sort by values. */
  rank?: number;
  max?: number;
  value?: number | string | null;
  point?: { lat: number; lng: number } | null;
  distance?: number | null;
  /** Similarity to the query vector; null: the document has no vector. */
  similarity?: number | null;
}
