/** Number of texts that are remembered: a power of two. */
const PLACES = 256;
const HASH_BEGIN = 0x811c9dc5;
const HASH_FACTOR = 0x01000193;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes texts, most of which were decoded before: comparing bytes with a text takes less time, and gives the same string each time. */
export class KnownTexts {
  readonly #texts = new Array<string>(PLACES).fill('');

  /** The text of bytes that are not shared with other threads. @throws TypeError when they are not UTF-8 */
  textOf(bytes: Uint8Array, from: number, to: number): string {
    const place = hashOf(bytes, from, to) & (PLACES - 1);
    const known = this.#texts[place] as string;
    if (isTextOf(known, bytes, from, to)) return known;
    const text = decoder.decode(bytes.subarray(from, to));
    // only ASCII, where units are bytes
    if (text.length === to - from) this.#texts[place] = text;
    return text;
  }
}

/** FNV-1a, folded. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = HASH_BEGIN;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ (bytes[at] as number), HASH_FACTOR);
  return hash ^ (hash >>> 16);
}

function isTextOf(text: string, bytes: Uint8Array, from: number, to: number): boolean {
  if (text.length !== to - from) return false;
  for (let unit = 0; unit < text.length; unit++) if (text.charCodeAt(unit) !== bytes[from + unit]) return false;
  return true;
}
