import type { Dispatcher } from 'undici';
import { EmbedderFailure } from '../errors.js';
import { ModelFiles, type ModelName } from './files.js';
import { LocalModelError, type Pooling } from './model.js';
import { optionalPackage, TOKENIZERS } from './packages.js';
import { ModelThread } from './thread.js';

export interface LocalModelsOptions {
  /** Folder of all models. */
  folder: string;
  dispatcher: Dispatcher;
  /** Base address for downloads instead of Hugging Face. */
  hub?: string | undefined;
}

export interface LocalModelChoice extends ModelName {
  pooling: Pooling;
}

/** Models that run in this process. */
export class LocalModels {
  readonly #files: ModelFiles;
  readonly #thread = new ModelThread();
  /** Folders of the models that have been used, by name. */
  readonly #folders = new Map<string, string>();

  constructor(private readonly options: LocalModelsOptions) {
    this.#files = new ModelFiles(options);
  }

  /** @param isQuery a search is waiting: it goes before documents. @throws {EmbedderFailure} */
  async embed(
    { pooling, ...name }: LocalModelChoice,
    texts: readonly string[],
    isQuery: boolean,
    signal: AbortSignal,
  ): Promise<Float32Array[]> {
    const { folder: models } = this.options;
    try {
      await optionalPackage(TOKENIZERS, models);
      const folder = await this.#files.folderOf(name);
      this.#folders.set(JSON.stringify(name), folder);
      const place = { folder, pooling, models };
      return await this.#thread.embed({ place, texts }, isQuery, signal);
    } catch (error) {
      throw error instanceof LocalModelError ? new EmbedderFailure('model', error.message) : error;
    }
  }

  /** Whether embedding a text takes no longer than caching its vector would. False for a model that has not been used yet. */
  isFast({ pooling: _, ...name }: LocalModelChoice): boolean {
    const folder = this.#folders.get(JSON.stringify(name));
    return folder !== undefined && this.#thread.isFast(folder);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
