/**
 * What a search asks of the engine and what it answers: structures that the host writes and reads (bindings/ranking/plan.ts and
 * ranked.ts). Addresses are absolute, in the memory of the instance; numbers are u32 unless a type is given.
 */
import { VectorTarget } from '../vector/target';
import { Segments } from './segments';

/** A text of UTF-8; `text` 0: a gap, which any word or none may fill. */
@unmanaged
export class Word {
  text: usize;
  length: u32;
}

/** A key of synonyms: its words, joined by NUL, and what stands for them. Its addresses are offsets from the start of IndexPlan. */
@unmanaged
export class SynonymEntry {
  text: usize;
  length: u32;
  /** Phrase[] */
  values: usize;
  valueCount: u32;
}

/** Words that stand side by side; of a SynonymEntry all addresses are offsets. */
@unmanaged
export class Phrase {
  /** Word[] */
  words: usize;
  count: u32;
}

/** What the settings of an index say. Its addresses, and those in what it names, are offsets from its start: it is written once. */
@unmanaged
export class IndexPlan {
  /** tells states of indexes apart */
  state: u32;
  /** tells assignments of weights to fields apart */
  scheme: u32;
  fieldCount: u32;
  /** u16[fieldCount]: 0 is the best weight */
  weights: usize;
  maxWeight: u32;
  /** flags */
  prefixSearch: u32;
  /** proximity counts words that share an attribute */
  byAttribute: u32;
  /** some attributes tolerate no typos */
  hasExactAttributes: u32;
  typosEnabled: u32;
  /** characters from which a word may have one typo, or two */
  oneTypo: u32;
  twoTypos: u32;
  /** Word[], ascending: words of the query that may have no typo */
  exceptions: usize;
  exceptionCount: u32;
  /** SynonymEntry[] by ascending key */
  synonyms: usize;
  synonymCount: u32;
  /** what `tokenizerCreate` reads; 0: the default settings */
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
/** Not in plans: a document that the host puts at a position. */
export const RULE_PIN: u32 = 10;

/** Rules that do not compare the texts of a query with those of documents. */
export function isWordless(kind: u32): bool {
  return kind >= RULE_FIELD;
}

/** No field of the index. */
export const NO_FIELD: u32 = 0xffffffff;

@unmanaged
export class PlanRule {
  /** of a distance: the point */
  lat: f64;
  lng: f64;
  kind: u32;
  /** of values: {@link NO_FIELD} when no document has it */
  field: u32;
  ascending: u32;
  /** what it says is shown together with its neighbour */
  isMerged: u32;
  /** of values: the field is not displayed */
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
  /** time from which documents are no longer ordered, by the clock of the host */
  deadline: f64;
  /** scores below it are left out; negative: none is */
  threshold: f64;
  index: IndexPlan;
  /** bitmap over slots: the documents that may be found */
  universe: usize;
  /** of a bitmap over slots */
  bitmapBytes: u32;
  segments: Segments;
  /** of RULE_SIMILARITY, and how many of the nearest documents are looked for at a time; null: there is no such rule */
  target: VectorTarget | null;
  turn: u32;
  /** the query; no bytes: all documents */
  text: usize;
  textLength: u32;
  /** locale list, 0: any language */
  locales: usize;
  /** u8[fieldCount]: what fields are for this search, see costs/sources */
  kinds: usize;
  /** only some attributes are searched */
  restricted: u32;
  /** none is */
  searchesNothing: u32;
  strategy: u32;
  /** PlanRule[] */
  rules: usize;
  ruleCount: u32;
  /** documents wanted from the first rank on */
  needed: u32;
  /** each value of a field is shown once */
  isDistinct: u32;
  distinctField: u32;
  /** with distinct values the count is made for all documents, not just for those that were evaluated */
  exhaustive: u32;
  /** scores are asked for: every rule has its say even on a single document */
  detailed: u32;
  /** words to highlight are asked for */
  matches: u32;
  /** least number of documents of a bucket for which bitmaps of documents are read instead of the positions of each document */
  largeBucket: u32;
  /** cost of looking up the positions of one document, in postings that could be read in the same time */
  postingsADocument: u32;
}

/** Of {@link Step}: a rule whose time was over. */
export const SKIPPED_RULE: u32 = 0xffffffff;

export const VALUE_NONE: u32 = 0;
export const VALUE_NUMBER: u32 = 1;
export const VALUE_TEXT: u32 = 2;
export const VALUE_POINT: u32 = 3;

/** What one rule said of a document. */
@unmanaged
export class Step {
  /** the value, metres from the point that was asked for, the similarity as it is shown, or the position of a pin */
  number: f64;
  lat: f64;
  lng: f64;
  /** what it and the rules of relevancy right before it say together, from 0 to 1 */
  score: f64;
  /** place in the plan, or {@link SKIPPED_RULE} */
  rule: u32;
  /** higher is better */
  rank: u32;
  /** 0: the rule gives values */
  max: u32;
  valueKind: u32;
  text: usize;
  textLength: u32;
}

/** What the rules said of the documents of a group, best rule first. */
@unmanaged
export class Steps {
  /** what all rules of relevancy say together, from 0 to 1 */
  score: f64;
  count: u32;
  /** Step[] */
  steps: usize;
  /** PlanRule[] */
  rules: usize;
}

@unmanaged
export class RankedHit {
  slot: u32;
  /** null when no scores were asked for */
  steps: Steps | null;
}

/** A word of a query that texts are searched for to be highlighted. */
@unmanaged
export class QueryWord {
  text: usize;
  length: u32;
  /** words that start with it match too */
  prefix: u32;
  /** the index has it, or a word that starts with it */
  known: u32;
  /** Word[]: words of the index that are typos of it */
  typos: usize;
  typoCount: u32;
  /** first and last word of the query that it stands for */
  start: u32;
  end: u32;
}

/** Words that a text has to hold side by side to be highlighted. */
@unmanaged
export class QuerySequence {
  /** Word[] */
  words: usize;
  count: u32;
  start: u32;
  end: u32;
}

/**
 * What a query contributes to highlighting. Texts are normalised words (lemmas), positions count the words of the query as its parser
 * does (hard separators leave gaps); they serve to choose the best window of a crop.
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

/** The answer to a search. */
@unmanaged
export class Ranked {
  /** RankedHit[], best first */
  hits: usize;
  hitCount: u32;
  /** bitmap over slots: the documents that the answer counts */
  counted: usize;
  total: u32;
  /** the time was over before all was ranked */
  degraded: u32;
  /** null when they were not asked for */
  terms: QueryTerms | null;
}
