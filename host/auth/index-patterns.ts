/**
 * What keys and tenant tokens name indexes with: `*` for every index, a uid for that index (letter case counts), or the
 * beginning of uids followed by `*`, which that beginning itself fits too.
 */
const PATTERN = /^(?:\*|[A-Za-z0-9_-]{1,400}\*?)$/;

export function isIndexPattern(text: string): boolean {
  return PATTERN.test(text);
}

/** A text that is no pattern fits nothing. */
export function fitsIndex(pattern: string, uid: string): boolean {
  if (!isIndexPattern(pattern)) return false;
  return pattern.endsWith('*') ? uid.startsWith(pattern.slice(0, -1)) : uid === pattern;
}
