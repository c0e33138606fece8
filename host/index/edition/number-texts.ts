import { JsonNumber, type JsonValue, parseJson } from '../../../bindings/query/json.js';

/** Documents may be nested deeper than requests. */
const DEPTH = 1000;
/** Numbers whose text may not survive a round trip through JavaScript, or similar text in a string. */
const UNSTABLE_NUMBER = /\d[.eE]|\d{16}|-0/;
/** JavaScript escapes lone surrogates. */
const SURROGATE = /\\u[dD]/;

/**
 * Restores the original digits of numbers in JSON that went through JavaScript: of numbers that are still in place, and of
 * integers beyond 2^53 wherever they moved.
 * @throws JsonSyntaxError when `after` contains a lone surrogate
 */
export function restoreNumbers(before: string, after: string): string {
  if (!UNSTABLE_NUMBER.test(before) && !SURROGATE.test(after)) return after;
  const original = parseJson(before, DEPTH);
  const large = new Map<number, string | null>();
  collectLarge(original, large);
  return written(parseJson(after, DEPTH), original, large);
}

/** Maps the rounded value of each large integer to its digits; null where two integers round to the same value. */
function collectLarge(value: JsonValue | undefined, into: Map<number, string | null>): void {
  if (value instanceof JsonNumber) {
    if (!value.isInteger || Number.isSafeInteger(value.value)) return;
    const known = into.get(value.value);
    into.set(value.value, known === undefined || known === value.text ? value.text : null);
  } else if (Array.isArray(value) || value instanceof Map) {
    for (const inner of value.values()) collectLarge(inner, into);
  }
}

function written(value: JsonValue, original: JsonValue | undefined, large: Map<number, string | null>): string {
  if (value instanceof JsonNumber) {
    if (original instanceof JsonNumber && original.value === value.value) return original.text;
    return large.get(value.value) ?? value.text;
  }
  if (Array.isArray(value)) {
    const items = Array.isArray(original) ? original : [];
    return `[${value.map((item, i) => written(item, items[i], large)).join(',')}]`;
  }
  if (value instanceof Map) {
    const members = original instanceof Map ? original : null;
    return `{${[...value].map(([name, member]) => `${JSON.stringify(name)}:${written(member, members?.get(name), large)}`).join(',')}}`;
  }
  return JSON.stringify(value);
}
