/**
 * The request and the result of a search: structures that the host writes and reads (bindings/ranking/plan.ts and ranked.ts).
 * Addresses are absolute, in the memory of the instance; numbers are u32 unless a type is given.
 */

import { Segments } from './segments';
import { VectorTarget } from './vector-target';

/** A text in UTF-8. `text` 0: a gap, which any word or none may fill. */
@unmanaged
export class Word {
  text: usize;
  length: u32;
}

/** A key of synonyms: its words joined by NUL, and the synonyms. Addresses are offsets from the start of IndexPlan. */
@unmanaged
export class SynonymEntry {
  text: usize;
  length: u32;
  /** Phrase[] */
  values: usize;
  valueCount: u32;
}

/** Adjacent words. In a SynonymEntry all addresses are offsets. */
@unmanaged
export class Phrase {
  /** Word[] */
  words: usize;
  count: u32;
}

/** The settings of an index, written once. Addresses in it and in the structures that it refers to are offsets from its start. */
@unmanaged
export class IndexPlan {
  /** identifies the state of the index */
  state: u32;
  /** identifies the assignment of weights to fields */
  scheme: u32;
  fieldCount: u32;
  /** u16[fieldCount]: 0 is the best weight */
  weights: usize;
  maxWeight: u32;
  /** flags */
  prefixSearch: u32;
  /** whether proximity counts words that share an attribute */
  byAttribute: u32;
  /** whether some attributes tolerate no typos */
  hasExactAttributes: u32;
  typosEnabled: u32;
  /** characters from which a word may have one typo, or two */
  oneTypo: u32;
  twoTypos: u32;
  /** Word[], ascending: words of a query that may have no typo */
  exceptions: usize;
  exceptionCount: u32;
  /** SynonymEntry[] by ascending key */
  synonyms: usize;
  synonymCount: u32;
  /** configuration for `tokenizerCreate`; 0: default settings */
  tokenizer: usize;
  tokenizerLength: u32;
}

export const RULE_WORDS: u32 = 0;
export const RULE_TYPO: u32 = 1;
export const RULE_PROXIMITY: u32 = 2;
export const RULE_ATTRIBUTE_RANK: u32 = 3;
export const RULE_WORD_POSITION: u32 = 4;
export const RULE_EXACT_ATTRIBUTE: u32 = 5;
export const RULE_EXACT_WORDS: u32 = 6;
export const RULE_FIELD: u32 = 7;
export const RULE_GEO: u32 = 8;
export const RULE_SIMILARITY: u32 = 9;
/** Does not occur in plans: a document that the host pins to a position. */
export const RULE_PIN: u32 = 10;

/** Rules that do not compare the texts of a query with those of documents. */
export function needsNoWords(kind: u32): bool {
  return kind >= RULE_FIELD;
}

/** No field of the index. */
export const NO_FIELD: u32 = 0xffffffff;

@unmanaged
export class PlanRule {
  /** for distances: the point */
  lat: f64;
  lng: f64;
  kind: u32;
  /** for values: number of the field; {@link NO_FIELD}: no document has it */
  field: u32;
  ascending: u32;
  /** whether its step is shown together with the adjacent one */
  isMerged: u32;
  /** for values: whether the field is not displayed */
  isHidden: u32;
  /** the path of the field, `_geoPoint(…)`, or the components of the target (f32): offset from the first rule, and bytes */
  name: usize;
  nameLength: u32;
}

export const STRATEGY_ALL: u32 = 0;
export const STRATEGY_LAST: u32 = 1;
export const STRATEGY_FREQUENCY: u32 = 2;

/** A search. */
@unmanaged
export class Plan {
  /** deadline on the host's clock, after which documents are no longer ranked */
  deadline: f64;
  /** documents with a lower score are left out; negative: none */
  threshold: f64;
  index: IndexPlan;
  /** bitmap over slots: the documents to search; 0: all that are not deleted */
  universe: usize;
  /** FilterPlan: of the documents that match the query, those that it selects are found; 0: all */
  filter: usize;
  /** bytes of a bitmap over slots */
  bitmapBytes: u32;
  segments: Segments;
  /** for RULE_SIMILARITY: the vector, and the number of documents per ordinal in a round; null: there is no such rule */
  target: VectorTarget | null;
  roundSize: u32;
  /** the query in UTF-8; empty: all documents */
  text: usize;
  textLength: u32;
  /** list of locales; 0: any language */
  locales: usize;
  /** u8[fieldCount]: flags of the fields, see costs/sources */
  fieldFlags: usize;
  /** whether only some attributes are searched */
  restricted: u32;
  /** whether no attribute is searched */
  searchesNothing: u32;
  strategy: u32;
  /** PlanRule[] */
  rules: usize;
  ruleCount: u32;
  /** number of documents needed from the first rank on */
  needed: u32;
  /** whether only one document per value of a field is returned */
  isDistinct: u32;
  distinctField: u32;
  /** whether distinct values are counted over all documents, not only over those that were evaluated */
  exhaustive: u32;
  /** whether scores are requested: then every rule is applied even to a single document */
  detailed: u32;
  /** whether the words to highlight are requested */
  matches: u32;
  /** smallest bucket that is ranked by bitmaps of documents instead of the positions of each document */
  largeBucket: u32;
  /** cost model: looking up the positions of one document costs as much as reading this many postings */
  postingsPerDocument: u32;
}

/** In {@link Step}: a rule that was not applied because the deadline had passed. */
export const SKIPPED_RULE: u32 = 0xffffffff;

export const VALUE_NONE: u32 = 0;
export const VALUE_NUMBER: u32 = 1;
export const VALUE_TEXT: u32 = 2;
export const VALUE_POINT: u32 = 3;

/** The result of one rule for a document. */
@unmanaged
export class Step {
  /** the value, the distance in metres from the point, the similarity as shown, or the position of a pin */
  number: f64;
  lat: f64;
  lng: f64;
  /** combined score of this rule and the adjacent rules of relevancy before it, from 0 to 1 */
  score: f64;
  /** index in the plan, or {@link SKIPPED_RULE} */
  rule: u32;
  /** higher is better */
  rank: u32;
  /** 0: the rule has values instead of ranks */
  max: u32;
  valueKind: u32;
  text: usize;
  textLength: u32;
}

/** The results of the rules for the documents of a group, in the order of the rules. */
@unmanaged
export class Steps {
  /** combined score of all rules of relevancy, from 0 to 1 */
  score: f64;
  count: u32;
  /** Step[] */
  steps: usize;
  /** PlanRule[] */
  rules: usize;
}

/** A document to be shown. Ranking writes its slot and steps, the host adds the rest. */
@unmanaged
export class RankedHit {
  slot: u32;
  /** what its scores are written from; null: none were requested */
  steps: Steps | null;
  /** the document to show instead of that in the slot; 0: that in the slot */
  document: usize;
  documentLength: u32;
  /** further members: JSON without braces */
  members: usize;
  membersLength: u32;
  /** the vector of the document that is nearest to the target (f32[]); 0: it has none, or it is not shown */
  vector: usize;
}

/** A word of a query to be highlighted in texts. */
@unmanaged
export class QueryWord {
  text: usize;
  length: u32;
  /** whether words that start with it match, too */
  prefix: u32;
  /** whether the index has the word, or a word that starts with it */
  known: u32;
  /** Word[]: words of the index that are typos of it */
  typos: usize;
  typoCount: u32;
  /** first and last word of the query that it represents */
  start: u32;
  end: u32;
}

/** Words that must be adjacent in a text to be highlighted. */
@unmanaged
export class QuerySequence {
  /** Word[] */
  words: usize;
  count: u32;
  start: u32;
  end: u32;
}

/**
 * What a query contributes to highlighting. Texts are normalised words (lemmas), positions count the words of the query as its
 * parser does (hard separators leave gaps); they serve to choose the best window of a crop.
 */
@unmanaged
export class QueryTerms {
  /** QueryWord[]: plain and joined words, in query order, those that the matching strategy dropped too */
  words: usize;
  wordCount: u32;
  /** QuerySequence[]: quoted phrases, synonyms and split words, in query order; the first one that a text completes wins */
  sequences: usize;
  sequenceCount: u32;
  /** Word[]: typed outside quotes; whole words, which take no part in choosing a crop */
  stopWords: usize;
  stopWordCount: u32;
}

/** The result of a search. */
@unmanaged
export class Ranked {
  /** RankedHit[], best first */
  hits: usize;
  hitCount: u32;
  /** bitmap over slots: the documents that are counted; not to be written to unless the plan has a universe */
  counted: usize;
  total: u32;
  /** whether the deadline passed before all were ranked */
  degraded: u32;
  /** null: they were not requested */
  terms: QueryTerms | null;
}
