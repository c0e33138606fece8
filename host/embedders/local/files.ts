import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Dispatcher, request } from 'undici';
import { own } from '../../../bindings/own.js';
import { LocalModelError } from './model.js';

/** Names of the weight files in the folder of a model: a network, or a table of token vectors. */
export const WEIGHTS = {
  onnx: ['onnx/model.onnx', 'model.onnx', 'onnx/model_quantized.onnx'],
  static: ['model.safetensors', '0_StaticEmbedding/model.safetensors'],
};
const NEEDED = ['config.json', 'tokenizer.json'];
const WELCOME = ['tokenizer_config.json', 'sentence_bert_config.json', '1_Pooling/config.json'];
/** `model_type` in the config.json of a static model. */
const STATIC_TYPE = 'model2vec';

const HUB = 'https://huggingface.co';
/** `owner/model` or `model`, as on the hub; no part can lead out of the folder. */
const NAME = /^[A-Za-z0-9_][\w.-]*(?:\/[A-Za-z0-9_][\w.-]*)?$/;
const REVISION = /^[A-Za-z0-9_][\w.-]*$/;
const REDIRECTS = 5;
/** Milliseconds until the hub begins to answer, and between two chunks of an answer. */
const TIMEOUT_MS = 20_000;

export interface ModelName {
  model: string;
  revision: string | undefined;
}

export interface ModelFilesOptions {
  /** Folder of all models; each is below it, under its name. */
  folder: string;
  dispatcher: Dispatcher;
  /** Base address for downloads instead of {@link HUB}. */
  hub?: string | undefined;
}

/** The model folders: provided by the operator, or downloaded. */
export class ModelFiles {
  readonly #found = new Map<string, Promise<string>>();

  constructor(private readonly options: ModelFilesOptions) {}

  /** The folder of a model, downloaded if it is missing. @throws {LocalModelError} */
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

  /** Downloads one file; false when the hub does not have it. An incomplete download is started again. */
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

  /** Follows redirects: the first answer has the checksum of the file in a header, the last one has the content. */
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

/** The kind of checksum, by its length: 64 hexadecimal digits are a SHA-256 of the file, 40 are a git blob SHA-1. */
function sumOf(etag: string | null): string | null {
  return /^(?:W\/)?"?([0-9a-f]{64}|[0-9a-f]{40})"?$/.exec(etag ?? '')?.[1] ?? null;
}

/** Compares a download with the checksum that the hub announced. */
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
    // A git blob hash covers the length too, so the content is collected first; such files are small.
    if (this.sum?.length === 40) this.#chunks.push(chunk);
  }
}

async function exists(file: string): Promise<boolean> {
  return fs.access(file).then(
    () => true,
    () => false,
  );
}
