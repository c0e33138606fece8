import { type ApiError, apiError } from '../errors.js';
import { type DocumentRun, runOf } from './document-run.js';
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
  JsonScan,
  type JsonScanFields,
  KEY_MISSING,
  KEY_OK,
  DocumentKeys as KeysRecord,
  type DocumentKeysFields as KeysRecordFields,
  MemberNames,
  SCAN_START,
} from './exports.js';
import type { EngineInstance } from './instance.js';

/** The ranges of the documents of a payload: document i is bytes [starts[i], ends[i]). */
export interface ScannedDocuments {
  count: number;
  starts: Uint32Array;
  ends: Uint32Array;
}

/** A malformed payload. `offset` is in bytes; `line` and `column` start at 1, the column in bytes. */
export class JsonError extends Error {
  constructor(
    /** `not-object`: valid JSON, but a document is not an object. */
    readonly kind: 'malformed' | 'not-object',
    readonly reason: string,
    readonly offset: number,
    readonly line: number,
    readonly column: number,
  ) {
    super(`${reason} at line ${line} column ${column}`);
  }
}

/** Why a document has no id. `value`: the JSON text found in place of an id. */
export type KeyFault = { kind: 'missing' } | { kind: 'invalid'; value: string };

export type DocumentKey = { kind: 'ok'; key: Uint8Array } | KeyFault;

/** Messages by error number of the engine. */
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

/** A document has more fields than an index allows. */
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

function scanError({ error, errorOffset }: JsonScanFields, bytes: Uint8Array): JsonError {
  const { line, column } = place(bytes, errorOffset);
  const kind = error === ERROR_NOT_OBJECT ? 'not-object' : 'malformed';
  return new JsonError(kind, REASONS.get(error) ?? 'malformed', errorOffset, line, column);
}

type PayloadFormat = 'json' | 'ndjson';
const FORMATS: Record<PayloadFormat, number> = { json: DOCUMENTS_JSON, ndjson: DOCUMENTS_NDJSON };

/** Scans a text, or one chunk of it. @throws {JsonError} */
function scanned(instance: EngineInstance, text: Uint8Array, format: number, state = SCAN_START, last = true): JsonScanFields {
  const found = instance.read(JsonScan, instance.exports.jsonScan(instance.put(text), text.length, format, state, last));
  if (found.error !== 0) throw scanError(found, text);
  return found;
}

/**
 * Validates a payload and finds its documents. `json`: one object or an array of objects; `ndjson`: a sequence of objects.
 * @throws {JsonError}
 */
export function scanDocuments(instance: EngineInstance, bytes: Uint8Array, format: PayloadFormat): ScannedDocuments {
  return instance.scoped(() => {
    const { documents, documentCount: count } = scanned(instance, bytes, FORMATS[format]);
    const pairs = instance.u32(documents, count * 2);
    const starts = new Uint32Array(count);
    const ends = new Uint32Array(count);
    for (let i = 0; i < count; i++) {
      starts[i] = pairs[2 * i] as number;
      ends[i] = pairs[2 * i + 1] as number;
    }
    return { count, starts, ends };
  });
}

/** The documents that end in a chunk of a payload. */
export interface ScannedPiece {
  /** Bytes consumed: the next chunk must begin with the remaining ones. */
  read: number;
  /** (start, end) of each document, in bytes from the start of the chunk. */
  places: Uint32Array;
  /** What may follow: of a scanner that goes on with the next chunk. */
  state: number;
}

/** Validates a payload chunk by chunk, each beginning with the unconsumed bytes of the one before. */
export class PayloadScanner {
  #state: number;

  /** @param state that after the chunk before */
  constructor(
    readonly instance: EngineInstance,
    readonly format: PayloadFormat,
    state = SCAN_START,
  ) {
    this.#state = state;
  }

  /**
   * @param last whether this is the last chunk
   * @throws {JsonError} whose offset is relative to the chunk; line and column are not meaningful
   */
  scan(piece: Uint8Array, last: boolean): ScannedPiece {
    const { instance, format } = this;
    return instance.scoped(() => {
      const { documents, documentCount, read, state } = scanned(instance, piece, FORMATS[format], this.#state, last);
      this.#state = state;
      return { read, places: instance.u32(documents, documentCount * 2).slice(), state };
    });
  }
}

/** What {@link DocumentKeys} read of consecutive documents. */
export interface ReadKeys {
  /** The ids one after the other, and where each ends. */
  keys: Uint8Array;
  ends: Uint32Array;
  /** What the document after those has in place of an id; null: all have one. */
  fault: KeyFault | null;
  /** RESERVED_* of each document that was read, also of the one without id; null: no document has any. */
  reserved: Uint8Array | null;
}

/**
 * Reads the ids of many documents with one primary key. Allocates scratch memory, which belongs to the job in which it was
 * created.
 */
export class DocumentKeys {
  readonly #path: { pointer: number; length: number };

  constructor(
    private readonly instance: EngineInstance,
    primaryKeyPath: string,
  ) {
    this.#path = instance.putText(primaryKeyPath);
  }

  /** The ids of consecutive documents up to the first that has none. */
  read({ bytes, places }: DocumentRun): ReadKeys {
    const { instance } = this;
    return instance.scoped(() => {
      const json = instance.put(bytes);
      const pairs = instance.put(new Uint8Array(places.buffer, places.byteOffset, places.byteLength));
      const { pointer, length } = this.#path;
      const found = instance.read(KeysRecord, instance.exports.jsonDocumentKeys(json, pairs, places.length / 2, pointer, length));
      const ends = instance.u32(found.ends, found.count).slice();
      const keys = instance.bytes.slice(found.bytes, found.bytes + (ends.at(-1) ?? 0));
      const { outcome, reservedOf } = found;
      const looked = found.count + (outcome === KEY_OK ? 0 : 1);
      const reserved = found.reserved === 0 ? null : instance.bytes.slice(reservedOf, reservedOf + looked);
      return { keys, ends, fault: this.#fault(found), reserved };
    });
  }

  #fault({ outcome, text, length }: KeysRecordFields): KeyFault | null {
    if (outcome === KEY_OK) return null;
    return outcome === KEY_MISSING ? { kind: 'missing' } : { kind: 'invalid', value: this.instance.text(text, length) };
  }
}

/** The id of a document (a valid JSON object) for a primary key, which may be a dotted path. */
export function documentKey(instance: EngineInstance, json: Uint8Array, primaryKeyPath: string): DocumentKey {
  return instance.scoped(() => {
    const { keys, fault } = new DocumentKeys(instance, primaryKeyPath).read(runOf(json));
    return fault ?? { kind: 'ok', key: keys };
  });
}

/**
 * A valid JSON text without white space, and with the last value of each member that is given twice.
 * @param over a valid object that the members of `json`, an object, are written over: each keeps its place there
 * @throws {ApiError} max_fields_limit_exceeded
 */
export function compactJson(instance: EngineInstance, json: Uint8Array, over: Uint8Array = NO_TEXT): Uint8Array {
  return instance.scoped(() => {
    const text = instance.put(json);
    const below = over.length === 0 ? 0 : instance.put(over);
    const out = instance.alloc(over.length + json.length + 16);
    const length = instance.exports.jsonCompact(text, json.length, below, over.length, out);
    if (length === 0) throw tooManyFields();
    return instance.bytes.slice(out, out + length);
  });
}

const NO_TEXT = new Uint8Array(0);

/** Calls `job` with the range [from, to) of each member name of a valid JSON object, in the instance's memory, in order. */
export function forEachName(instance: EngineInstance, json: Uint8Array, job: (from: number, to: number) => void): void {
  instance.scoped(() => {
    const names = instance.exports.jsonMemberNames(instance.put(json), json.length);
    const { list, count } = instance.read(MemberNames, names);
    const { words } = instance;
    const first = list / Uint32Array.BYTES_PER_ELEMENT;
    for (let at = first; at < first + 2 * count; at += 2) {
      const from = words[at] as number;
      job(from, from + (words[at + 1] as number));
    }
  });
}

/** The distinct member names of a valid JSON object, in order. */
export function topLevelNames(instance: EngineInstance, json: Uint8Array): string[] {
  const names = new Set<string>();
  forEachName(instance, json, (from, to) => names.add(instance.text(from, to - from)));
  return [...names];
}
