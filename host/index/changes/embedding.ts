import fs from 'node:fs';
import path from 'node:path';
import { type ApiError, errorAs } from '../../../bindings/errors.js';
import type { IndexSettings } from '../../../bindings/index-types.js';
import type { ApplyInput, Refusal } from '../build/apply.js';
import type { IndexJobs } from '../build/jobs.js';
import type { RebuildInput } from '../build/rebuild.js';
import { ownersOf, type TextLine } from '../build/vectors/texts.js';
import { wayOutOf } from '../build/vectors/work.js';
import type { PayloadIntake } from '../payloads/payload-intake.js';
import type { Progress } from '../types.js';

/** Texts of documents that embedders of an index are to embed. */
export interface EmbeddingOrder {
  uid: string;
  embedders: IndexSettings['embedders'];
  /** File with a line of JSON a text: see {@link TextLine}. */
  texts: string;
  /** How many. */
  count: number;
  /** File that the embeddings go to: see host/index/build/vectors/embeddings-file.ts. */
  embeddings: string;
}

/** A document with a text that could not be embedded, and why. */
export interface EmbeddingFailure {
  line: Omit<TextLine, 'value'>;
  error: ApiError;
}

/** Has texts embedded; answers those that could not be, each with its first document. */
export type Embed = (order: EmbeddingOrder) => Promise<EmbeddingFailure[]>;

/** Files of one piece of embedding work, below the folder of payloads. */
export interface EmbeddingFiles {
  folder: string;
  /** Of their names. */
  prefix: string;
}

/** How work on documents goes on. */
export interface WorkOptions {
  progress?: Progress | undefined;
  /** Has texts embedded; without it what has no vectors gets none. */
  embed?: Embed | undefined;
}

/** Has work done that may make embeddings; their file is gone after it. */
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
  /** File below the folder; null: nothing was to be embedded. */
  embeddings: string | null;
}

/**
 * Embeds what a batch of document operations needs. Operations with a document that cannot be embedded are refused, which changes what the
 * others make of the documents, so those are looked at again.
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

/** Failures of texts as those of each document that has one of them. */
async function ofAllDocuments(texts: string, failures: readonly EmbeddingFailure[]): Promise<EmbeddingFailure[]> {
  const owners = await ownersOf(texts, new Set(failures.map(({ line }) => line.hash)));
  return failures.flatMap(({ line: { embedder, hash }, error }) =>
    (owners.get(hash) ?? []).map((owner): EmbeddingFailure => ({ line: { ...owner, embedder, hash }, error })),
  );
}

/** Every operation that a document is made of fails with it, and names the documents that could not be embedded. */
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

/** Documents named in a message. */
const NAMED = 10;

/** Causes named in a message. */
const CAUSES = 5;

/** One error for the documents that could not be embedded: which they are, and why each. */
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

/** Embeds what new settings need. @throws {ApiError} when some document cannot be embedded. @returns the file, or null */
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
