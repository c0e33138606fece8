/**
 * What a query contributes to highlighting, cropping and match positions. Texts are normalised words (lemmas), positions count the
 * words of the query as its parser does (hard separators leave gaps); they serve to choose the best window of a crop.
 */
export interface MatchTerms {
  /** Plain words and joined words (n-grams), in query order. Dropped words of the matching strategy are here too. */
  words: MatchWord[];
  /** Quoted phrases, synonyms and split words, in query order; the first one that a text completes wins. */
  sequences: MatchSequence[];
  /** Stop words typed outside quotes: whole words, which take no part in choosing a crop. */
  stopWords: string[];
  /**
   * Whether a word is in the index: words of searchable attributes that only start like the query count when they are. null: texts are
   * cut as they were indexed, so all of theirs are.
   */
  indexed: ((word: string) => boolean) | null;
}

export interface MatchWord {
  text: string;
  /** A text word that starts with the text, or with one of {@link typos}, matches with as many characters as were typed. */
  prefix: boolean;
  /**
   * Whether the index knows the word or, with {@link prefix}, a word that starts with it. An unknown word counts only in attributes
   * that are not searchable.
   */
  known: boolean;
  /** Words of the index at one or two typos from the text; for a prefix those that start with such a variant, in full. */
  typos: string[];
  /** Query words that it stands for, ascending; two or three for joined words. */
  positions: number[];
}

export interface MatchSequence {
  /** null: a stop word inside a phrase; any one word, or none, may stand there. The first and the last are never null. */
  words: (string | null)[];
  positions: number[];
}

/** Of placeholder and semantic searches. */
export const NO_MATCH_TERMS: MatchTerms = { words: [], sequences: [], stopWords: [], indexed: null };
