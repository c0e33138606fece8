import type { Corpus, IndexedDocument, Within } from './corpus.js';

/** Words up to this far apart in a phrase are tested against each other. */
const WINDOW = 3;

/** Phrases, typed or derived: their words are near each other, in order; null matches any word or none. */
export class Phrases {
  constructor(
    private readonly corpus: Corpus,
    private readonly within: Within,
  ) {}

  documents(words: readonly (string | null)[]): IndexedDocument[] {
    const first = words.find((word) => word !== null) as string;
    return this.corpus.holders(first).filter((document) => this.#matches(document, words));
  }

  /** Compares the least distances in the document, not the positions of one occurrence. */
  #matches(document: IndexedDocument, words: readonly (string | null)[]): boolean {
    const { corpus, within } = this;
    for (const [x, a] of words.entries()) {
      if (a === null) continue;
      if (!corpus.holds(document, a, 'any', within)) return false;
      for (const [k, b] of words.slice(x + 1, x + WINDOW).entries()) {
        if (b !== null && corpus.pair(document, a, b, within) > k + 1) return false;
      }
    }
    return true;
  }
}
