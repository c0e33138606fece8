/** Attribute patterns: `*` every name, `x*` beginning, `*x` end, `*x*` anywhere, anything else that name only. */
export function matchesPattern(pattern: string, name: string): boolean {
  if (pattern === '*') return true;
  const open = pattern.startsWith('*');
  const openEnd = pattern.endsWith('*');
  if (open && openEnd) return name.includes(pattern.slice(1, -1));
  if (open) return name.endsWith(pattern.slice(1));
  if (openEnd) return name.startsWith(pattern.slice(0, -1));
  return name === pattern;
}

/** Whether a name is a field or nested under it. */
export function covers(field: string, name: string): boolean {
  return name === field || (name.startsWith(field) && name[field.length] === '.');
}
