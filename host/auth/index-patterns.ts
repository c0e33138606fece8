/**
 * How keys and tenant tokens name indexes: `*` for every index, a uid (case-sensitive), or a prefix of uids followed by `*`,
 * which also matches the prefix itself.
 */
const PATTERN = /^(?:\*|[A-Za-z0-9_-]{1,400}\*?)$/;

export function isIndexPattern(text: string): boolean {
  return PATTERN.test(text);
}

/** Whether a uid matches a pattern. A malformed pattern matches nothing. */
export function fitsIndex(pattern: string, uid: string): boolean {
  if (!isIndexPattern(pattern)) return false;
  return pattern.endsWith('*') ? uid.startsWith(pattern.slice(0, -1)) : uid === pattern;
}
