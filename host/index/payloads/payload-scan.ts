import type { EngineInstance } from '../../../bindings/engine/instance.js';
import { JsonError, scanDocuments } from '../../../bindings/engine/json.js';
import { ApiError } from '../../../bindings/errors.js';
import type { PayloadFormat } from '../types.js';
import type { DocumentRanges } from './payload.js';
import { csvDocuments } from './payload-csv.js';

/**
 * The documents of a payload that was sent as JSON or NDJSON, which is its own text.
 * @throws {ApiError} malformed_payload
 */
export function scanJson(instance: EngineInstance, bytes: Uint8Array, format: 'json' | 'ndjson'): DocumentRanges {
  try {
    return scanDocuments(instance, bytes, format);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new ApiError('malformed_payload', `The \`${format}\` payload is malformed: ${error.message}.`);
  }
}

/** The documents of a payload and the text that they stand in. @throws {ApiError} malformed_payload */
export async function scanPayload(
  instance: EngineInstance,
  bytes: Uint8Array,
  format: PayloadFormat,
  csvDelimiter?: string,
): Promise<{ text: Uint8Array; ranges: DocumentRanges }> {
  if (format !== 'csv') return { text: bytes, ranges: scanJson(instance, bytes, format) };
  const { text, ...ranges } = await csvDocuments(bytes, csvDelimiter);
  return { text, ranges };
}
