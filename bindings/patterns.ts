/** Attribute patterns: `*` matches all names, `x*` a prefix, `*x` a suffix, `*x*` a substring, anything else only itself. */
export function matchesPattern(pattern: string, name: string): boolean {
  if (pattern === '*') return true;
  const open = pattern.startsWith('*');
  const openEnd = pattern.endsWith('*');
  if (open && openEnd) return name.includes(pattern.slice(1, -1));
  if (open) return name.endsWith(pattern.slice(1));
  if (openEnd) return name.startsWith(pattern.slice(0, -1));
  return name === pattern;
}

/** Whether a name is the field or nested under it. */
export function covers(field: string, name: string): boolean {
  return name === field || (name.startsWith(field) && name[field.length] === '.');
}
