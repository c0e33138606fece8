import { QuerySequence, QueryTerms, QueryWord, Word } from '../engine/exports.js';
import type { EngineInstance } from '../engine/instance.js';

/** What a query contributes to highlighting, cropping and match positions: the engine's QueryTerms in JavaScript. */
export interface MatchTerms {
  /** Plain words and joined words (n-grams), in query order. Dropped words of the matching strategy are here too. */
  words: MatchWord[];
  /** Quoted phrases, synonyms and split words, in query order; the first one that a text completes wins. */
  sequences: MatchSequence[];
  /** Stop words typed outside quotes: whole words, which take no part in choosing a crop. */
  stopWords: string[];
  /**
   * The words that the index holds, where texts are cut otherwise than they were indexed: words of searchable attributes that
   * only start like the query count when they are among them. Absent: all count.
   */
  indexed?: readonly string[];
}

export interface MatchWord {
  text: string;
  /** A text word that starts with the text, or with one of {@link typos}, matches with as many characters as were typed. */
  prefix: boolean;
  /**
   * Whether the index knows the word or, with {@link prefix}, a word that starts with it. An unknown word counts only in
   * attributes that are not searchable.
   */
  known: boolean;
  /** Words of the index at one or two typos from the text; for a prefix those that start with such a variant, in full. */
  typos: string[];
  /** Query words that it represents, ascending; two or three for joined words. */
  positions: number[];
}

export interface MatchSequence {
  /** null: a stop word inside a phrase, in place of which any one word or none may be. The first and the last are never null. */
  words: (string | null)[];
  positions: number[];
}

/** Puts terms into scratch. */
export function putTerms(instance: EngineInstance, { words, sequences, stopWords }: MatchTerms): QueryTerms {
  const texts = (list: readonly (string | null)[]) =>
    instance.putStructures(
      Word,
      list.map((word) => {
        if (word === null) return { text: 0, length: 0 };
        const { pointer, length } = instance.putText(word);
        return { text: pointer, length };
      }),
    );
  const queryWords = words.map(({ text, prefix, known, typos, positions }) => {
    const { pointer, length } = instance.putText(text);
    const range = { start: positions[0] as number, end: positions.at(-1) as number };
    return { text: pointer, length, prefix: +prefix, known: +known, typos: texts(typos), typoCount: typos.length, ...range };
  });
  const querySequences = sequences.map(({ words, positions }) => ({
    words: texts(words),
    count: words.length,
    start: positions[0] as number,
    end: positions.at(-1) as number,
  }));
  return instance.putStructures(QueryTerms, [
    {
      words: instance.putStructures(QueryWord, queryWords),
      wordCount: words.length,
      sequences: instance.putStructures(QuerySequence, querySequences),
      sequenceCount: sequences.length,
      stopWords: texts(stopWords),
      stopWordCount: stopWords.length,
    },
  ]);
}
