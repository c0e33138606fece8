import { CUTS_AT_BLANKS, CUTS_AT_SPACE, StaticModel, Tokens } from './exports.js';
import { type EngineInstance, privateInstance } from './instance.js';

/** How the engine finds the tokens of texts. */
export interface WordRules {
  cuts: 'at blanks' | 'at space';
  /** What tokens spell, with their ids; of `at blanks` a blank where the tokenizer puts its mark. */
  spellings: readonly (readonly [spelling: string, id: number])[];
  /** Of `at blanks`: left token, right token, what they become; first the most wanted. */
  merges: Uint32Array;
  /** Of `at blanks`: the tokens of the 256 bytes. */
  byteTokens: Uint32Array;
  /** Of `at space`: what stands before pieces that continue a word, in ASCII. */
  prefix: string;
  /** Of `at space`: the token of words that cannot be made up. */
  unknown: number;
  /** Of `at space`: letters of a longer one are not looked at. */
  longestWord: number;
  /** Of `at space`. */
  lowercase: boolean;
}

/** What the engine is given to find the tokens of texts. */
export interface EngineTokens {
  rules: WordRules;
  /** A text as the engine takes it; null: only the tokenizer knows its tokens. */
  textFor(text: string): string | null;
  /** The text whose tokens are those of a word as the engine sees it. */
  wordFor(word: string): string;
}

export interface StaticModelParts {
  dimensions: number;
  /** Vectors, one after the other. */
  table: Float32Array;
  /** For each token the number of its vector in the table; -1: it says nothing. */
  rows: Int32Array;
  /** For each token; null: all are 1. */
  weights: Float32Array | null;
  /** The vector of texts without a token that says something. */
  middle: Float32Array;
  /** null: the tokenizer alone knows tokens. */
  engine: EngineTokens | null;
  /** The tokenizer, for what the engine cannot do. */
  encode: (text: string) => readonly number[];
}

const CUTS = { 'at blanks': CUTS_AT_BLANKS, 'at space': CUTS_AT_SPACE };
const encoder = new TextEncoder();

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView) => new Uint8Array(buffer, byteOffset, byteLength);

/** A model without a network, in an instance of the engine of its own. */
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
        ...(engine ? laidOut(engine.rules, put) : NO_WORDS),
        ...MADE_BY_THE_ENGINE,
      },
    ]);
    instance.exports.staticModelOpen(this.#model);
  }

  /** The tokens of a text, without those that mark its ends. */
  tokens(text: string): number[] {
    return this.#instance.scoped(() => {
      const { at, count } = this.#find(text);
      return [...this.#instance.u32(at, count)];
    });
  }

  /** Writes the vector of a text, of length 1. */
  embed(text: string, vector: Float32Array): void {
    const instance = this.#instance;
    instance.scoped(() => {
      const { at, count } = this.#find(text);
      const out = instance.alloc(vector.byteLength);
      instance.exports.poolTokens(this.#model, at, count, out);
      bytesOf(vector).set(instance.bytes.subarray(out, out + vector.byteLength));
    });
  }

  /** Where the tokens of a text stand, in scratch. */
  #find(text: string): { at: number; count: number } {
    const [instance, { engine, encode }] = [this.#instance, this.parts];
    const own = engine?.textFor(text) ?? null;
    if (!engine || own === null) {
      const tokens = encode(text);
      return { at: instance.putWords(tokens), count: tokens.length };
    }
    const { pointer, length } = instance.putText(own);
    const run = instance.exports.tokensCreate(pointer, length);
    while (!instance.exports.tokensNext(this.#model, run)) {
      const { at, word } = instance.read(Tokens, run);
      const found = encode(engine.wordFor(instance.text(word, at - word)));
      instance.exports.tokensGive(this.#model, run, instance.putWords(found), found.length);
    }
    const { data, count } = instance.read(Tokens, run);
    return { at: data, count };
  }
}

/** Of a model whose tokens the tokenizer alone knows. */
const NO_WORDS = {
  cuts: 0,
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

/** The rules as the engine reads them. */
function laidOut(rules: WordRules, put: (array: ArrayBufferView) => number): typeof NO_WORDS {
  const { cuts, spellings, merges, byteTokens, prefix, unknown, longestWord, lowercase } = rules;
  const texts = spellings.map(([spelling]) => encoder.encode(spelling));
  const starts = new Uint32Array(texts.length + 1);
  for (const [place, { length }] of texts.entries()) starts[place + 1] = (starts[place] as number) + length;
  const bytes = new Uint8Array(starts[texts.length] as number);
  for (const [place, text] of texts.entries()) bytes.set(text, starts[place]);
  return {
    cuts: CUTS[cuts],
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
