/** Values of documents, looked up in the documents themselves: what columns are tested against. */
import type { SeededRandom } from './random.js';

export type Document = Record<string, unknown>;

export interface NaiveValues {
  exists: boolean;
  isNull: boolean;
  isEmpty: boolean;
  numbers: number[];
  /** Normalized, beside the original text. */
  strings: string[];
  originals: string[];
}

export function naiveValues(document: Document, path: string): NaiveValues {
  const values: NaiveValues = { exists: false, isNull: false, isEmpty: false, numbers: [], strings: [], originals: [] };
  const visit = (value: unknown, at: string, inArray: boolean): void => {
    if (at === path) {
      values.exists = true;
      const empty = value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
      if (!inArray && value === null) values.isNull = true;
      if (!inArray && empty) values.isEmpty = true;
      if (typeof value === 'number') values.numbers.push(value);
      if (typeof value === 'boolean' || (typeof value === 'string' && value !== '')) {
        values.strings.push(naiveNormalize(String(value)));
        values.originals.push(String(value));
      }
    }
    if (Array.isArray(value)) {
      for (const item of value) visit(item, at, true);
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) visit(member, `${at}.${key}`, false);
    }
  };
  for (const [key, value] of Object.entries(document)) visit(value, key, false);
  return values;
}

export function naiveNormalize(text: string): string {
  return Array.from(text.trim(), (character) => character.normalize('NFKD'))
    .join('')
    .toLowerCase();
}

export const compareUtf8 = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

const WORDS = [
  'Red',
  'red',
  ' RED ',
  'blue',
  'Blue Sky',
  'sky',
  '10',
  '9',
  '1e3',
  'é',
  'É',
  'e',
  'ﬁn',
  'fin',
  'zz',
  'true',
  '\u{1F600}',
  '\uffee',
  '  ',
];
const NUMBERS = [0, 1, 2, 9, 10, 10.5, -3, 1000, 1e21, 1e-7, 123456.75];

function randomScalar(random: SeededRandom): unknown {
  const kind = random.int(10);
  if (kind < 4) return random.pick(WORDS);
  if (kind < 8) return random.pick(NUMBERS);
  return random.pick([true, false, null, '']);
}

function randomValue(random: SeededRandom): unknown {
  const kind = random.int(12);
  if (kind < 7) return randomScalar(random);
  if (kind < 10)
    return Array.from({ length: random.int(4) }, () => (random.int(8) === 0 ? [randomScalar(random)] : randomScalar(random)));
  return random.pick([{}, { b: randomScalar(random) }, [{ b: randomScalar(random) }, { b: [randomScalar(random)], c: 1 }]]);
}

/** Fields of the documents of {@link randomDocument}; `single` and `price` have at most one value, `never` none. */
export const FIELDS = ['single', 'price', 'mixed', 'mixed.b', 'many', 'nested.x.y', 'id', 'never'] as const;

export function randomDocument(random: SeededRandom, id: number): Document {
  const document: Document = { id };
  const maybe = (key: string, value: () => unknown) => {
    if (random.int(4) > 0) document[key] = value();
  };
  maybe('single', () => random.pick(WORDS));
  maybe('price', () => random.pick(NUMBERS));
  maybe('mixed', () => randomValue(random));
  maybe('many', () => Array.from({ length: random.int(5) }, () => randomScalar(random)));
  maybe('nested', () => ({ x: random.pick([{ y: randomScalar(random) }, [{ y: randomScalar(random) }, { z: 1 }], null]) }));
  maybe('_geo', () => ({
    lat: (random.int(1800) - 900) / 10,
    lng: random.int(20) === 0 ? '12.5' : (random.int(3600) - 1800) / 10,
  }));
  return document;
}

/** A condition or a combination of them, as text and as a predicate. */
export interface NaiveFilter {
  text: string;
  accepts(document: Document): boolean;
}

const OPERANDS = [...WORDS, ...NUMBERS.map(String), '', 'r', 'bl', 'SK', '5', '+9', '.5', '10.0', 'NaN'];
const ORDERS: Record<string, (order: number) => boolean> = {
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
};

function numberOf(text: string): number | null {
  return /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text) ? Number(text) : null;
}

/** @param known fields that some document has had: elsewhere `!=` selects nothing */
export function randomFilter(random: SeededRandom, depth: number, known: ReadonlySet<string>): NaiveFilter {
  const kind = depth === 0 ? 9 : random.int(12);
  if (kind < 3) {
    const parts = Array.from({ length: 2 + random.int(3) }, () => randomFilter(random, depth - 1, known));
    const all = random.int(2) === 0;
    const text = `(${parts.map((part) => part.text).join(all ? ' AND ' : ' OR ')})`;
    return { text, accepts: (d) => (all ? parts.every((part) => part.accepts(d)) : parts.some((part) => part.accepts(d))) };
  }
  if (kind < 5) {
    const part = randomFilter(random, depth - 1, known);
    return { text: `NOT ${part.text}`, accepts: (d) => !part.accepts(d) };
  }
  return randomCondition(random, known);
}

function randomCondition(random: SeededRandom, known: ReadonlySet<string>): NaiveFilter {
  const field = random.pick(FIELDS);
  const quoted = (text: string) => JSON.stringify(text);
  const value = random.pick(OPERANDS);
  const other = random.pick(OPERANDS);
  const of = (d: Document) => naiveValues(d, field);
  const equals = (d: Document, text: string) => {
    const { numbers, strings } = of(d);
    const normalized = naiveNormalize(text);
    return numbers.some((number) => number === numberOf(text)) || (normalized !== '' && strings.includes(normalized));
  };
  switch (random.int(9)) {
    case 0:
      return { text: `${field} = ${quoted(value)}`, accepts: (d) => equals(d, value) };
    case 1:
      return { text: `${field} != ${quoted(value)}`, accepts: (d) => known.has(field) && !equals(d, value) };
    case 2:
      return { text: `${field} IN [${quoted(value)}, ${quoted(other)}]`, accepts: (d) => equals(d, value) || equals(d, other) };
    case 3:
      return { text: `${field} NOT IN [${quoted(value)}]`, accepts: (d) => !equals(d, value) };
    case 4: {
      const operator = random.pick(Object.keys(ORDERS));
      const holds = ORDERS[operator] as (order: number) => boolean;
      const number = numberOf(value);
      return {
        text: `${field} ${operator} ${quoted(value)}`,
        accepts: (d) =>
          (number !== null && of(d).numbers.some((n) => holds(n - number))) ||
          of(d).strings.some((s) => holds(compareUtf8(s, naiveNormalize(value)))),
      };
    }
    case 5: {
      const [low, high] = [numberOf(value), numberOf(other)];
      const within = (s: string) => compareUtf8(s, naiveNormalize(value)) >= 0 && compareUtf8(s, naiveNormalize(other)) <= 0;
      return {
        text: `${field} ${quoted(value)} TO ${quoted(other)}`,
        accepts: (d) =>
          (low !== null && high !== null && of(d).numbers.some((n) => n >= low && n <= high)) || of(d).strings.some(within),
      };
    }
    case 6: {
      const test = random.pick(['EXISTS', 'IS NULL', 'IS EMPTY']);
      const accepts = (d: Document) => {
        const { exists, isNull, isEmpty } = of(d);
        return test === 'EXISTS' ? exists : test === 'IS NULL' ? isNull : isEmpty;
      };
      return { text: `${field} ${test}`, accepts };
    }
    case 7:
      return {
        text: `${field} CONTAINS ${quoted(value)}`,
        accepts: (d) => of(d).strings.some((s) => s.includes(naiveNormalize(value))),
      };
    default: {
      const prefix = naiveNormalize(value);
      return {
        text: `${field} STARTS WITH ${quoted(value)}`,
        accepts: (d) => (prefix === '' ? of(d).exists : of(d).strings.some((s) => s.startsWith(prefix))),
      };
    }
  }
}
