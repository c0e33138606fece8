import { type EngineTokens, StaticModelInstance } from '../../../bindings/engine/static-model.js';
import { type LocalModel, LocalModelError, normalize } from './model.js';
import type { Tensor } from './safetensors.js';
import type { Tokenizer } from './tokens.js';

/** Names of the tensor with the token vectors in model files. */
const TABLES = ['embeddings', 'embedding.weight'];

/** How a text is split into tokens. */
export interface TextTokens {
  tokenizer: Tokenizer;
  /** null: only the tokenizer package can do it. */
  engine: EngineTokens | null;
  /** Token of unknown words, which is left out. */
  unknown: number | undefined;
}

/**
 * A model without a network: each token has a vector, and the vector of a text is the mean of its token vectors. Tokens may have
 * weights, and may share vectors (`mapping`). https://github.com/MinishLab/model2vec, https://github.com/dleemiller/WordLlama
 */
export class StaticModel implements LocalModel {
  readonly dimensions: number;
  readonly isFast = true;
  readonly #instance: StaticModelInstance;

  /** @param module the `plain` build of the engine. @throws {LocalModelError} */
  constructor(module: WebAssembly.Module, { tokenizer, engine, unknown }: TextTokens, tensors: ReadonlyMap<string, Tensor>) {
    const table = TABLES.map((name) => tensors.get(name)).find((tensor) => tensor?.shape.length === 2);
    if (!table) throw new LocalModelError(`its weights have no table of tokens (\`${TABLES.join('` or `')}\`).`);
    const [count, dimensions] = table.shape as [number, number];
    this.dimensions = dimensions;
    const mapping = tensors.get('mapping')?.values;
    const rows = Int32Array.from(mapping ?? { length: count }, (row, token) => {
      const own = mapping ? (row as number) : token;
      return token !== unknown && own >= 0 && own < count ? own : -1;
    });
    const weights = tensors.get('weights')?.values;
    this.#instance = new StaticModelInstance(module, {
      dimensions,
      table: table.values,
      rows,
      weights: weights ? Float32Array.from(rows, (_, token) => weights[token] ?? 1) : null,
      middle: middleOf(table.values, dimensions),
      engine,
      encode: (text) => tokenizer.encode(text, { add_special_tokens: false }).ids.filter((id) => id !== undefined),
    });
  }

  embed(texts: readonly string[]): Float32Array {
    const { dimensions } = this;
    const vectors = new Float32Array(texts.length * dimensions);
    for (const [place, text] of texts.entries()) {
      const vector = vectors.subarray(place * dimensions, (place + 1) * dimensions);
      this.#instance.embed(text, vector);
    }
    return vectors;
  }
}

function middleOf(table: Float32Array, dimensions: number): Float32Array {
  const middle = new Float32Array(dimensions);
  for (let at = 0; at < table.length; at++) middle[at % dimensions]! += table[at]!;
  normalize(middle, dimensions);
  return middle;
}
