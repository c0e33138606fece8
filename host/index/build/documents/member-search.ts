/** Searches the bytes of documents for names of members, without parsing: nearly all documents lack the reserved members. */

const BACKSLASH = 0x5c;
/** How `\u` escapes of ASCII characters begin. A name that is written with an escape is not found by its bytes. */
const ESCAPE = Buffer.from('\\u00');
// Works on any Uint8Array: creating a Buffer for each document would take longer than searching it.
const indexIn = Buffer.prototype.indexOf;

/** The offset of the next occurrence of a name, or -1. */
export function placeOf(json: Uint8Array, name: Buffer, from = 0): number {
  return json.length - from < name.length ? -1 : indexIn.call(json, name, from);
}

/** Whether names may be written with escapes. */
export function hasEscapes(json: Uint8Array): boolean {
  return json.includes(BACKSLASH) && indexIn.call(json, ESCAPE) >= 0;
}
