import { JsonNumber, type JsonValue, plainValue } from './json.js';
import { closestName } from './suggest.js';
import { type Kind, listed, type MemberTable, objectSchema, type Place, readObject, type Schema } from './validate.js';

/** The types of members of requests. */

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

export const STRING: Kind<string> = {
  schema: { type: 'string' },
  json: (value, at) => (typeof value === 'string' ? value : at.refuse('a string', value)),
  text: (text) => text,
};

/** A text to insert; null means the empty text. */
export const INSERTED_TEXT: Kind<string> = {
  schema: { type: ['string', 'null'] },
  json: (value, at) => (value === null ? '' : typeof value === 'string' ? value : at.refuse('a string or null', value)),
  text: (text) => text,
};

/** The id of a document; integers are ids too. */
export const DOCUMENT_ID: Kind<string> = {
  schema: { type: ['string', 'integer'] },
  json: (value, at) => {
    if (typeof value === 'string') return value;
    return value instanceof JsonNumber && value.isInteger ? value.text : at.refuse('a string or an integer', value);
  },
  text: (text) => text,
};

export const BOOLEAN: Kind<boolean> = {
  schema: { type: 'boolean' },
  json: (value, at) => (typeof value === 'boolean' ? value : at.refuse('a boolean', value)),
  text: (text, at) => (text === 'true' || text === 'false' ? text === 'true' : at.refuse('`true` or `false`', text)),
};

/** A non-negative integer that a double represents exactly. */
export const UNSIGNED: Kind<number> = {
  schema: { type: 'integer', minimum: 0 },
  json: (value, at) => {
    const exact =
      value instanceof JsonNumber && value.isInteger && !value.text.startsWith('-') && Number.isSafeInteger(value.value);
    return exact ? value.value : at.refuse(`an integer from 0 to ${Number.MAX_SAFE_INTEGER}`, value);
  },
  text: (text, at) => {
    const exact = /^\d+$/.test(text) && Number.isSafeInteger(Number(text));
    return exact ? Number(text) : at.refuse(`an integer from 0 to ${Number.MAX_SAFE_INTEGER}`, text);
  },
};

/** A number from 0 to 1. */
export const RATIO: Kind<number> = {
  schema: { type: 'number', minimum: 0, maximum: 1 },
  json: (value, at) => {
    const ratio = value instanceof JsonNumber ? value.value : Number.NaN;
    return ratio >= 0 && ratio <= 1 ? ratio : at.refuse('a number from `0.0` to `1.0`', value);
  },
  text: (text, at) => {
    const ratio = DECIMAL.test(text) ? Number(text) : Number.NaN;
    return ratio >= 0 && ratio <= 1 ? ratio : at.refuse('a number from `0.0` to `1.0`', text);
  },
};

/** A non-negative number. */
export const POSITIVE: Kind<number> = {
  schema: { type: 'number', minimum: 0 },
  json: (value, at) => {
    const number = value instanceof JsonNumber ? value.value : Number.NaN;
    return number >= 0 && Number.isFinite(number) ? number : at.refuse('a number from `0.0`', value);
  },
  text: (text, at) => {
    const number = DECIMAL.test(text) ? Number(text) : Number.NaN;
    return number >= 0 && Number.isFinite(number) ? number : at.refuse('a number from `0.0`', text);
  },
};

/** Schema of filters: an expression, or arrays of expressions. */
export const FILTER_SCHEMA: Schema = { type: ['string', 'array'], description: 'A filter expression, or an array of such.' };

/** Any value; validated elsewhere. */
export const ANYTHING: Kind<unknown> = { json: plainValue, text: (text) => text };

export const STRINGS: Kind<string[]> = arrayOf(STRING, 'an array of strings');

export const NUMBERS: Kind<number[]> = arrayOf(
  {
    schema: { type: 'number' },
    json: (value, at) =>
      value instanceof JsonNumber && Number.isFinite(value.value) ? value.value : at.refuse('a number', value),
    text: (text, at) =>
      DECIMAL.test(text) && Number.isFinite(Number(text)) ? Number(text) : at.refuse('a list of numbers', text),
  },
  'an array of numbers',
);

/** A list; in a query string items are separated by commas, not trimmed, and empty ones are dropped. */
export function arrayOf<T>(item: Kind<T>, expected: string): Kind<T[]> {
  return {
    schema: { type: 'array', items: item.schema ?? {} },
    json: (value, at) =>
      Array.isArray(value) ? value.map((one, position) => item.json(one, at.item(position))) : at.refuse(expected, value),
    text: (text, at) => commaList(text).map((one) => item.text(one, at)),
  };
}

export function oneOf<T extends string>(...names: T[]): Kind<T> {
  const choose = (value: JsonValue, at: Place): T => {
    if (names.includes(value as T)) return value as T;
    const meant = typeof value === 'string' ? closestName(value, names) : null;
    return at.refuse(`one of ${listed(names)}${meant === null ? '' : ` (did you mean \`${meant}\`?)`}`, value);
  };
  return { json: choose, text: choose, schema: { type: 'string', enum: names } };
}

/** A nested object. Errors inside have the code of the object, except for wrong types of members. */
export function objectOf<T>(table: MemberTable<T>): Kind<T> {
  const expected = `an object with ${listed(Object.keys(table))}`;
  return {
    schema: objectSchema(table),
    json: (value, at) =>
      value instanceof Map ? readObject(table, value, { path: at.path, code: at.code }) : at.refuse(expected, value),
    text: (text, at) => at.refuse(expected, text),
  };
}

export function commaList(text: string): string[] {
  return text.split(',').filter((item) => item !== '');
}

/** The items of `sort` in a query string: trimmed, without quotes; the comma inside `_geoPoint(…)` does not separate. */
function sortList(text: string): string[] {
  const items: string[] = [];
  let point = false;
  for (const piece of unquoted(text).split(',')) {
    const item = unquoted(piece.trim());
    if (point) items[items.length - 1] += `,${item}`;
    else items.push(item);
    const inside: boolean = point || item.startsWith('_geoPoint(');
    point = inside && !/\):(asc|desc)$/.test(item);
  }
  return items;
}

export const SORT_ITEMS: Kind<string[]> = { json: STRINGS.json, text: sortList, schema: STRINGS.schema! };

function unquoted(text: string): string {
  return text.replace(/^"+|"+$/g, '');
}
