import { WrittenNumber } from './values.js';

/**
 * A value as templates write it: elements of arrays and members of objects without separators. @param resolve replaces objects of the
 * template engine, such as `empty`, by their values
 */
export function outputText(value: unknown, resolve: (value: unknown) => unknown = (same) => same): string {
  const plain = resolve(value);
  if (plain === null || plain === undefined) return '';
  if (Array.isArray(plain)) return plain.map((item) => outputText(item, resolve)).join('');
  // JavaScript writes 1e+21, JSON texts mostly have 1e21.
  if (typeof plain === 'number') return String(plain).replace('e+', 'e');
  if (typeof plain !== 'object' || plain instanceof WrittenNumber) return String(plain);
  return Object.entries(plain)
    .map(([name, member]) => name + outputText(member, resolve))
    .join('');
}
