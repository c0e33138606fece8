/** Small facts about text that JavaScript's own functions get differently: bytes, blanks, order. */

export const utf8Length = (text: string): number => Buffer.byteLength(text);

/** Order of the UTF-8 bytes, which is that of the code points (not of UTF-16 units). */
export const compareBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

export function sortedByBytes(texts: Iterable<string>): string[] {
  const keyed = [...texts].map((text) => ({ text, bytes: Buffer.from(text) }));
  return keyed.sort((a, b) => Buffer.compare(a.bytes, b.bytes)).map((entry) => entry.text);
}

/** Trims White_Space, which is not what `String.trim` trims (U+0085 is in, U+FEFF is not). */
export const trimBlanks = (text: string): string => text.replace(/^\p{White_Space}+|\p{White_Space}+$/gu, '');
export const isBlank = (text: string): boolean => /^\p{White_Space}*$/u.test(text);
export const endsBlank = (text: string): boolean => /\p{White_Space}$/u.test(text);

/** Numeric characters and ASCII punctuation only. */
export const isNumeric = (text: string): boolean => /^[\p{N}!-/:-@[-`{-~]+$/u.test(text);

/** Is an attribute an entry of a list, or nested under it? */
export const covers = (entry: string, path: string): boolean => path === entry || path.startsWith(`${entry}.`);

/** `*`, `x*`, `*x`, `*x*` or an exact name. */
export function matchesPattern(pattern: string, name: string): boolean {
  const open = pattern.startsWith('*');
  const end = pattern.endsWith('*');
  if (pattern === '*') return true;
  if (open && end) return name.includes(pattern.slice(1, -1));
  if (end) return name.startsWith(pattern.slice(0, -1));
  if (open) return name.endsWith(pattern.slice(1));
  return pattern === name;
}

/** A request the service would refuse, with the documented code. */
export class Refusal extends Error {}
