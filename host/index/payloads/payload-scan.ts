import type { EngineInstance } from '../../../bindings/engine/instance.js';
import { JsonError, scanDocuments } from '../../../bindings/engine/json.js';
import { type ApiError, apiError } from '../../../bindings/errors.js';
import type { DocumentRanges } from './payload-format.js';

/**
 * The documents of a JSON or NDJSON payload, as ranges of its text.
 * @throws {ApiError} malformed_payload
 */
export function scanJson(instance: EngineInstance, bytes: Uint8Array, format: 'json' | 'ndjson'): DocumentRanges {
  try {
    return scanDocuments(instance, bytes, format);
  } catch (error) {
    throw error instanceof JsonError ? malformedJson(format, error) : error;
  }
}

export function malformedJson(format: 'json' | 'ndjson', { message }: JsonError): ApiError {
  return apiError('malformed_payload', 'documents', { format, reason: message });
}
