/** Looks for names of members in the bytes of documents, before any of them is parsed: nearly all documents have none of those meant. */

const BACKSLASH = 0x5c;
/** Beginning of the escapes of the characters of names, which hardly anybody writes: a name with one reads differently than it looks. */
const ESCAPE = Buffer.from('\\u00');
// of any bytes: to make a Buffer of each document takes longer than to search it
const indexIn = Buffer.prototype.indexOf;

/** The place of a name from a place on; -1: there is none. */
export function placeOf(json: Uint8Array, name: Buffer, from = 0): number {
  return json.length - from < name.length ? -1 : indexIn.call(json, name, from);
}

/** May names be written with escapes? */
export function hasEscapes(json: Uint8Array): boolean {
  return json.includes(BACKSLASH) && indexIn.call(json, ESCAPE) >= 0;
}
