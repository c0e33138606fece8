import type { SeededRandom } from '../../bindings/test/random.js';

/** Texts that mean something somewhere, as requests hold them: names, queries, filters, sorts, templates. */

export const INDEXES = ['movies', 'books', 'fresh', 'constructor', '__proto__'];
export const FIELDS = [
  'id',
  'title',
  'genre',
  'year',
  'rating',
  'tags',
  'tags.deep',
  'author.name',
  '_geo',
  '_vectors',
  'seen',
  '*',
];
const RARE_FIELDS = [
  'constructor',
  '__proto__',
  'toString',
  '',
  ' ',
  'a.b.c.d',
  '_geoDistance',
  '_rankingScore',
  'título',
  'x*',
  '*x*',
  '\u{1f600}',
];
const WORDS = [
  'the',
  'war',
  'star',
  'stars',
  'wonderful',
  'wonderfull',
  'new york',
  'été',
  'straße',
  '東京',
  '한국어',
  'ไทย',
  'שלום',
  'x²',
  '10',
  '2.5',
];
const VALUES = [
  'drama',
  '"war and peace"',
  "'it''s'",
  '2001',
  '-1.5',
  '1e400',
  'true',
  'null',
  '"\\"quoted\\""',
  '`x`',
  'NaN',
  '""',
  '東京',
];
/** Texts that often break parsers. */
const ODD = [
  '\0',
  '\ufeff',
  '\u202e',
  '\ud800',
  '\u{10ffff}',
  '"',
  "'",
  '\\',
  '\n',
  '\r\n',
  '%00',
  '%s',
  '$x',
  '{{',
  '}}',
  '{%',
  '\u0301'.repeat(40),
];

export function word(random: SeededRandom): string {
  return random.pick(random.int(12) === 0 ? ODD : WORDS);
}

export function field(random: SeededRandom): string {
  return random.pick(random.int(8) === 0 ? RARE_FIELDS : FIELDS);
}

/** A query of a few words with operators of the query language. */
export function query(random: SeededRandom): string {
  if (random.int(40) === 0) return random.pick(['a', ' ', '東', '"', '-', 'ab ']).repeat(1 + random.int(5000));
  const words = Array.from({ length: random.int(7) }, () => {
    const one = word(random);
    return random.pick([one, one, one, one.slice(0, 3), `"${one}"`, `-${one}`, `-"${one} ${word(random)}"`, `"${one}`]);
  });
  return words.join(random.pick([' ', ' ', ' ', '', '  ', '-', ', ', '.']));
}

/** An expression of the filter language, now and then with a piece missing or one too many. */
export function filterText(random: SeededRandom, depth = 0): string {
  if (random.int(60) === 0) return random.pick(['(', 'NOT ', 'a=1 AND ', '((']).repeat(1 + random.int(3000));
  const value = () => random.pick(VALUES);
  const name = () => (random.int(6) === 0 ? `"${field(random)}"` : field(random));
  const number = () => random.pick(['0', '-90', '45.5', '180', '1e3', '1e309', '-0', 'x']);
  const condition = () =>
    random.pick([
      () => `${name()} ${random.pick(['=', '!=', '>', '>=', '<', '<=', '==', '<>'])} ${value()}`,
      () => `${name()} ${value()} TO ${value()}`,
      () => `${name()} ${random.pick(['', 'NOT '])}IN [${Array.from({ length: random.int(5) }, value).join(', ')}]`,
      () => `${name()} ${random.pick(['EXISTS', 'NOT EXISTS', 'IS NULL', 'IS NOT NULL', 'IS EMPTY', 'IS NOT EMPTY'])}`,
      () => `${name()} ${random.pick(['CONTAINS', 'NOT CONTAINS', 'STARTS WITH', 'NOT STARTS WITH'])} ${value()}`,
      () => `_geoRadius(${number()}, ${number()}, ${number()})`,
      () => `_geoBoundingBox([${number()}, ${number()}], [${number()}, ${number()}])`,
      () => `_geoPolygon([${number()}, ${number()}], [${number()}, ${number()}], [${number()}, ${number()}])`,
      () => `_vectors${random.pick(['', '.own', '.own.userProvided', '.own.fragments.x', '.*'])} EXISTS`,
      () => `_foreign(${name()}, ${name()} = ${value()})`,
    ])();
  if (depth > 3 || random.int(3) > 0) return condition();
  const parts = Array.from({ length: 1 + random.int(3) }, () => filterText(random, depth + 1));
  const joined = parts.join(random.pick([' AND ', ' OR ', ' and ', ' ']));
  return random.pick([joined, `(${joined})`, `NOT (${joined})`, `NOT ${joined}`]);
}

/** A filter as requests send it: an expression or arrays of such. */
export function filter(random: SeededRandom): unknown {
  const kind = random.int(10);
  if (kind < 6) return filterText(random);
  const list = Array.from({ length: random.int(4) }, () => filterText(random));
  return kind < 8 ? list : [list, filterText(random), [[filterText(random)]]];
}

export function sortItem(random: SeededRandom): string {
  const point = `_geoPoint(${random.pick(['0', '48.8', '-91', 'x'])}, ${random.pick(['2.3', '181', ''])})`;
  return `${random.int(6) === 0 ? point : field(random)}${random.pick([':asc', ':desc', ':asc', ':desc', ':', '', ':ASC', ':constructor'])}`;
}

/** A template of documents, searches or fragments. */
export function template(random: SeededRandom): string {
  const pieces = [
    'A film called {{ doc.title }}',
    '{{doc.author.name | upcase | truncate: 3}}',
    '{% for field in fields %}{{ field.name }}: {{ field.value }}\n{% endfor %}',
    '{% if doc.year > 2000 %}new{% else %}old{% endif %}',
    '{% assign x = doc.tags | join: ", " %}{{ x }}',
    '{{ doc.constructor }}{{ doc.__proto__.x }}',
    '{% for i in (1..10000000) %}x{% endfor %}',
    '{{ "x" | repeat: 1000000000 }}',
    '{% raw %}{{ doc }}{% endraw %}',
    '{{ q }}{{ media.image }}',
    '{{',
    '{% if %}',
    '{% render "x" %}{% include "/etc/passwd" %}',
  ];
  return Array.from({ length: 1 + random.int(3) }, () => random.pick(pieces)).join(' ');
}

/** Addresses without a listener, or invalid ones. */
export function address(random: SeededRandom): string {
  return random.pick([
    'http://127.0.0.1:1/',
    'http://127.0.0.1:1',
    'https://127.0.0.1:1/x',
    'ftp://x',
    'http://',
    'x',
    'http://[::1',
    'http://a b/',
  ]);
}

export const FUNCTIONS = [
  'doc.seen = true',
  'doc = null',
  'while (true) {}',
  'doc.x = "x".repeat(1e9)',
  'throw new Error("no")',
  'doc.id = 5',
  'function f() { f() } f()',
  'doc.x = context.y',
  ')(',
  '',
];
