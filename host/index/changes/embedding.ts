import path from 'node:path';
import { type ApiError, errorAs } from '../../../bindings/errors.js';
import type { IndexSettings } from '../../../bindings/index-types.js';
import type { ApplyInput, Refusal } from '../build/batch/batch-job.js';
import type { RebuildInput } from '../build/segments/rebuild.js';
import type { EmbeddedFiles } from '../build/vectors/embedded-texts.js';
import { embeddingFiles, ownersOf, type TextOwner } from '../build/vectors/texts.js';
import { missingVectorHint } from '../build/vectors/work.js';
import type { PayloadIntake } from '../intake/payload-intake.js';
import type { Progress } from '../progress.js';
import type { IndexJobs } from '../threads/jobs.js';

/** Document texts that the embedders of an index must embed. */
export interface EmbeddingOrder {
  uid: string;
  embedders: IndexSettings['embedders'];
  /** File of the texts: see host/index/build/vectors/texts.ts. */
  texts: string;
  /** Number of texts. */
  count: number;
  /** File for their vectors: see host/index/build/vectors/embeddings-file.ts. */
  vectors: string;
}

/** A text that could not be embedded, and the reason. */
export interface EmbeddingFailure {
  /** Number of the text. */
  text: number;
  /** Name of the embedder. */
  embedder: string;
  error: ApiError;
}

/** A document with such a text. */
interface DocumentFailure extends TextOwner, Omit<EmbeddingFailure, 'text'> {}

/** Embeds the texts of documents. */
export interface TextEmbedder {
  /** @returns the texts that could not be embedded */
  embed(order: EmbeddingOrder): Promise<EmbeddingFailure[]>;
  /** Names of the embedders whose vectors are not cached beyond their batch. */
  uncached(embedders: IndexSettings['embedders']): string[];
}

/** Callbacks and options of work on documents. */
export interface WorkOptions {
  progress?: Progress | undefined;
  /** Embeds texts; without it, documents without vectors get none. */
  embedder?: TextEmbedder | undefined;
}

/** Runs work that may embed texts, and removes its files afterwards: those of the prefix in the payload folder. */
export async function withEmbeddingFiles<T>(payloads: PayloadIntake, work: (prefix: string) => Promise<T>): Promise<T> {
  const name = payloads.name();
  try {
    return await work(path.join(payloads.folder, name));
  } finally {
    payloads.dropAll(`${name}-`);
  }
}

export interface EmbeddedBatch {
  refusals: Refusal[];
  embedded: EmbeddedFiles;
}

/**
 * Embeds the texts of a batch. Operations with a document that cannot be embedded are refused; this changes the final versions of
 * documents, so the texts are determined again.
 * @param known operations that fail anyway
 * @param prefix of the files
 */
export async function embedBatch(
  jobs: IndexJobs,
  input: () => ApplyInput,
  known: Refusal[],
  prefix: string,
  embedder: TextEmbedder,
  progress?: Progress,
): Promise<EmbeddedBatch> {
  let refusals = known;
  for (;;) {
    const { view, ...rest } = input();
    const found = await jobs.documentTexts(
      { ...rest, view, refusals, prefix, uncached: embedder.uncached(view.settings.embedders) },
      progress,
    );
    refusals = found.refusals;
    const failures = await embedTexts(view.uid, view.settings, found.count, prefix, embedder);
    if (failures.length === 0) return { refusals, embedded: { prefix, count: found.count } };
    refusals = [...refusals, ...refusedBy(failures)];
  }
}

async function embedTexts(
  uid: string,
  { embedders }: IndexSettings,
  count: number,
  prefix: string,
  embedder: TextEmbedder,
): Promise<DocumentFailure[]> {
  if (count === 0) return [];
  const { texts, owners, vectors } = embeddingFiles(prefix);
  const failures = await embedder.embed({ uid, embedders, texts, count, vectors });
  if (failures.length === 0) return [];
  const documents = await ownersOf(owners, new Set(failures.map(({ text }) => text)));
  return failures.flatMap(({ text, ...failure }) => (documents.get(text) ?? []).map((owner) => ({ ...owner, ...failure })));
}

/** Refuses every operation that contributed to a failed document, naming the documents that could not be embedded. */
function refusedBy(failures: readonly DocumentFailure[]): Refusal[] {
  const byOperation = new Map<number, DocumentFailure[]>();
  for (const failure of failures) {
    for (const operation of failure.operations) {
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
function failureError(failures: readonly DocumentFailure[]): ApiError {
  const first = failures[0] as DocumentFailure;
  const causes = new Map<string, Set<string>>();
  for (const { error, document } of failures) {
    const documents = causes.get(error.message) ?? new Set();
    causes.set(error.message, documents.add(`\`${document}\``));
  }
  const count = new Set(failures.map(({ document }) => document)).size;
  const named = [...causes].slice(0, CAUSES).map(([message, documents]) => `(${listed(documents)}): ${message}`);
  const misspelt = failures.find(({ meant }) => meant !== undefined) ?? first;
  const wayOut = missingVectorHint(misspelt.embedder, misspelt.document, misspelt.meant ?? null);
  return errorAs(first.error.code, 'documentsNotEmbedded', {
    embedder: first.embedder,
    count,
    causes: named.join(' And '),
    wayOut,
  });
}

function listed(documents: ReadonlySet<string>): string {
  const some = [...documents].slice(0, NAMED).join(', ');
  return documents.size > NAMED ? `${some}, …` : some;
}

/** Embeds the texts for new settings. @param prefix of the files. @throws {ApiError} when a document cannot be embedded */
export async function embedRebuild(
  jobs: IndexJobs,
  input: RebuildInput,
  prefix: string,
  embedder: TextEmbedder,
  progress?: Progress,
): Promise<EmbeddedFiles> {
  const count = await jobs.rebuildTexts({ ...input, prefix, uncached: embedder.uncached(input.settings.embedders) }, progress);
  const failures = await embedTexts(input.view.uid, input.settings, count, prefix, embedder);
  if (failures.length > 0) throw failureError(failures);
  return { prefix, count };
}
