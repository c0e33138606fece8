/** Random JSON texts: with white space, escapes, odd names and numbers, as payloads may have them. */
import type { SeededRandom } from '../../bindings/test/random.js';

const NUMBERS = [
  '0', '-0', '1', '-7', '10.0', '1.50', '1e3', '1E-7', '-2.5e+10', '0.000001', '1e16', '18446744073709551615', '18446744073709551616',
  '-9223372036854775808', '-9223372036854775809', '0.1', '123456789.125', '5e-324', '1.7976931348623157e308', '0.30000000000000004',
]; // biome-ignore format: a table
const STRINGS = [
  '', 'a', 'big cat', 'x, y', 'Ünï', '日本語', '🦅', '\\n', '\\"', '\\\\', '\\u00e9', '\\ud83e\\udd85', '\\/', 'tab\\there',
  'The quick brown fox jumps over the lazy dog', '0123456789abcdef', '0123456789abcde\\"f',
]; // biome-ignore format: a table
const NAMES = ['a', 'b', 'c', 'a.b', '', 'long_member_name_of_more_than_16_bytes', 'é', '\\u0061', 'q\\"q', 'id'];

export interface JsonShape {
  /** White space between tokens. */
  blanks: boolean;
  /** Members may be given twice. */
  duplicates: boolean;
}

export function randomJson(random: SeededRandom, shape: JsonShape, depth = 4): string {
  const kind = random.int(depth > 0 ? 10 : 6);
  if (kind < 2) return random.pick(NUMBERS);
  if (kind < 4) return `"${random.pick(STRINGS)}"`;
  if (kind < 6) return random.pick(['true', 'false', 'null']);
  if (kind < 8) return randomObject(random, shape, depth);
  const items = Array.from({ length: random.int(4) }, () => randomJson(random, shape, depth - 1));
  return `[${blank(random, shape)}${items.join(`${blank(random, shape)},${blank(random, shape)}`)}${blank(random, shape)}]`;
}

export function randomObject(random: SeededRandom, shape: JsonShape, depth = 4): string {
  let names = Array.from({ length: random.int(5) }, () => random.pick(NAMES));
  if (!shape.duplicates) {
    const seen = new Set<string>();
    names = names.filter((name) => !seen.has(JSON.parse(`"${name}"`)) && seen.add(JSON.parse(`"${name}"`)));
  }
  const members = names.map((name) => {
    const gap = blank(random, shape);
    return `${gap}"${name}"${blank(random, shape)}:${gap}${randomJson(random, shape, depth - 1)}${blank(random, shape)}`;
  });
  return `{${members.join(',') || blank(random, shape)}}`;
}

export function blank(random: SeededRandom, shape: JsonShape): string {
  return shape.blanks && random.int(3) === 0 ? random.pick([' ', '\n', '\t', '\r\n', '  ']) : '';
}
