/**
 * Strict validation of JSON texts (RFC 8259, UTF-8), and the ranges of the documents in a payload. Stricter than the grammar in
 * two points: a text must be Unicode (no lone surrogates), and a number must fit a 64-bit float.
 */
import { alloc } from '../runtime/arena';
import { Buffer, bufferCreate, bufferPush32 } from '../runtime/buffer';
import {
  begin,
  blanks,
  ERROR_ARRAY,
  ERROR_END,
  ERROR_NOT_OBJECT,
  ERROR_TRAILING,
  errorAt,
  errorCode,
  fail,
  peek,
  scanValue,
  textEnd,
  textStart,
} from './scan-value';

// Form of a text: one object or an array of objects; a sequence of objects.
export const DOCUMENTS_JSON: u32 = 0;
export const DOCUMENTS_NDJSON: u32 = 1;

/** The result of scanning a text, or a chunk of it. */
@unmanaged
export class JsonScan {
  /** error code: ERROR_*; 0: none */
  error: u32;
  /** byte offset of the error */
  errorOffset: u32;
  /** (u32 start, u32 end) of each document that ends in the chunk */
  documents: usize;
  documentCount: u32;
  /** bytes consumed: the next chunk must begin with the remaining ones */
  read: u32;
  /** SCAN_*: what may follow */
  state: u32;
}

/** Buffer of the ranges of documents: u32 start, u32 end. */
let documents: usize = 0;

/** Scans one document and records its range; returns the address after it. */
function scanDocument(at: usize, depth: u32): usize {
  const end = scanValue(at, depth);
  if (!end) return 0;
  if (load<u8>(at) !== 0x7b) return fail(ERROR_NOT_OBJECT, at);
  bufferPush32(documents, <u32>(at - textStart));
  bufferPush32(documents, <u32>(end - textStart));
  return end;
}

/**
 * What may follow in a payload: anything, at the start; the first document of an array or its end; a further document; a comma or the
 * end of the array; white space.
 */
export const SCAN_START: u32 = 0;
const SCAN_FIRST: u32 = 1;
const SCAN_DOCUMENT: u32 = 2;
const SCAN_COMMA: u32 = 3;
const SCAN_END: u32 = 4;

/** An error within this distance of the end of a chunk may only mean that a token continues in the next one: longer than any token except strings. */
const CUT_BYTES: usize = 16;

let scanState: u32 = SCAN_START;
let scanned: usize = 0;

/**
 * Validates a text, or a chunk of it. `state`: that after the previous chunk, at first SCAN_START; `last`: whether this is the last
 * chunk.
 */
export function jsonScan(text: usize, length: u32, format: u32, state: u32, last: bool): JsonScan {
  begin(text, length);
  documents = bufferCreate(4096);
  scanState = state;
  scanned = text;
  const isRight = scanDocuments(format, last);
  const scan = changetype<JsonScan>(alloc(offsetof<JsonScan>()));
  scan.error = isRight ? 0 : errorCode;
  scan.errorOffset = <u32>(errorAt - textStart);
  scan.documents = changetype<Buffer>(documents).data;
  scan.documentCount = <u32>(changetype<Buffer>(documents).length >> 3);
  scan.read = <u32>(scanned - textStart);
  scan.state = scanState;
  return scan;
}

/** Returns false after an error. */
function scanDocuments(format: u32, last: bool): bool {
  while (true) {
    const at = blanks(scanned);
    if (at >= textEnd) {
      scanned = at;
      break;
    }
    const end = format === DOCUMENTS_NDJSON ? scanDocument(at, 0) : scanOfArray(at);
    if (!end) {
      if (!last && textEnd - errorAt < CUT_BYTES) break;
      return false;
    }
    scanned = end;
  }
  if (last && !isComplete(format)) {
    fail(ERROR_END, textEnd);
    return false;
  }
  return true;
}

/** Whether the payload is complete if nothing follows. */
function isComplete(format: u32): bool {
  return format === DOCUMENTS_NDJSON || scanState === SCAN_END;
}

/** Scans the next document, comma or bracket of a JSON payload. Returns the address after it. */
function scanOfArray(at: usize): usize {
  const byte = peek(at);
  switch (scanState) {
    case SCAN_START: {
      if (byte === 0x5b) {
        scanState = SCAN_FIRST;
        return at + 1;
      }
      const end = scanDocument(at, 0);
      if (end) scanState = SCAN_END;
      return end;
    }
    case SCAN_COMMA: {
      if (byte !== 0x5d && byte !== 0x2c) return fail(ERROR_ARRAY, at);
      scanState = byte === 0x5d ? SCAN_END : SCAN_DOCUMENT;
      return at + 1;
    }
    case SCAN_END:
      return fail(ERROR_TRAILING, at);
    default: {
      if (byte === 0x5d && scanState === SCAN_FIRST) {
        scanState = SCAN_END;
        return at + 1;
      }
      const end = scanDocument(at, 1);
      if (end) scanState = SCAN_COMMA;
      return end;
    }
  }
}
