import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { type ApiError, apiError } from '../../../bindings/errors.js';
import type { DocumentRanges } from './payload-format.js';

type CellType = 'string' | 'number' | 'boolean';

interface Column {
  /** JSON of the member name. */
  name: string;
  type: CellType;
}

const CELL_TYPES = new Set(['string', 'number', 'boolean']);
const INTEGER = /^[+-]?\d+$/;
const FLOAT = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const NOT_FINITE = /^[+-]?(nan|inf|infinity)$/i;
const INTEGER_MIN = -(2n ** 63n);
const INTEGER_MAX = 2n ** 63n - 1n;

function malformed(reason: string): ApiError {
  return apiError('malformed_payload', 'csv', { reason });
}

/** `name:type`, split at the last colon; an unknown type is part of the name. */
function columnOf(cell: string): Column {
  const colon = cell.lastIndexOf(':');
  const type = cell.slice(colon + 1);
  if (colon < 0 || !CELL_TYPES.has(type)) return { name: JSON.stringify(cell), type: 'string' };
  return { name: JSON.stringify(cell.slice(0, colon)), type: type as CellType };
}

/** The JSON number of a cell, or null when it is none. A float stays recognisable as one: `5.` becomes `5.0`. */
function numberJson(text: string): string | null {
  if (INTEGER.test(text)) {
    const integer = BigInt(text.replace(/^\+/, ''));
    if (integer >= INTEGER_MIN && integer <= INTEGER_MAX) return String(integer);
  }
  if (FLOAT.test(text)) {
    const float = Number(text);
    if (!Number.isFinite(float)) return 'null';
    const shortest = Object.is(float, -0) ? '-0' : String(float);
    return INTEGER.test(shortest) ? `${shortest}.0` : shortest;
  }
  return NOT_FINITE.test(text) ? 'null' : null;
}

/** By column type: converts a cell to JSON; null when it does not fit the type. */
const CELL_JSON: Record<CellType, (cell: string) => string | null> = {
  string: (cell) => (cell === '' ? 'null' : JSON.stringify(cell)),
  number: (cell) => (cell.trim() === '' ? 'null' : numberJson(cell.trim())),
  boolean: (cell) => {
    const text = cell.trim();
    if (text === '') return 'null';
    return text === 'true' || text === 'false' ? text : null;
  },
};

/** A long value in a message: its beginning and its end. */
function quote(value: string): string {
  return value.length > 135 ? `${value.slice(0, 50)}…${value.slice(-85)}` : value;
}

const OPTIONS = {
  quote: '"',
  escape: '"',
  bom: true,
  record_delimiter: ['\r\n', '\n', '\r'],
  skip_empty_lines: true,
  relax_column_count: true,
  relax_quotes: true,
};

/**
 * Converts a CSV payload to JSON documents: their text, and where each begins and ends in it. The first record has the member
 * names.
 * @throws {ApiError} malformed_payload
 */
export async function csvDocuments(bytes: Uint8Array, delimiter?: string): Promise<DocumentRanges & { text: Uint8Array }> {
  const documents: Buffer[] = [];
  const pieces = [Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)];
  for await (const document of csvTexts(pieces, delimiter)) documents.push(document);
  return joined(documents);
}

/**
 * Converts a CSV payload that arrives in chunks, document by document.
 * @throws {ApiError} malformed_payload
 */
export async function* csvTexts(pieces: Iterable<Buffer> | AsyncIterable<Buffer>, delimiter = ','): AsyncGenerator<Buffer> {
  const parser = parse({ ...OPTIONS, delimiter });
  const fed = pipeline(Readable.from(wellFormed(pieces), { objectMode: false }), parser);
  // The parser reports the same error.
  fed.catch(() => {});
  let columns: Column[] | null = null;
  let records = 0;
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      if (columns) yield Buffer.from(documentJson(columns, cells, ++records));
      else columns = cells.map(columnOf);
    }
  } catch (error) {
    if (error instanceof CsvError) throw malformed(`record ${records + 1}: ${error.message}`);
    throw error;
  }
}

/** Passes the chunks on. @throws {ApiError} malformed_payload when they are not UTF-8 */
async function* wellFormed(pieces: Iterable<Buffer> | AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const check = (piece?: Buffer) => {
    try {
      decoder.decode(piece, { stream: piece !== undefined });
    } catch {
      throw malformed('it is not valid UTF-8');
    }
  };
  for await (const piece of pieces) {
    check(piece);
    if (piece.length > 0) yield piece;
  }
  check();
}

function documentJson(columns: Column[], cells: string[], record: number): string {
  if (cells.length !== columns.length) {
    const found = quote(cells.join(','));
    throw malformed(`record ${record} has ${cells.length} cells where the header has ${columns.length}: \`${found}\``);
  }
  const members = new Map<string, string>();
  for (const [index, { name, type }] of columns.entries()) {
    const cell = cells[index] as string;
    const json = CELL_JSON[type](cell);
    if (json === null) throw malformed(`record ${record}: \`${quote(cell)}\` is not a ${type}`);
    members.set(name, json);
  }
  return `{${[...members].map(([name, json]) => `${name}:${json}`).join(',')}}`;
}

function joined(documents: Buffer[]): DocumentRanges & { text: Uint8Array } {
  const count = documents.length;
  const starts = new Uint32Array(count);
  const ends = new Uint32Array(count);
  let at = 0;
  for (const [index, document] of documents.entries()) {
    starts[index] = at;
    at += document.length;
    ends[index] = at;
  }
  return { count, starts, ends, text: Buffer.concat(documents, at) };
}
