import type { Token } from '../engine/tokenizer.js';

/** Plain words and phrases that are kept; a phrase counts as one. */
const MAX_TERMS = 10;
/** Tokens that are read, separators included. */
const MAX_TOKENS = 1000;
/** What a hard separator adds to the position, beside the step of the next word. */
const HARD_SEPARATOR_GAP = 7;

/** UTF-16 units of a query that are read: {@link MAX_TOKENS} of them take less, unless they are longer than any word that is indexed. */
const MOST_UNITS = 1 << 16;

/** The part of a query that is read. */
export function readPart(q: string): string {
  return q.length <= MOST_UNITS ? q : q.slice(0, MOST_UNITS);
}

/** A term of the query: a plain word, or a phrase whose stop words are gaps (null). */
export interface Term {
  words: (string | null)[];
  phrase: boolean;
  /** The last word of the query: words that start with it match too. */
  prefix: boolean;
  /** Positions of its first and last word in the query. */
  start: number;
  end: number;
}

export interface ParsedQuery {
  terms: Term[];
  negativeWords: string[];
  negativePhrases: (string | null)[][];
  /** Stop words typed outside quotes: they match nothing, but are highlighted. */
  stopWords: string[];
}

interface OpenPhrase {
  negative: boolean;
  words: (string | null)[];
  start: number;
  end: number;
}

const ENDS_WITH_SPACE = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$/;

/** Reads the tokens of a query (made with the index's stop words and separators). */
export function parseQuery(tokens: readonly Token[], prefixSearch: boolean): ParsedQuery {
  return new QueryParser(prefixSearch).parse(tokens.slice(0, MAX_TOKENS).filter((token) => token.lemma !== ''));
}

class QueryParser {
  readonly #parsed: ParsedQuery = { terms: [], negativeWords: [], negativePhrases: [], stopWords: [] };
  #position = -1;
  #phrase: OpenPhrase | null = null;
  #negateNext = false;

  constructor(readonly prefixSearch: boolean) {}

  parse(tokens: readonly Token[]): ParsedQuery {
    const { terms } = this.#parsed;
    let afterSpace = true;
    for (const [index, token] of tokens.entries()) {
      // what comes after the tenth term is not read, an open phrase is lost
      if (terms.length >= MAX_TERMS) return this.#parsed;
      if (token.kind === 'word' || token.kind === 'stop') this.#word(token, index === tokens.length - 1);
      else this.#separator(token, afterSpace);
      afterSpace = ENDS_WITH_SPACE.test(token.lemma);
    }
    this.#closePhrase();
    return this.#parsed;
  }

  #word(token: Token, last: boolean): void {
    const { terms, negativeWords, stopWords } = this.#parsed;
    const { lemma } = token;
    const stop = token.kind === 'stop';
    this.#position = (this.#position + 1) & 0xffff;
    const position = this.#position;
    if (this.#phrase) {
      const phrase = this.#phrase;
      phrase.words.push(stop ? null : lemma);
      if (!stop && phrase.start < 0) phrase.start = position;
      phrase.end = position;
    } else if (this.#negateNext) {
      negativeWords.push(lemma);
      this.#negateNext = false;
    } else if (last || !stop) {
      terms.push({ words: [lemma], phrase: false, prefix: last && this.prefixSearch, start: position, end: position });
      if (stop) stopWords.push(lemma);
    } else {
      stopWords.push(lemma);
    }
  }

  #separator(token: Token, afterSpace: boolean): void {
    if (token.kind === 'hard') {
      this.#position = (this.#position + HARD_SEPARATOR_GAP) & 0xffff;
      if (this.#phrase) {
        const { negative } = this.#phrase;
        this.#closePhrase();
        this.#openPhrase(negative);
      }
    }
    if (token.lemma.includes('"')) {
      if (this.#phrase) this.#closePhrase();
      else this.#openPhrase(this.#negateNext);
    }
    this.#negateNext = !this.#phrase && token.lemma === '-' && afterSpace;
  }

  #openPhrase(negative: boolean): void {
    this.#phrase = { negative, words: [], start: -1, end: -1 };
  }

  #closePhrase(): void {
    const phrase = this.#phrase;
    this.#phrase = null;
    if (!phrase?.words.some((word) => word !== null)) return;
    const { words, start, end, negative } = phrase;
    if (negative) this.#parsed.negativePhrases.push(words);
    else this.#parsed.terms.push({ words, phrase: true, prefix: false, start, end });
  }
}
