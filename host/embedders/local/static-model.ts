import { type LocalModel, LocalModelError, normalize } from './model.js';
import type { Tensor } from './safetensors.js';
import type { WordTokens } from './tokens.js';

/** Names under which the vectors of tokens stand in files of such models. */
const TABLES = ['embeddings', 'embedding.weight'];

/** A token and where its vector stands in the table. */
interface Row {
  id: number;
  at: number;
}

/**
 * A model without a network: each token has a vector, and a text the mean of those of its tokens. Besides, a model may give tokens
 * weights, and let several share a vector (`mapping`). https://github.com/MinishLab/model2vec, https://github.com/dleemiller/WordLlama
 */
export class StaticModel implements LocalModel {
  readonly dimensions: number;
  readonly isFast = true;
  readonly #table: Float32Array;
  readonly #rows: number;
  readonly #weights: Float32Array | undefined;
  readonly #mapping: Float32Array | undefined;
  /** Of a text without any token: the middle of all. */
  readonly #middle: Float32Array;

  /** @param unknown the token of words that the model does not know, which says nothing. @throws {LocalModelError} */
  constructor(
    private readonly tokens: WordTokens,
    tensors: ReadonlyMap<string, Tensor>,
    private readonly unknown: number | undefined,
  ) {
    const table = TABLES.map((name) => tensors.get(name)).find((tensor) => tensor?.shape.length === 2);
    if (!table) throw new LocalModelError(`its weights have no table of tokens (\`${TABLES.join('` or `')}\`).`);
    const [rows, dimensions] = table.shape as [number, number];
    this.#table = table.values;
    this.#rows = rows;
    this.dimensions = dimensions;
    this.#weights = tensors.get('weights')?.values;
    this.#mapping = tensors.get('mapping')?.values;
    this.#middle = new Float32Array(dimensions);
    for (let at = 0; at < this.#table.length; at++) this.#middle[at % dimensions]! += this.#table[at]!;
    normalize(this.#middle, dimensions);
  }

  embed(texts: readonly string[]): Float32Array {
    const { dimensions } = this;
    const vectors = new Float32Array(texts.length * dimensions);
    for (const [place, text] of texts.entries()) {
      const vector = vectors.subarray(place * dimensions, (place + 1) * dimensions);
      const rows = this.#rowsOf(text);
      if (this.#weights) this.#addWeighted(vector, rows, this.#weights);
      else this.#add(vector, rows);
      if (rows.length === 0) vector.set(this.#middle);
    }
    // the mean and the sum differ in length alone
    normalize(vectors, dimensions);
    return vectors;
  }

  #rowsOf(text: string): Row[] {
    const rows: Row[] = [];
    for (const id of this.tokens.of(text)) {
      const row = this.#mapping ? (this.#mapping[id] ?? -1) : id;
      if (id !== this.unknown && row >= 0 && row < this.#rows) rows.push({ id, at: row * this.dimensions });
    }
    return rows;
  }

  /** Four rows in one pass: most of the time goes into reading and writing the sums. */
  #add(vector: Float32Array, rows: readonly Row[]): void {
    const [table, { dimensions }] = [this.#table, this];
    const fours = rows.length - (rows.length % 4);
    for (let row = 0; row < fours; row += 4) {
      const [a, b, c, d] = [rows[row]!.at, rows[row + 1]!.at, rows[row + 2]!.at, rows[row + 3]!.at];
      for (let i = 0; i < dimensions; i++) {
        vector[i] = vector[i]! + (table[a + i]! + table[b + i]! + (table[c + i]! + table[d + i]!));
      }
    }
    for (let row = fours; row < rows.length; row++) {
      const { at } = rows[row]!;
      for (let i = 0; i < dimensions; i++) vector[i] = vector[i]! + table[at + i]!;
    }
  }

  #addWeighted(vector: Float32Array, rows: readonly Row[], weights: Float32Array): void {
    for (const { id, at } of rows) {
      const weight = weights[id] ?? 1;
      for (let i = 0; i < this.dimensions; i++) vector[i] = vector[i]! + weight * this.#table[at + i]!;
    }
  }
}
