import { own } from '../../../bindings/own.js';
import { type LocalModel, LocalModelError, normalize } from './model.js';
import type { Tokenizer } from './tokens.js';

interface OnnxTensor {
  dims: readonly number[];
  data: Float32Array;
}

interface OnnxSession {
  inputNames: readonly string[];
  outputNames: readonly string[];
  run(feeds: Record<string, OnnxTensor>): Promise<Record<string, OnnxTensor>>;
}

/** The part of the package `onnxruntime-web` that is used. */
export interface OnnxPackage {
  env: { wasm: { numThreads: number } };
  InferenceSession: { create(model: Uint8Array, options: object): Promise<OnnxSession> };
  Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => OnnxTensor;
}

export interface OnnxOptions {
  pooling: 'mean' | 'cls';
  /** Tokens of a text that are used, including the special tokens at its ends. */
  longest: number;
}

/**
 * A network in the ONNX format. Texts are embedded one by one, so that the vector of a text does not depend on the batch it is
 * in.
 */
export class OnnxModel implements LocalModel {
  readonly isFast = false;

  private constructor(
    private readonly runtime: OnnxPackage,
    private readonly session: OnnxSession,
    private readonly tokenizer: Tokenizer,
    private readonly options: OnnxOptions,
    readonly dimensions: number,
  ) {}

  /** @throws {LocalModelError} */
  static async load(runtime: OnnxPackage, file: Uint8Array, tokenizer: Tokenizer, options: OnnxOptions): Promise<OnnxModel> {
    // The model thread uses one core.
    runtime.env.wasm.numThreads = 1;
    const session = await runtime.InferenceSession.create(file, {
      executionProviders: ['wasm'],
      graphOptimizationLevel: 'all',
    }).catch((error: Error) => {
      throw new LocalModelError(`its network cannot be loaded: ${error.message}`);
    });
    const trial = new OnnxModel(runtime, session, tokenizer, options, 0);
    return new OnnxModel(runtime, session, tokenizer, options, (await trial.#vector('test')).length);
  }

  async embed(texts: readonly string[]): Promise<Float32Array> {
    const vectors = new Float32Array(texts.length * this.dimensions);
    for (const [place, text] of texts.entries()) vectors.set(await this.#vector(text), place * this.dimensions);
    normalize(vectors, this.dimensions);
    return vectors;
  }

  async #vector(text: string): Promise<Float32Array> {
    const ids = this.#tokens(text);
    const tensor = (values: readonly number[]) =>
      new this.runtime.Tensor('int64', BigInt64Array.from(values, BigInt), [1, values.length]);
    const inputs: Record<string, () => OnnxTensor> = {
      input_ids: () => tensor(ids),
      attention_mask: () => tensor(ids.map(() => 1)),
      token_type_ids: () => tensor(ids.map(() => 0)),
    };
    const feeds = this.session.inputNames.map((name) => {
      const input = own(inputs, name);
      if (!input) throw new LocalModelError(`its network asks for \`${name}\`, which is not known.`);
      return [name, input()] as const;
    });
    return this.#pooled(await this.session.run(Object.fromEntries(feeds)));
  }

  #tokens(text: string): number[] {
    const { ids } = this.tokenizer.encode(text);
    const { longest } = this.options;
    return ids.length <= longest ? ids : [...ids.slice(0, longest - 1), ids.at(-1) as number];
  }

  /** One vector from an output of shape `[1, dimensions]`, or pooled from token vectors of shape `[1, tokens, dimensions]`. */
  #pooled(outputs: Record<string, OnnxTensor>): Float32Array {
    const found = this.session.outputNames.map((name) => own(outputs, name)!);
    const whole = found.find(({ dims }) => dims.length === 2);
    if (whole) return whole.data;
    const tokens = found.find(({ dims }) => dims.length === 3);
    if (!tokens) throw new LocalModelError('its network answers no vectors.');
    const [, count = 0, dimensions = 0] = tokens.dims;
    if (this.options.pooling === 'cls') return tokens.data.slice(0, dimensions);
    const mean = new Float32Array(dimensions);
    for (let token = 0; token < count; token++) {
      for (let i = 0; i < dimensions; i++) {
        mean[i] = (mean[i] as number) + (tokens.data[token * dimensions + i] as number) / count;
      }
    }
    return mean;
  }
}
