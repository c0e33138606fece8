import fs from 'node:fs';
import path from 'node:path';
import { type ApiError, errorAs } from '../../../bindings/errors.js';
import type { IndexSettings } from '../../../bindings/index-types.js';
import type { ApplyInput, Refusal } from '../build/batch-job.js';
import type { IndexJobs } from '../build/jobs.js';
import type { RebuildInput } from '../build/rebuild.js';
import { ownersOf, type TextLine } from '../build/vectors/texts.js';
import { wayOutOf } from '../build/vectors/work.js';
import type { PayloadIntake } from '../payloads/payload-intake.js';
import type { Progress } from '../types.js';

/** Document texts that the embedders of an index must embed. */
export interface EmbeddingOrder {
  uid: string;
  embedders: IndexSettings['embedders'];
  /** File with one line of JSON per text: see {@link TextLine}. */
  texts: string;
  /** Number of texts. */
  count: number;
  /** File for the embeddings: see host/index/build/vectors/embeddings-file.ts. */
  embeddings: string;
}

/** A document with a text that could not be embedded, and the reason. */
export interface EmbeddingFailure {
  line: Omit<TextLine, 'value'>;
  error: ApiError;
}

/** Embeds texts. @returns the texts that could not be embedded, each with the first document that contains it */
export type Embed = (order: EmbeddingOrder) => Promise<EmbeddingFailure[]>;

/** Temporary files of one embedding run, below the payload folder. */
export interface EmbeddingFiles {
  folder: string;
  /** Prefix of their names. */
  prefix: string;
}

/** Callbacks and options of work on documents. */
export interface WorkOptions {
  progress?: Progress | undefined;
  /** Embeds texts; without it, documents without vectors get none. */
  embed?: Embed | undefined;
}

/** Runs work that may embed texts, and removes its files afterwards. */
export async function withEmbeddingFiles<T>(payloads: PayloadIntake, work: (files: EmbeddingFiles) => Promise<T>): Promise<T> {
  const prefix = payloads.name();
  try {
    return await work({ folder: payloads.folder, prefix });
  } finally {
    payloads.drop([`${prefix}-embeddings`]);
  }
}

export interface EmbeddedBatch {
  refusals: Refusal[];
  /** File below the payload folder; null: there was nothing to embed. */
  embeddings: string | null;
}

/**
 * Embeds the texts of a batch. Operations with a document that cannot be embedded are refused; this changes the final versions of
 * documents, so the texts are determined again.
 */
export async function embedBatch(
  jobs: IndexJobs,
  input: () => ApplyInput,
  { folder, prefix }: EmbeddingFiles,
  embed: Embed,
  progress?: Progress,
): Promise<EmbeddedBatch> {
  const [texts, embeddings] = [`${prefix}-texts`, `${prefix}-embeddings`];
  let refusals: Refusal[] = [];
  try {
    for (;;) {
      const { view, ...rest } = input();
      const { uid, settings } = view;
      const found = await jobs.documentTexts({ ...rest, view, refusals, texts: path.join(folder, texts) }, progress);
      refusals = found.refusals;
      if (found.count === 0) return { refusals, embeddings: null };
      const failures = await embed({
        uid,
        embedders: settings.embedders,
        texts: path.join(folder, texts),
        count: found.count,
        embeddings: path.join(folder, embeddings),
      });
      if (failures.length === 0) return { refusals, embeddings };
      refusals = [...refusals, ...refusedBy(await ofAllDocuments(path.join(folder, texts), failures))];
    }
  } finally {
    fs.rmSync(path.join(folder, texts), { force: true });
  }
}

/** Extends failures from the first document of each text to all documents that contain it. */
async function ofAllDocuments(texts: string, failures: readonly EmbeddingFailure[]): Promise<EmbeddingFailure[]> {
  const owners = await ownersOf(texts, new Set(failures.map(({ line }) => line.hash)));
  return failures.flatMap(({ line: { embedder, hash }, error }) =>
    (owners.get(hash) ?? []).map((owner): EmbeddingFailure => ({ line: { ...owner, embedder, hash }, error })),
  );
}

/** Refuses every operation that contributed to a failed document, naming the documents that could not be embedded. */
function refusedBy(failures: readonly EmbeddingFailure[]): Refusal[] {
  const byOperation = new Map<number, EmbeddingFailure[]>();
  for (const failure of failures) {
    for (const operation of failure.line.operations) {
      const own = byOperation.get(operation);
      if (own) own.push(failure);
      else byOperation.set(operation, [failure]);
    }
  }
  return [...byOperation].map(([operation, own]) => {
    const { code, message } = failureError(own);
    return { operation, code, message };
  });
}

/** Most documents named in a message. */
const NAMED = 10;

/** Most causes named in a message. */
const CAUSES = 5;

/** One error for all documents that could not be embedded, with the cause for each. */
function failureError(failures: readonly EmbeddingFailure[]): ApiError {
  const { error, line } = failures[0] as EmbeddingFailure;
  const causes = new Map<string, Set<string>>();
  for (const { error, line } of failures) {
    const documents = causes.get(error.message) ?? new Set();
    causes.set(error.message, documents.add(`\`${line.document}\``));
  }
  const count = new Set(failures.map(({ line: { document } }) => document)).size;
  const told = [...causes].slice(0, CAUSES).map(([message, documents]) => `(${listed(documents)}): ${message}`);
  const misspelt = failures.find(({ line }) => line.meant !== undefined)?.line ?? line;
  const wayOut = wayOutOf(misspelt.embedder, misspelt.document, misspelt.meant ?? null);
  return errorAs(error.code, 'documentsNotEmbedded', { embedder: line.embedder, count, causes: told.join(' And '), wayOut });
}

function listed(documents: ReadonlySet<string>): string {
  const some = [...documents].slice(0, NAMED).join(', ');
  return documents.size > NAMED ? `${some}, …` : some;
}

/** Embeds the texts for new settings. @throws {ApiError} when a document cannot be embedded. @returns the file, or null */
export async function embedRebuild(
  jobs: IndexJobs,
  input: RebuildInput,
  { folder, prefix }: EmbeddingFiles,
  embed: Embed,
  progress?: Progress,
): Promise<string | null> {
  const texts = path.join(folder, `${prefix}-texts`);
  const embeddings = path.join(folder, `${prefix}-embeddings`);
  try {
    const count = await jobs.rebuildTexts({ ...input, texts }, progress);
    if (count === 0) return null;
    const { uid } = input.view;
    const failures = await embed({ uid, embedders: input.settings.embedders, texts, count, embeddings });
    if (failures.length > 0) throw failureError(await ofAllDocuments(texts, failures));
    return embeddings;
  } finally {
    fs.rmSync(texts, { force: true });
  }
}
