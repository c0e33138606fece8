import { StaticModel, TOKENIZER_BYTE_PAIR, TOKENIZER_WORD_PIECE, Tokens } from './exports.js';
import { type EngineInstance, privateInstance } from './instance.js';

/** How the engine splits texts into tokens. */
export interface WordRules {
  tokenizer: 'byte pair' | 'word piece';
  /** Token spellings with their ids; `byte pair`: with a blank in place of the tokenizer's mark. */
  spellings: readonly (readonly [spelling: string, id: number])[];
  /** `byte pair`: triples of left token, right token and merged token, by descending priority. */
  merges: Uint32Array;
  /** `byte pair`: the tokens of the 256 bytes. */
  byteTokens: Uint32Array;
  /** `word piece`: ASCII prefix of word pieces that continue a word. */
  prefix: string;
  /** `word piece`: the token of words that cannot be composed of pieces. */
  unknown: number;
  /** `word piece`: longer words, in letters, become the unknown token. */
  longestWord: number;
  /** `word piece`: whether texts are lowercased. */
  lowercase: boolean;
}

/** The engine's way of splitting texts into tokens. */
export interface EngineTokens {
  rules: WordRules;
  /** The text in the form that the engine tokenizes; null: the tokenizer package has to do it. */
  textFor(text: string): string | null;
  /** The text that the tokenizer package splits into the tokens of a word. */
  wordFor(word: string): string;
}

export interface StaticModelParts {
  dimensions: number;
  /** Vectors, concatenated. */
  table: Float32Array;
  /** By token: the row of its vector in the table; -1: the token is ignored. */
  rows: Int32Array;
  /** By token; null: all weights are 1. */
  weights: Float32Array | null;
  /** The vector of texts without any known token. */
  middle: Float32Array;
  /** null: only the tokenizer package can tokenize. */
  engine: EngineTokens | null;
  /** The tokenizer, for texts that the engine cannot tokenize. */
  encode: (text: string) => readonly number[];
}

const TOKENIZERS = { 'byte pair': TOKENIZER_BYTE_PAIR, 'word piece': TOKENIZER_WORD_PIECE };
const encoder = new TextEncoder();

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView) => new Uint8Array(buffer, byteOffset, byteLength);

/** A model without a network, in an engine instance of its own. */
export class StaticModelInstance {
  readonly #instance: EngineInstance;
  readonly #model: StaticModel;

  constructor(
    module: WebAssembly.Module,
    private readonly parts: StaticModelParts,
  ) {
    const instance = privateInstance(module);
    const { dimensions, table, rows, weights, middle, engine } = parts;
    const put = (array: ArrayBufferView) => instance.put(bytesOf(array));
    this.#instance = instance;
    this.#model = instance.putStructures(StaticModel, [
      {
        dimensions,
        table: put(table),
        rows: put(rows),
        tokenCount: rows.length,
        weights: weights ? put(weights) : 0,
        middle: put(middle),
        ...(engine ? layOutRules(engine.rules, put) : NO_WORDS),
        ...MADE_BY_THE_ENGINE,
      },
    ]);
    instance.exports.staticModelOpen(this.#model);
  }

  /** The tokens of a text, without special tokens at its ends. */
  tokens(text: string): number[] {
    const instance = this.#instance;
    return instance.scoped(() => {
      const { data, count } = instance.read(Tokens, this.#run(text, instance.alloc(this.#vectorBytes)));
      return [...instance.u32(data, count)];
    });
  }

  /** Writes the vector of a text, scaled to length 1. */
  embed(text: string, vector: Float32Array): void {
    const instance = this.#instance;
    instance.scoped(() => {
      const out = instance.alloc(this.#vectorBytes);
      this.#run(text, out);
      bytesOf(vector).set(instance.bytes.subarray(out, out + vector.byteLength));
    });
  }

  get #vectorBytes(): number {
    return this.parts.dimensions * Float32Array.BYTES_PER_ELEMENT;
  }

  /** Has the engine find the tokens of a text and write its vector to `out`; answers the tokens, in scratch. */
  #run(text: string, out: number): Tokens {
    const [instance, { engine, encode }] = [this.#instance, this.parts];
    const own = engine?.textFor(text) ?? null;
    const { pointer, length } = instance.putText(own ?? '');
    const run = instance.putStructures(Tokens, [{ ...NO_TOKENS, at: pointer, end: pointer + length }]);
    const give = (tokens: readonly number[]) => {
      const given = instance.putWords(tokens);
      Tokens.write(instance.view, run, { ...instance.read(Tokens, run), given, givenCount: tokens.length });
    };
    if (!engine || own === null) give(encode(text));
    while (!instance.exports.embedText(this.#model, run, out)) {
      const { at, word } = instance.read(Tokens, run);
      give(encode((engine as EngineTokens).wordFor(instance.text(word, at - word))));
    }
    return run;
  }
}

/** A text of which nothing is known yet. */
const NO_TOKENS = { word: 0, given: 0, givenCount: 0, buffer: 0, data: 0, count: 0 };

/** For models that only the tokenizer package can tokenize for. */
const NO_WORDS = {
  tokenizer: 0,
  spellings: 0,
  spellingStarts: 0,
  spellingIds: 0,
  spellingCount: 0,
  merges: 0,
  mergeCount: 0,
  byteTokens: 0,
  prefix: 0,
  prefixLength: 0,
  unknown: 0,
  longestWord: 0,
  lowercase: 0,
};

const MADE_BY_THE_ENGINE = { vocabulary: 0, mergeTable: 0, words: 0, work: 0, piece: 0 };

/** The rules in the engine's form. */
function layOutRules(rules: WordRules, put: (array: ArrayBufferView) => number): typeof NO_WORDS {
  const { tokenizer, spellings, merges, byteTokens, prefix, unknown, longestWord, lowercase } = rules;
  const texts = spellings.map(([spelling]) => encoder.encode(spelling));
  const starts = new Uint32Array(texts.length + 1);
  for (const [place, { length }] of texts.entries()) starts[place + 1] = (starts[place] as number) + length;
  const bytes = new Uint8Array(starts[texts.length] as number);
  for (const [place, text] of texts.entries()) bytes.set(text, starts[place]);
  return {
    tokenizer: TOKENIZERS[tokenizer],
    spellings: put(bytes),
    spellingStarts: put(starts),
    spellingIds: put(Uint32Array.from(spellings, ([, id]) => id)),
    spellingCount: texts.length,
    merges: put(merges),
    mergeCount: merges.length / 3,
    byteTokens: put(byteTokens),
    prefix: put(encoder.encode(prefix)),
    prefixLength: prefix.length,
    unknown,
    longestWord,
    lowercase: lowercase ? 1 : 0,
  };
}
