import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Dispatcher, request } from 'undici';
import { own } from '../../../bindings/own.js';
import { LocalModelError } from './model.js';

/** Where the weights of a model stand in its folder, by what they are of: a network, or a table of tokens. */
export const WEIGHTS = {
  onnx: ['onnx/model.onnx', 'model.onnx', 'onnx/model_quantized.onnx'],
  static: ['model.safetensors', '0_StaticEmbedding/model.safetensors'],
};
const NEEDED = ['config.json', 'tokenizer.json'];
const WELCOME = ['tokenizer_config.json', 'sentence_bert_config.json', '1_Pooling/config.json'];
/** Of `model_type` in a config.json. */
const STATIC_TYPE = 'model2vec';

const HUB = 'https://huggingface.co';
/** One part or two, as the hub has them; no part leads out of the folder. */
const NAME = /^[A-Za-z0-9_][\w.-]*(?:\/[A-Za-z0-9_][\w.-]*)?$/;
const REVISION = /^[A-Za-z0-9_][\w.-]*$/;
const REDIRECTS = 5;
/** Milliseconds until the hub begins to answer, and between two pieces of an answer. */
const TIMEOUT_MS = 20_000;

export interface ModelName {
  model: string;
  revision: string | undefined;
}

export interface ModelFilesOptions {
  /** Of all models: each lies below it under its name. */
  folder: string;
  dispatcher: Dispatcher;
  /** What else than {@link HUB} models are fetched from. */
  hub?: string | undefined;
}

/** The folders of models: those that somebody put there, and those that were fetched. */
export class ModelFiles {
  readonly #found = new Map<string, Promise<string>>();

  constructor(private readonly options: ModelFilesOptions) {}

  /** The folder of a model, which is fetched where it is not there. @throws {LocalModelError} */
  folderOf(name: ModelName): Promise<string> {
    const key = JSON.stringify([name.model, name.revision]);
    let folder = this.#found.get(key);
    if (!folder) {
      folder = this.#locate(name);
      this.#found.set(key, folder);
      folder.catch(() => this.#found.delete(key));
    }
    return folder;
  }

  async #locate({ model, revision }: ModelName): Promise<string> {
    if (!NAME.test(model) || model.includes('..')) {
      throw new LocalModelError(
        `\`${model}\` is no name of a model: that is a text such as \`sentence-transformers/all-MiniLM-L6-v2\`.`,
      );
    }
    if (revision !== undefined && (!REVISION.test(revision) || revision.includes('..'))) {
      throw new LocalModelError(`\`${revision}\` is no revision of a model.`);
    }
    const plain = path.join(this.options.folder, model);
    const own = revision === undefined ? plain : `${plain}@${revision}`;
    for (const folder of [own, plain]) if (await exists(path.join(folder, 'tokenizer.json'))) return folder;
    const fetched = `${own}.part`;
    try {
      await this.#fetchModel(`${this.options.hub ?? HUB}/${model}/resolve/${revision ?? 'main'}`, fetched);
    } catch (error) {
      const reason = error instanceof LocalModelError ? error.message : `${(error as Error).message}.`;
      throw new LocalModelError(`the model \`${model}\` is not in \`${plain}\`, and it could not be fetched: ${reason}`);
    }
    await fs.rename(fetched, own);
    return own;
  }

  async #fetchModel(url: string, folder: string): Promise<void> {
    await fs.mkdir(folder, { recursive: true });
    for (const name of [...NEEDED, ...WELCOME]) {
      if (!(await this.#fetchFile(url, folder, name)) && NEEDED.includes(name))
        throw new LocalModelError(`it has no \`${name}\`.`);
    }
    const config = JSON.parse(await fs.readFile(path.join(folder, 'config.json'), 'utf8')) as { model_type?: string };
    const candidates = config.model_type === STATIC_TYPE ? WEIGHTS.static : WEIGHTS.onnx;
    for (const name of candidates) if (await this.#fetchFile(url, folder, name)) return;
    throw new LocalModelError(`it has none of \`${candidates.join('`, `')}\`.`);
  }

  /** False: there is no such file. What a broken connection has left is fetched anew. */
  async #fetchFile(base: string, folder: string, name: string): Promise<boolean> {
    const file = path.join(folder, name);
    if (await exists(file)) return true;
    const found = await this.#open(`${base}/${name}`);
    if (!found) return false;
    await fs.mkdir(path.dirname(file), { recursive: true });
    const part = `${file}.part`;
    const check = new Check(found.sum);
    await pipeline(found.body, check.passing(), createWriteStream(part));
    if (!check.isRight(found.length)) throw new LocalModelError(`\`${name}\` came otherwise than the hub says it is.`);
    await fs.rename(part, file);
    return true;
  }

  /** Follows redirections: the first answer tells the sum of the file, the last has it. */
  async #open(url: string): Promise<{ body: Readable; sum: string | null; length: number | null } | null> {
    let [place, sum, length]: [string, string | null, number | null] = [url, null, null];
    for (let hops = 0; hops <= REDIRECTS; hops++) {
      const { dispatcher } = this.options;
      const answer = await request(place, { dispatcher, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
      const header = (name: string) => [own(answer.headers, name)].flat()[0] ?? null;
      const linked = header('x-linked-etag');
      sum ??= sumOf(linked ?? header('etag'));
      const size = header('x-linked-size') ?? (answer.statusCode === 200 ? header('content-length') : null);
      length ??= size === null ? null : Number(size);
      const location = header('location');
      if (answer.statusCode === 200) return { body: answer.body, sum, length };
      await answer.body.dump();
      if (answer.statusCode === 404) return null;
      if (answer.statusCode < 300 || answer.statusCode >= 400 || location === null) {
        throw new LocalModelError(`\`${place}\` answered ${answer.statusCode}.`);
      }
      place = new URL(location, place).href;
    }
    throw new LocalModelError(`\`${url}\` is redirected too often.`);
  }
}

/** 64 hexadecimal digits: sha256 of the file; 40: sha1 of it as git counts it. */
function sumOf(etag: string | null): string | null {
  return /^(?:W\/)?"?([0-9a-f]{64}|[0-9a-f]{40})"?$/.exec(etag ?? '')?.[1] ?? null;
}

/** Compares what comes with a sum that was told before. */
class Check {
  readonly #whole = createHash('sha256');
  readonly #chunks: Buffer[] = [];
  #length = 0;

  constructor(private readonly sum: string | null) {}

  passing() {
    const take = (chunk: Buffer) => this.#take(chunk);
    return async function* (source: AsyncIterable<Buffer>) {
      for await (const chunk of source) {
        take(chunk);
        yield chunk;
      }
    };
  }

  isRight(length: number | null): boolean {
    if (length !== null && length !== this.#length) return false;
    if (this.sum === null) return true;
    if (this.sum.length === 64) return this.#whole.digest('hex') === this.sum;
    const blob = createHash('sha1').update(`blob ${this.#length}\0`);
    for (const chunk of this.#chunks) blob.update(chunk);
    return blob.digest('hex') === this.sum;
  }

  #take(chunk: Buffer): void {
    this.#length += chunk.length;
    this.#whole.update(chunk);
    // git puts the length first; its files are small, large ones have the other sum
    if (this.sum?.length === 40) this.#chunks.push(chunk);
  }
}

async function exists(file: string): Promise<boolean> {
  return fs.access(file).then(
    () => true,
    () => false,
  );
}
