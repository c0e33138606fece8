/** The evaluation of a rule on one bucket: the members that all rules share. Subclasses add their own. */
import { Bucket } from './bucket';

@unmanaged
export class Evaluation {
  /** index of the rule in the plan */
  rule: u32;
  /** how the inner buckets are made: EVALUATION_… */
  kind: u32;
  bucket: Bucket;
  /** bitmap of the documents that are in no inner bucket yet; 0: the evaluation does not maintain it */
  rest: usize;
}

/** A single inner bucket, equal to the given one. */
export const EVALUATION_WHOLE: u32 = 0;
export const EVALUATION_WORDS: u32 = 1;
/** The cost is a sum of choices, which depend on sets of documents. */
export const EVALUATION_CHOICES: u32 = 2;
/** The cost is a sum of components, which are read from positions; {@link EVALUATION_STAGES}: in the order of the rule that follows. */
export const EVALUATION_POSITIONS: u32 = 3;
export const EVALUATION_EXACT_ATTRIBUTE: u32 = 4;
export const EVALUATION_FIELD: u32 = 5;
export const EVALUATION_GEO: u32 = 6;
export const EVALUATION_STAGES: u32 = 7;
/** First the documents where the words are adjacent, then the others. */
export const EVALUATION_NEAREST: u32 = 8;
/** Documents by the similarity of their vectors. */
export const EVALUATION_SIMILARITY: u32 = 9;
/** Like {@link EVALUATION_POSITIONS}, in the order of a lower bound of the cost. */
export const EVALUATION_BOUNDED: u32 = 10;
