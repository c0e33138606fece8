import { decimalOf } from './decimal.js';
import { JsonNumber, JsonSyntaxError, type JsonValue, parseJson, plainValue } from './json.js';
import { closestName } from './suggest.js';
import { type Kind, listed, type MemberTable, objectSchema, type Place, readObject, type Schema } from './validate.js';

/** The types of members of requests. */

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

/** A finite number between two bounds, both included. @param expected what messages say of it */
function numberIn(minimum: number, maximum: number, expected: string, schema: Schema): Kind<number> {
  const checked = (number: number, value: JsonValue, at: Place) =>
    Number.isFinite(number) && number >= minimum && number <= maximum ? number : at.refuse(expected, value);
  return {
    schema: { type: 'number', ...schema },
    json: (value, at) => checked(value instanceof JsonNumber ? value.value : Number.NaN, value, at),
    text: (text, at) => checked(decimalOf(text), text, at),
  };
}

/** A number from 0 to 1. */
export const RATIO = numberIn(0, 1, 'a number from `0.0` to `1.0`', { minimum: 0, maximum: 1 });

/** A non-negative number. */
export const POSITIVE = numberIn(0, Number.POSITIVE_INFINITY, 'a number from `0.0`', { minimum: 0 });

/** Schema of filters: an expression, or arrays of expressions. */
export const FILTER_SCHEMA: Schema = { type: ['string', 'array'], description: 'A filter expression, or an array of such.' };

/** A filter, which the filter parser validates; in a query string an expression or a JSON array. */
export const FILTER: Kind<unknown> = {
  schema: FILTER_SCHEMA,
  json: plainValue,
  text: (text) => {
    const value = jsonOf(text);
    return Array.isArray(value) ? value : text;
  },
};

/** Parses JSON; undefined when it is malformed. */
export function jsonOf(text: string): unknown {
  try {
    return plainValue(parseJson(text));
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

/** Any value; validated elsewhere. */
export const ANYTHING: Kind<unknown> = { json: plainValue, text: (text) => text };

export const STRINGS: Kind<string[]> = arrayOf(STRING, 'an array of strings');

export const NUMBERS: Kind<number[]> = arrayOf(
  {
    ...numberIn(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, 'a number', {}),
    text: (text, at) => (Number.isFinite(decimalOf(text)) ? decimalOf(text) : at.refuse('a list of numbers', text)),
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
