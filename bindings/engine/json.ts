import { type ApiError, apiError } from '../errors.js';
import {
  DOCUMENTS_JSON,
  DOCUMENTS_NDJSON,
  ERROR_ARRAY,
  ERROR_COLON,
  ERROR_CONTROL,
  ERROR_DEPTH,
  ERROR_END,
  ERROR_ESCAPE,
  ERROR_NAME,
  ERROR_NOT_OBJECT,
  ERROR_NUMBER,
  ERROR_OBJECT,
  ERROR_RANGE,
  ERROR_SURROGATE,
  ERROR_TRAILING,
  ERROR_UTF8,
  ERROR_VALUE,
  KEY_MISSING,
  KEY_OK,
  SCAN_START,
} from './exports.js';
import type { EngineInstance } from './instance.js';

/** Where the documents of a payload stand: document i is bytes [starts[i], ends[i]). */
export interface ScannedDocuments {
  count: number;
  starts: Uint32Array;
  ends: Uint32Array;
}

/** A payload that is refused. `offset` is a byte; `line` and `column` count from 1, the column in bytes. */
export class JsonError extends Error {
  constructor(
    /** `not-object`: valid JSON, but a document is no object. */
    readonly kind: 'malformed' | 'not-object',
    readonly reason: string,
    readonly offset: number,
    readonly line: number,
    readonly column: number,
  ) {
    super(`${reason} at line ${line} column ${column}`);
  }
}

export type DocumentKey =
  | { kind: 'ok'; key: Uint8Array }
  | { kind: 'missing' }
  /** `value`: the JSON text of what stands there. */
  | { kind: 'invalid'; value: string };

/** Why a text is refused. */
const REASONS = new Map<number, string>([
  [ERROR_END, 'the text ends inside a value'],
  [ERROR_VALUE, 'a value was expected'],
  [ERROR_NAME, 'a member name was expected'],
  [ERROR_COLON, "':' was expected"],
  [ERROR_OBJECT, "',' or the end of the object was expected"],
  [ERROR_ARRAY, "',' or the end of the array was expected"],
  [ERROR_ESCAPE, 'invalid escape'],
  [ERROR_CONTROL, 'control character in a string'],
  [ERROR_UTF8, 'invalid UTF-8'],
  [ERROR_SURROGATE, 'half of a surrogate pair'],
  [ERROR_NUMBER, 'invalid number'],
  [ERROR_RANGE, 'number out of range'],
  [ERROR_DEPTH, 'values are nested too deeply'],
  [ERROR_TRAILING, 'only white space may follow'],
  [ERROR_NOT_OBJECT, 'a document must be an object'],
]);

/** A document has more fields than an index can have. */
export function tooManyFields(): ApiError {
  return apiError('max_fields_limit_exceeded', 'fields');
}

/** Line and column of a byte offset. */
function place(bytes: Uint8Array, offset: number): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (let at = bytes.indexOf(10); at >= 0 && at < offset; at = bytes.indexOf(10, at + 1)) {
    line++;
    start = at + 1;
  }
  return { line, column: offset - start + 1 };
}

function scanError(instance: EngineInstance, bytes: Uint8Array): JsonError {
  const code = instance.exports.jsonError();
  const offset = instance.exports.jsonErrorOffset();
  const { line, column } = place(bytes, offset);
  const kind = code === ERROR_NOT_OBJECT ? 'not-object' : 'malformed';
  return new JsonError(kind, REASONS.get(code) ?? 'malformed', offset, line, column);
}

/**
 * Checks a payload and finds its documents. `json`: one object or an array of objects; `ndjson`: a sequence of objects.
 * @throws {JsonError}
 */
export function scanDocuments(instance: EngineInstance, bytes: Uint8Array, format: 'json' | 'ndjson'): ScannedDocuments {
  return instance.scoped(() => {
    const text = instance.put(bytes);
    const mode = format === 'json' ? DOCUMENTS_JSON : DOCUMENTS_NDJSON;
    const count = instance.exports.jsonScanDocuments(text, bytes.length, mode);
    if (count < 0) throw scanError(instance, bytes);
    const pairs = instance.u32(instance.exports.jsonDocumentsPointer(), count * 2);
    const starts = new Uint32Array(count);
    const ends = new Uint32Array(count);
    for (let i = 0; i < count; i++) {
      starts[i] = pairs[2 * i] as number;
      ends[i] = pairs[2 * i + 1] as number;
    }
    return { count, starts, ends };
  });
}

/** Documents that end in a piece of a payload. */
export interface ScannedPiece {
  /** Bytes that were read: the next piece begins with the others. */
  read: number;
  /** (start, end) of each, in bytes from the beginning of the piece; valid until the next call into the instance. */
  places: Uint32Array;
}

/** Checks a payload that comes in pieces, each with what was left of the one before. */
export class PayloadScanner {
  #state = SCAN_START;

  constructor(
    readonly instance: EngineInstance,
    readonly format: 'json' | 'ndjson',
  ) {}

  /**
   * @param last nothing follows
   * @throws {JsonError} of which only the offset in the piece is right, not line and column
   */
  scan(piece: Uint8Array, last: boolean): ScannedPiece {
    const { instance, format } = this;
    return instance.scoped(() => {
      const { exports } = instance;
      const mode = format === 'json' ? DOCUMENTS_JSON : DOCUMENTS_NDJSON;
      const count = exports.jsonScanPiece(instance.put(piece), piece.length, mode, this.#state, last);
      if (count < 0) throw scanError(instance, piece);
      this.#state = exports.jsonScanState();
      return { read: exports.jsonScanned(), places: instance.u32(exports.jsonDocumentsPointer(), count * 2) };
    });
  }
}

/**
 * Checks that bytes are one JSON value.
 * @throws {JsonError}
 */
export function validateJson(instance: EngineInstance, bytes: Uint8Array): void {
  instance.scoped(() => {
    const text = instance.put(bytes);
    if (instance.exports.jsonValidate(text, bytes.length) < 0) throw scanError(instance, bytes);
  });
}

/** Reads the ids of many documents under one primary key; it takes scratch until the job ends that it is made in. */
export class DocumentKeys {
  readonly #path: { pointer: number; length: number };

  constructor(
    private readonly instance: EngineInstance,
    primaryKeyPath: string,
  ) {
    this.#path = instance.putText(primaryKeyPath);
  }

  /** The id of a document (valid JSON object). A key is a view, valid until the instance is used again. */
  read(json: Uint8Array): DocumentKey {
    const { instance } = this;
    const { exports } = instance;
    const mark = exports.arenaMark();
    const text = instance.put(json);
    const outcome = exports.jsonDocumentKey(text, json.length, this.#path.pointer, this.#path.length);
    const pointer = exports.jsonKeyPointer();
    const length = exports.jsonKeyLength();
    exports.arenaReset(mark);
    if (outcome === KEY_MISSING) return { kind: 'missing' };
    if (outcome === KEY_OK) return { kind: 'ok', key: instance.bytes.subarray(pointer, pointer + length) };
    return { kind: 'invalid', value: instance.text(pointer, length) };
  }
}

/** The id of a document (valid JSON object) under a primary key, which may be dotted. */
export function documentKey(instance: EngineInstance, json: Uint8Array, primaryKeyPath: string): DocumentKey {
  return instance.scoped(() => {
    const text = instance.put(json);
    const path = instance.putText(primaryKeyPath);
    const outcome = instance.exports.jsonDocumentKey(text, json.length, path.pointer, path.length);
    if (outcome === KEY_MISSING) return { kind: 'missing' };
    const pointer = instance.exports.jsonKeyPointer();
    const length = instance.exports.jsonKeyLength();
    if (outcome === KEY_OK) return { kind: 'ok', key: instance.bytes.slice(pointer, pointer + length) };
    return { kind: 'invalid', value: instance.text(pointer, length) };
  });
}

/**
 * Members of `fresh` over those of `old` (both valid JSON objects), without white space: a member of both keeps its place and
 * takes the fresh value. Values keep their bytes.
 * @throws {ApiError} max_fields_limit_exceeded
 */
export function mergeObjects(instance: EngineInstance, old: Uint8Array, fresh: Uint8Array): Uint8Array {
  return instance.scoped(() => {
    const oldText = instance.put(old);
    const freshText = instance.put(fresh);
    const out = instance.alloc(old.length + fresh.length + 16);
    const length = instance.exports.jsonMerge(oldText, old.length, freshText, fresh.length, out);
    if (length === 0) throw tooManyFields();
    return instance.bytes.slice(out, out + length);
  });
}

/**
 * A valid JSON text without white space, and with the last value of each member that is given twice.
 * @throws {ApiError} max_fields_limit_exceeded
 */
export function compactJson(instance: EngineInstance, json: Uint8Array): Uint8Array {
  return instance.scoped(() => {
    const text = instance.put(json);
    const out = instance.alloc(json.length + 16);
    const length = instance.exports.jsonCompact(text, json.length, out);
    if (length === 0) throw tooManyFields();
    return instance.bytes.slice(out, out + length);
  });
}

/** Names of the members of a valid JSON object, in order, each once. */
export function topLevelNames(instance: EngineInstance, json: Uint8Array): string[] {
  return instance.scoped(() => {
    const text = instance.put(json);
    const names: string[] = [];
    for (let found = instance.exports.jsonMemberFirst(text, json.length); found; found = instance.exports.jsonMemberNext()) {
      names.push(instance.text(instance.exports.jsonMemberName(), instance.exports.jsonMemberNameLength()));
    }
    return [...new Set(names)];
  });
}
