import fs from 'node:fs';
import { gzipSync } from 'node:zlib';
import { vectorsJson } from '../../../bindings/format/vectors-json.js';
import type { IndexSettings, IndexView } from '../../../bindings/index-types.js';
import type { FilterNode } from '../../../bindings/query/filter-ast.js';
import { evaluateFilter } from '../../../bindings/query/filter-evaluate.js';
import { FileWriter } from '../../storage/file-writer.js';
import { hasBit } from '../tombstones.js';
import type { BuildResources } from './build-resources.js';
import { checkedFilter } from './checked-filter.js';
import { StoredDocuments, type StoredLocation } from './documents/stored-documents.js';
import { withMember } from './vectors/members.js';

export interface ExtractInput {
  view: IndexView;
  /** JSON as in the member `filter` of a search; null: all documents. */
  filter: unknown;
  /** One plain file; when `cutAt` is given, gzipped files named `<file>.0`, `<file>.1`, … */
  file: string;
  /** Most bytes of one file before compression, except that each has at least one document; null: a single file. */
  cutAt: number | null;
}

export interface ExtractOutput {
  count: number;
  /** In order; empty when `cutAt` is given and no document matches. */
  files: string[];
}

const LINE_FEED = Buffer.from('\n');
/**
 * Writes documents of an index as NDJSON by ascending internal id, the order that breaks ties in rankings.
 * @throws {ApiError} invalid_document_filter
 */
export function extract({ view, filter, file, cutAt }: ExtractInput, { open, progress }: BuildResources): ExtractOutput {
  const writer = cutAt === null ? new WholeFile(file) : new CutFiles(file, cutAt);
  let count = 0;
  try {
    const node = checkedFilter(view, filter);
    if (view.segments.length > 0) {
      const stored = new StoredDocuments(open(view));
      const matches = matcher(stored, node);
      const total = view.segments.reduce((sum, { liveCount }) => sum + liveCount, 0);
      let seen = 0;
      for (const location of stored.inOrder([...view.segments.keys()])) {
        progress('writing documents', seen++, total);
        if (!matches(location)) continue;
        writer.add(withVectors(stored, location, view.settings));
        count++;
      }
    }
    return { count, files: writer.finish() };
  } catch (error) {
    writer.discard();
    throw error;
  }
}

/** A document with its vectors, so that an import need not embed it again. */
function withVectors(stored: StoredDocuments, location: StoredLocation, { embedders }: IndexSettings): Uint8Array {
  const json = stored.read(location);
  if (Object.keys(embedders).length === 0) return json;
  return withMember(json, vectorsJson(json, stored.vectors(location), embedders));
}

function matcher(stored: StoredDocuments, filter: FilterNode | null): (location: StoredLocation) => boolean {
  if (!filter) return () => true;
  const { instance, bitmapBytes, segments } = stored.reader;
  const bitmap = evaluateFilter(stored.reader, filter);
  const bits = instance.bytes.slice(bitmap, bitmap + bitmapBytes);
  return ({ segment, local }) => {
    return hasBit(bits, (segments[segment]?.base as number) + local);
  };
}

/** Writes all lines to one file. */
class WholeFile {
  readonly #writer: FileWriter;

  constructor(readonly file: string) {
    this.#writer = new FileWriter(file);
  }

  add(line: Uint8Array): void {
    this.#writer.add(line, LINE_FEED);
  }

  finish(): string[] {
    this.#writer.finish();
    return [this.file];
  }

  discard(): void {
    this.#writer.discard();
  }
}

/** Writes lines to gzipped files of limited size. */
class CutFiles {
  readonly #files: string[] = [];
  #lines: Uint8Array[] = [];
  #bytes = 0;

  constructor(
    readonly file: string,
    readonly cutAt: number,
  ) {}

  add(line: Uint8Array): void {
    if (this.#bytes > 0 && this.#bytes + line.length + 1 > this.cutAt) this.#cut();
    this.#lines.push(line, LINE_FEED);
    this.#bytes += line.length + 1;
  }

  finish(): string[] {
    if (this.#bytes > 0) this.#cut();
    return this.#files;
  }

  discard(): void {
    for (const file of this.#files) fs.rmSync(file, { force: true });
  }

  #cut(): void {
    const file = `${this.file}.${this.#files.length}`;
    this.#files.push(file);
    fs.writeFileSync(file, gzipSync(Buffer.concat(this.#lines)));
    this.#lines = [];
    this.#bytes = 0;
  }
}
