import { EmbeddingsReader } from './embeddings-file.js';
import { type PlannedText, TextPlan } from './text-plan.js';
import { embeddingFiles } from './texts.js';

/** The plan that was made when the texts of documents were collected, and the vectors of these texts. */
export class EmbeddedTexts {
  readonly #plan: TextPlan;
  readonly #vectors: EmbeddingsReader | null;

  /**
   * @param prefix see {@link embeddingFiles}
   * @param embedders number of embedders
   */
  constructor({ prefix, count }: EmbeddedFiles, embedders: number) {
    const { plan, vectors } = embeddingFiles(prefix);
    this.#plan = new TextPlan(plan, embedders);
    this.#vectors = count > 0 ? new EmbeddingsReader(vectors) : null;
  }

  /** The texts of a document for an embedder; null: nothing changes. @param document its number when the texts were collected */
  planned(document: number, embedder: number): PlannedText[] | null {
    return this.#plan.texts(document, embedder);
  }

  /** The vector of a text; null: it could not be embedded. */
  vector(text: number, dimensions: number): Float32Array | null {
    return this.#vectors?.get(text, dimensions) ?? null;
  }

  close(): void {
    this.#plan.close();
    this.#vectors?.close();
  }
}

/** The files of {@link EmbeddedTexts}. */
export interface EmbeddedFiles {
  prefix: string;
  /** Number of texts; 0: there is no file of vectors. */
  count: number;
}
