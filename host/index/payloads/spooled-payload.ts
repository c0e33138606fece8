import fs from 'node:fs';
import type { EngineInstance } from '../../../bindings/engine/instance.js';
import { DocumentKeys, JsonError, PayloadScanner } from '../../../bindings/engine/json.js';
import { csvTexts } from './payload-csv.js';
import { HEADER_BYTES, type Ids } from './payload-format.js';
import { malformedJson } from './payload-scan.js';
import { PayloadWriter } from './payload-writer.js';
import type { ScannedPayload } from './scanned-payload.js';

const LINE_FEED = 0x0a;
/** Bytes read at once while lines are counted. */
const COUNT_BYTES = 1 << 20;

/** Kept per thread: it scans one piece at a time, and a buffer for each would pile up as garbage. */
let pieceBuffer: Buffer | null = null;
/** Longer pieces, which are rare, get a buffer of their own. */
const BUFFER_BYTES = 1 << 20;

/** A CSV body in a file, from {@link HEADER_BYTES} on. */
export interface SpooledCsv {
  file: string;
  csvDelimiter?: string | undefined;
}

/**
 * Turns a CSV body in a file into a payload, in place. Memory does not depend on its length, except for the offsets of its
 * documents.
 * @throws {ApiError} malformed_payload
 */
export async function convertCsv({ file, csvDelimiter }: SpooledCsv): Promise<ScannedPayload> {
  const writer = new PayloadWriter(`${file}.json`);
  try {
    const body = fs.createReadStream(file, { start: HEADER_BYTES, highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>;
    for await (const document of csvTexts(body, csvDelimiter)) writer.add(document);
  } catch (error) {
    writer.discard();
    throw error;
  }
  const bytes = writer.finish();
  fs.renameSync(writer.file, file);
  return { count: writer.count, bytes };
}

/** A piece of a JSON text in a file, which begins at {@link HEADER_BYTES}. */
export interface SpooledPiece {
  file: string;
  format: 'json' | 'ndjson';
  /** Range of the piece in the text, and whether the text ends there. */
  from: number;
  to: number;
  last: boolean;
  /** Of the piece before; undefined: it is the first. */
  state?: number | undefined;
  /** The ids under this primary key are read too; null: none are. */
  primaryKey: string | null;
}

export interface ScannedPiece {
  /** (start, end) in the text of each document that ends in the piece. */
  places: Uint32Array;
  /** Where the next piece has to begin. */
  read: number;
  state: number;
  /** null: they were not asked for, a document has none, or one has members that have to be checked. */
  ids: Ids | null;
}

/** Validates a piece of a JSON text and finds its documents. @throws {ApiError} malformed_payload */
export function scanPiece(instance: EngineInstance, piece: SpooledPiece): ScannedPiece {
  const { file, format, from, to, last, primaryKey } = piece;
  const fd = fs.openSync(file, 'r');
  try {
    const bytes = bufferFor(to - from);
    readAll(fd, bytes, HEADER_BYTES + from);
    const scanner = new PayloadScanner(instance, format, piece.state);
    const { places, read, state } = scanner.scan(bytes, last);
    const ids = primaryKey === null ? null : plainIds(instance, primaryKey, bytes, places);
    for (let at = 0; at < places.length; at++) places[at] = (places[at] as number) + from;
    return { places, read: from + read, state, ids };
  } catch (error) {
    if (error instanceof JsonError) throw malformedJson(format, withPlace(error, fd, from + error.offset));
    throw error;
  } finally {
    fs.closeSync(fd);
  }
}

function bufferFor(length: number): Buffer {
  if (length > BUFFER_BYTES) return Buffer.allocUnsafeSlow(length);
  pieceBuffer ??= Buffer.allocUnsafeSlow(BUFFER_BYTES);
  return pieceBuffer.subarray(0, length);
}

function plainIds(instance: EngineInstance, primaryKey: string, bytes: Uint8Array, places: Uint32Array): Ids | null {
  return instance.scoped(() => {
    const { keys, ends, fault, reserved } = new DocumentKeys(instance, primaryKey).read({ bytes, places });
    return fault || reserved ? null : { ids: keys, ends };
  });
}

/** The error with line and column in the whole text. */
function withPlace({ kind, reason }: JsonError, fd: number, offset: number): JsonError {
  let [line, lineStart] = [1, 0];
  const piece = Buffer.allocUnsafeSlow(Math.min(COUNT_BYTES, Math.max(offset, 1)));
  for (let start = 0; start < offset; start += piece.length) {
    const length = Math.min(piece.length, offset - start);
    readAll(fd, piece.subarray(0, length), HEADER_BYTES + start);
    for (let at = piece.indexOf(LINE_FEED); at >= 0 && at < length; at = piece.indexOf(LINE_FEED, at + 1)) {
      line++;
      lineStart = start + at + 1;
    }
  }
  return new JsonError(kind, reason, offset, line, offset - lineStart + 1);
}

/** Fills the buffer as far as the file reaches. */
function readAll(fd: number, into: Buffer, position: number): number {
  let done = 0;
  while (done < into.length) {
    const read = fs.readSync(fd, into, done, into.length - done, position + done);
    if (read === 0) break;
    done += read;
  }
  return done;
}
