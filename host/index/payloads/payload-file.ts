import fs from 'node:fs';
import type { EngineInstance } from '../../../bindings/engine/instance.js';
import { JsonError, PayloadScanner } from '../../../bindings/engine/json.js';
import { u32Column } from '../../runtime/number-columns.js';
import { writeAll } from '../../storage/file-writer.js';
import { HEADER_BYTES, payloadHeader } from './payload.js';
import { csvTexts } from './payload-csv.js';
import { malformedJson } from './payload-scan.js';
import { PayloadWriter } from './payload-writer.js';
import type { PayloadFormat, ScannedPayload } from './scanned-payload.js';

/** Bytes of a body that are scanned at once; more when a document is longer. */
const PIECE_BYTES = 1 << 20;
const LINE_FEED = 0x0a;

/** Kept per thread: it scans one body at a time, and a buffer for each would pile up as garbage. */
let keptPiece: Buffer | null = null;

/** A body in a file, from {@link HEADER_BYTES} on. */
export interface SpooledBody {
  file: string;
  format: PayloadFormat;
  csvDelimiter?: string | undefined;
}

/**
 * Turns a body in a file into a payload, in place. Memory does not depend on its length, except for the offsets of its documents.
 * @throws {ApiError} malformed_payload
 */
export async function scanFile(instance: EngineInstance, { file, format, csvDelimiter }: SpooledBody): Promise<ScannedPayload> {
  if (format !== 'csv') return scanJsonFile(new PayloadScanner(instance, format), file);
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

function scanJsonFile(scanner: PayloadScanner, file: string): ScannedPayload {
  const fd = fs.openSync(file, 'r+');
  try {
    const textBytes = fs.fstatSync(fd).size - HEADER_BYTES;
    const ranges = documentPlaces(scanner, fd, textBytes);
    const table = ranges.slice(0, ranges.length);
    const tableBytes = new Uint8Array(table.buffer, table.byteOffset, table.byteLength);
    writeAll(fd, tableBytes, HEADER_BYTES + textBytes);
    const count = ranges.length / 2;
    writeAll(fd, payloadHeader(count, textBytes), 0);
    return { count, bytes: HEADER_BYTES + textBytes + tableBytes.length };
  } finally {
    fs.closeSync(fd);
  }
}

/** (start, end) of each document in the text. */
function documentPlaces(scanner: PayloadScanner, fd: number, textBytes: number) {
  const places = u32Column();
  keptPiece ??= Buffer.allocUnsafeSlow(PIECE_BYTES);
  let piece = keptPiece;
  // Number of bytes in the buffer, and their offset in the text.
  let [filled, start] = [0, 0];
  for (;;) {
    filled += readAll(fd, piece.subarray(filled), HEADER_BYTES + start + filled);
    const last = start + filled >= textBytes;
    const read = scanPiece(scanner, fd, piece.subarray(0, filled), start, last, places);
    if (last) return places;
    piece.copyWithin(0, read, filled);
    filled -= read;
    start += read;
    if (filled === piece.length) piece = Buffer.concat([piece], piece.length * 2);
  }
}

function scanPiece(
  scanner: PayloadScanner,
  fd: number,
  piece: Buffer,
  start: number,
  last: boolean,
  places: ReturnType<typeof u32Column>,
): number {
  try {
    const scanned = scanner.scan(piece, last);
    for (const place of scanned.places) places.push(start + place);
    return scanned.read;
  } catch (error) {
    if (error instanceof JsonError) throw malformedJson(scanner.format, withPlace(error, fd, start + error.offset));
    throw error;
  }
}

/** The error with line and column in the whole text. */
function withPlace({ kind, reason }: JsonError, fd: number, offset: number): JsonError {
  let [line, lineStart] = [1, 0];
  const piece = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, Math.max(offset, 1)));
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
