/** A rule at work on one bucket: what all of them have; each adds members of its own. */
import { Bucket } from './bucket';

@unmanaged
export class Evaluation {
  /** place of the rule in the plan */
  rule: u32;
  /** how the buckets are made: EVALUATION_… */
  kind: u32;
  bucket: Bucket;
  /** bitmap of the documents that are in no inner bucket yet, where the evaluation knows it; 0: it does not */
  rest: usize;
}

/** One bucket, equal to the given one. */
export const EVALUATION_WHOLE: u32 = 0;
export const EVALUATION_WORDS: u32 = 1;
/** sums of choices that depend on sets of documents */
export const EVALUATION_CHOICES: u32 = 2;
/** sums of components that are read from positions */
export const EVALUATION_POSITIONS: u32 = 3;
export const EVALUATION_EXACT_ATTRIBUTE: u32 = 4;
export const EVALUATION_FIELD: u32 = 5;
export const EVALUATION_GEO: u32 = 6;
/** sums of components, read in the order of the rule that follows */
export const EVALUATION_STAGES: u32 = 7;
/** documents where words stand side by side, then the others */
export const EVALUATION_NEAREST: u32 = 8;
