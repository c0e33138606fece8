import path from 'node:path';
import { documentKey } from '../../../bindings/engine/json.js';
import { ApiError, apiError, errorAs } from '../../../bindings/errors.js';
import type { IndexView } from '../../../bindings/index-types.js';
import type { FilterNode } from '../../../bindings/query/filter-ast.js';
import { evaluateFilter } from '../../../bindings/query/filter-evaluate.js';
import { JsonSyntaxError } from '../../../bindings/query/json.js';
import type { BuildResources } from '../build/build-resources.js';
import { checkedFilter } from '../build/checked-filter.js';
import { keyText } from '../build/documents/key-text.js';
import { StoredDocuments, type StoredLocation } from '../build/documents/stored-documents.js';
import type { Edition } from '../document-operations.js';
import { PayloadWriter } from '../payloads/payload-writer.js';
import { restoreNumbers } from './number-texts.js';
import { Sandbox } from './sandbox.js';

export interface EditionInput {
  view: IndexView;
  edition: Edition;
  /** Folder of the payloads, and prefix of the files that are made. */
  folder: string;
  prefix: string;
}

export interface EditionOutput {
  /** Number of documents that the filter selects. */
  selected: number;
  /** Payloads with the documents that the script changed. */
  files: string[];
  deleted: string[];
}

/**
 * Runs a script over stored documents. Changed documents are written to payloads, as if a client had sent them.
 * @throws {ApiError} of the filter, or of the first document for which the script fails
 */
export async function editDocuments(input: EditionInput, resources: BuildResources): Promise<EditionOutput> {
  const { view, edition } = input;
  const sandbox = await Sandbox.open(edition.script, edition.context);
  const filter = checkedFilter(view, edition.filter);
  const output: EditionOutput = { selected: 0, files: [], deleted: [] };
  if (view.segments.length === 0) return output;
  const stored = new StoredDocuments(resources.open(view));
  const total = view.segments.reduce((sum, { liveCount }) => sum + liveCount, 0);
  let payload: PayloadWriter | null = null;
  for (const location of selection(stored, view, filter)) {
    resources.progress('running the function', output.selected++, total);
    const key = keyText(stored.key(location));
    const before = Buffer.from(stored.read(location)).toString();
    const outcome = named(key, () => sandbox.run(before));
    if (outcome.kind === 'deleted') output.deleted.push(key);
    if (outcome.kind !== 'replaced') continue;
    const after = Buffer.from(named(key, () => restoreNumbers(before, outcome.json)));
    checkKey(resources, after, view.primaryKey!, key);
    if (payload?.full) {
      payload.finish();
      payload = null;
    }
    payload ??= beginPayload(input, output);
    payload.add(after);
  }
  payload?.finish();
  return output;
}

function beginPayload({ folder, prefix }: EditionInput, { files }: EditionOutput): PayloadWriter {
  const file = `${prefix}-${files.length}.payload`;
  files.push(file);
  return new PayloadWriter(path.join(folder, file));
}

function selection(stored: StoredDocuments, view: IndexView, filter: FilterNode | null): Iterable<StoredLocation> {
  if (!filter) return stored.inOrder([...view.segments.keys()]);
  return stored.selected(evaluateFilter(stored.reader, filter));
}

/** Adds the document to error messages. */
function named<T>(key: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ApiError) throw errorAs(error.code, 'inDocument', { key, message: error.message });
    if (error instanceof JsonSyntaxError) throw changed(key, `leaves text that JSON cannot hold (${error.message})`);
    throw error;
  }
}

function checkKey({ instance }: BuildResources, json: Uint8Array, primaryKey: string, key: string): void {
  const found = documentKey(instance, json, primaryKey);
  if (found.kind === 'missing') throw apiError('missing_document_id', 'takenAway', { key, primaryKey });
  if (found.kind === 'invalid' || keyText(found.key) !== key) throw changed(key, `changes the primary key \`${primaryKey}\``);
}

function changed(key: string, problem: string): ApiError {
  return apiError('edit_documents_by_function_error', 'document', { key, problem });
}
