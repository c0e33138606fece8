import { type ApiError, apiError } from '../../../bindings/errors.js';
import { JsonNumber, type JsonValue, plainValue } from '../../../bindings/query/json.js';
import { readJsonBody, shown } from '../../../bindings/query/validate.js';

/** A complete value other than an array, or the brace that begins an object. */
const NO_ARRAY = /^\s*(?:\{|"(?:[^"\\]|\\.)*"|(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.]))/;

/**
 * The ids to delete: strings as they are, other values as their JSON text, which may match no document.
 * @throws ApiError bad_request when the body is not an array, even if it is malformed further on
 */
export function readIds(body: Uint8Array): string[] {
  const start = new TextDecoder().decode(body.subarray(0, 1024));
  if (NO_ARRAY.test(start)) throw notAnArray(start.slice(0, 120));
  const value = readJsonBody(body);
  if (!Array.isArray(value)) throw notAnArray(shown(value));
  return value.map(idText);
}

function notAnArray(found: string): ApiError {
  return apiError('bad_request', 'notIds', { found });
}

function idText(value: JsonValue): string {
  if (typeof value === 'string') return value;
  return value instanceof JsonNumber ? value.text : JSON.stringify(plainValue(value));
}
