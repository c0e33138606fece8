import type { Corpus, IndexedDocument, Within } from './corpus.js';
import {
  bestSplit,
  MAX_WORD_BYTES,
  prefixWords,
  synonymsOfSequence,
  synonymsOfWord,
  typoBudget,
  typoWords,
} from './derivations.js';
import { Phrases } from './phrases.js';
import { type ParsedQuery, parseQuery, type Term } from './query-parse.js';
import { utf8Length } from './text.js';

/** A query graph: a node represents one, two or three terms; an interpretation is a path that covers all of them. */

export type Words = readonly (string | null)[];
/** Typos charged: 0 for the word itself, prefixes and synonyms, 1 and 2 for typos, 1 for the split. */
export type TypoClass = 0 | 1 | 2;
export const TYPO_CLASSES: readonly TypoClass[] = [0, 1, 2];
const MAX_NGRAM_WORDS = 3;

/** How a document satisfies a node. */
export interface Found {
  exact: boolean;
  words: [string[], string[], string[]];
  split: boolean;
  synonyms: Words[];
  phrase: boolean;
  /** By class: the derivation occurs where it may match (side and searched attributes). */
  matches: [boolean, boolean, boolean];
  exactMatches: boolean;
}

const nothingFound = (): Found => ({
  exact: false,
  words: [[], [], []],
  split: false,
  synonyms: [],
  phrase: false,
  matches: [false, false, false],
  exactMatches: false,
});

export class QueryNode {
  readonly size: number;
  readonly start: number;
  readonly end: number;
  /** The words of a typed phrase. */
  readonly phrase: Words | null = null;
  readonly isNgram: boolean;
  /** Text of a word or n-gram. */
  readonly text: string = '';
  readonly budget: number = 0;
  /** The word itself, when the index has it. */
  readonly exact: string | null = null;
  readonly derived: [string[], string[], string[]] = [[], [], []];
  readonly synonyms: Words[] = [];
  readonly split: [string, string] | null = null;
  /** So many words start with it that proximity treats them as one. */
  readonly isShortPrefix: boolean = false;
  #found: Map<IndexedDocument, Found> | null = null;

  constructor(
    readonly id: number,
    /** Indexes of the first and last term. */
    readonly first: number,
    readonly last: number,
    terms: readonly Term[],
    private readonly corpus: Corpus,
    private readonly within: Within,
  ) {
    const own = terms.slice(first, last + 1);
    this.size = own.length;
    this.isNgram = own.length > 1;
    this.start = (own[0] as Term).start;
    this.end = (own.at(-1) as Term).end;
    if ((own[0] as Term).isPhrase) {
      this.phrase = (own[0] as Term).words;
      return;
    }
    const typed = own.map((term) => term.words[0] as string);
    const isPrefix = (own.at(-1) as Term).isPrefix;
    this.text = typed.join('');
    if (utf8Length(this.text) > MAX_WORD_BYTES) return;
    this.budget = Math.max(0, typoBudget(corpus, this.text) - (this.size - 1));
    if (corpus.postings.has(this.text)) this.exact = this.text;
    const prefixes = isPrefix ? prefixWords(corpus, this.text) : { words: [], unlimited: false };
    this.isShortPrefix = prefixes.unlimited;
    this.derived = [prefixes.words, ...typoWords(corpus, this.text, this.budget, isPrefix)];
    const split = bestSplit(corpus, this.text, within);
    // two joined words that split into themselves are no n-gram any more
    const sameAgain = typed.length === 2 && split?.[0] === typed[0] && split?.[1] === typed[1];
    this.split = sameAgain ? null : split;
    this.synonyms.push(...synonymsOfWord(corpus, this.text));
    if (this.isNgram) this.synonyms.push(...synonymsOfSequence(corpus, typed));
  }

  /** How the document satisfies this node; undefined: not at all. */
  in(document: IndexedDocument): Found | undefined {
    this.#found ??= this.#locate();
    return this.#found.get(document);
  }

  /** The documents that satisfy this node. */
  documents(): Iterable<IndexedDocument> {
    this.#found ??= this.#locate();
    return this.#found.keys();
  }

  #locate(): Map<IndexedDocument, Found> {
    const { corpus, within } = this;
    const all = new Map<IndexedDocument, Found>();
    const of = (document: IndexedDocument): Found => {
      const found = all.get(document) ?? nothingFound();
      all.set(document, found);
      return found;
    };
    const phrases = new Phrases(corpus, within);
    if (this.phrase) {
      for (const document of phrases.documents(this.phrase)) of(document).phrase = true;
      return all;
    }
    const side = this.isNgram ? 'tolerant' : 'any';
    if (this.exact !== null) {
      for (const document of corpus.holders(this.exact)) {
        const found = of(document);
        found.exact = true;
        found.exactMatches = corpus.holds(document, this.exact, side, within);
        found.matches[0] ||= found.exactMatches;
      }
    }
    for (const typos of TYPO_CLASSES) {
      for (const word of this.derived[typos]) {
        for (const document of corpus.holders(word)) {
          const found = of(document);
          found.words[typos].push(word);
          found.matches[typos] ||= corpus.holds(document, word, typos === 0 ? side : 'tolerant', within);
        }
      }
    }
    for (const document of this.split ? phrases.documents(this.split) : []) {
      const found = of(document);
      found.split = true;
      found.matches[1] = true;
    }
    for (const synonym of this.synonyms) {
      for (const document of phrases.documents(synonym)) of(document).synonyms.push(synonym);
    }
    return all;
  }
}

export class QueryGraph {
  readonly terms: readonly Term[];
  readonly nodes: QueryNode[] = [];
  readonly #parsed: ParsedQuery;

  constructor(
    text: string,
    readonly corpus: Corpus,
    readonly within: Within,
  ) {
    this.#parsed = parseQuery(text, corpus);
    this.terms = this.#parsed.terms;
    for (let last = 0; last < this.terms.length; last++) {
      for (let size = 1; size <= MAX_NGRAM_WORDS && size <= last + 1; size++) {
        const first = last - size + 1;
        if (size > 1 && !this.#joins(first, last)) continue;
        this.nodes.push(new QueryNode(this.nodes.length, first, last, this.terms, corpus, within));
      }
    }
  }

  /** Plain words in consecutive positions may have been meant as one. */
  #joins(first: number, last: number): boolean {
    const own = this.terms.slice(first, last + 1);
    const follows = own.every((term, k) => k === 0 || term.start === (own[k - 1] as Term).end + 1);
    const length = own.reduce((bytes, term) => bytes + utf8Length(term.words[0] ?? ''), 0);
    return follows && length <= MAX_WORD_BYTES && own.every((term) => !term.isPhrase);
  }

  /** Every way through the terms, in the order in which they are visited. */
  paths(): QueryNode[][] {
    const from = (term: number): QueryNode[][] =>
      term === this.terms.length
        ? [[]]
        : this.nodes.filter((node) => node.first === term).flatMap((node) => from(node.last + 1).map((rest) => [node, ...rest]));
    return from(0);
  }

  /** Documents with an excluded word or phrase. */
  excluded(): Set<IndexedDocument> {
    const { corpus, within } = this;
    const phrases = new Phrases(corpus, within);
    const found = new Set<IndexedDocument>();
    for (const word of this.#parsed.excludedWords) {
      for (const document of corpus.holders(word)) if (corpus.holds(document, word, 'any', within)) found.add(document);
    }
    for (const phrase of this.#parsed.excludedPhrases) {
      for (const document of phrases.documents(phrase)) found.add(document);
    }
    return found;
  }
}
