import { QuerySequence, QueryTerms, QueryWord, type Structure, Word } from '../engine/exports.js';
import type { EngineInstance } from '../engine/instance.js';
import type { IndexReader } from '../engine/segments.js';
import { type MatchTerms, NO_MATCH_TERMS } from '../format/match-terms.js';

/**
 * What the words of a query are highlighted by. `at`: address of the engine's QueryTerms, 0: nothing is. `recut`: texts may be cut
 * otherwise than they were indexed, for the request names locales.
 */
export function readMatchTerms(reader: IndexReader, at: number, recut: boolean): MatchTerms {
  if (at === 0) return NO_MATCH_TERMS;
  const { instance } = reader;
  const terms = instance.read(QueryTerms, at);
  return {
    words: readAll(instance, QueryWord, terms.words, terms.wordCount).map((word) => ({
      text: instance.text(word.text, word.length),
      prefix: word.prefix !== 0,
      known: word.known !== 0,
      typos: readWords(instance, word.typos, word.typoCount) as string[],
      positions: positions(word),
    })),
    sequences: readAll(instance, QuerySequence, terms.sequences, terms.sequenceCount).map((sequence) => ({
      words: readWords(instance, sequence.words, sequence.count),
      positions: positions(sequence),
    })),
    stopWords: readWords(instance, terms.stopWords, terms.stopWordCount) as string[],
    indexed: recut ? (text) => isIndexed(reader, text) : null,
  };
}

function readAll<Fields>(instance: EngineInstance, structure: Structure<Fields>, at: number, count: number): Fields[] {
  return Array.from({ length: count }, (_, place) => instance.read(structure, at + place * structure.bytes));
}

/** null: a gap. */
function readWords(instance: EngineInstance, at: number, count: number): (string | null)[] {
  return readAll(instance, Word, at, count).map(({ text, length }) => (text === 0 ? null : instance.text(text, length)));
}

function positions({ start, end }: { start: number; end: number }): number[] {
  return Array.from({ length: end - start + 1 }, (_, index) => start + index);
}

/** Is a word in a document that is not deleted? */
function isIndexed({ segments }: IndexReader, word: string): boolean {
  return segments.some(({ instance, view, ref }) =>
    instance.scoped(() => {
      const { pointer, length } = instance.putText(word);
      const term = length === 0 ? -1 : instance.exports.termFind(view, pointer, length);
      return term >= 0 && (ref.tombstones === 0 || instance.exports.termIsLive(view, term, ref.tombstones));
    }),
  );
}
