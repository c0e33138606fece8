import { JsonNumber, JsonSyntaxError, type JsonValue, parseJson } from '../../bindings/query/json.js';

/** Documents may be nested deeper than requests. */
const DEPTH = 1000;
/** Where a document may contain a number with a fraction, an exponent, a sign before its zero, or more digits than JavaScript keeps. */
const UNSTABLE_NUMBER = /[[:,]\s*(?:-?\d+[.eE]|-?\d{16}|-0)/;
/** Bounds of what is an integer: others are 64-bit floats. */
const [LEAST_INTEGER, GREATEST_INTEGER] = [-(2n ** 63n), 2n ** 64n - 1n];
/** From the first on, and below the second, floats are written with an exponent. */
const [LARGE_FLOAT, SMALL_FLOAT] = [1e16, 1e-5];

/** A number of which JavaScript would print another text. Filters calculate with it, and comparisons see its value. */
export class WrittenNumber {
  constructor(
    private readonly text: string,
    private readonly value: number,
  ) {}

  toString(): string {
    return this.text;
  }

  valueOf(): number {
    return this.value;
  }

  toJSON(): number {
    return this.value;
  }

  // Liquid compares values that have all of these methods by them.
  equals(other: unknown): boolean {
    return this.value === plainNumber(other);
  }

  gt(other: unknown): boolean {
    return this.value > Number(other);
  }

  geq(other: unknown): boolean {
    return this.value >= Number(other);
  }

  lt(other: unknown): boolean {
    return this.value < Number(other);
  }

  leq(other: unknown): boolean {
    return this.value <= Number(other);
  }
}

const plainNumber = (value: unknown) => (value instanceof WrittenNumber ? value.valueOf() : value);

/** A document as templates see it: integers keep their digits, and floats their `.0`. @param json valid JSON of an object */
export function templateDocument(json: string): Record<string, unknown> {
  if (UNSTABLE_NUMBER.test(json)) {
    try {
      return templateValue(parseJson(json, DEPTH)) as Record<string, unknown>;
    } catch (error) {
      // Stored documents may contain lone surrogates.
      if (!(error instanceof JsonSyntaxError)) throw error;
    }
  }
  return JSON.parse(json);
}

/** A parsed value as templates see it. */
export function templateValue(value: JsonValue): unknown {
  if (value instanceof JsonNumber) return templateNumber(value);
  if (Array.isArray(value)) return value.map(templateValue);
  if (value instanceof Map) return Object.fromEntries([...value].map(([name, member]) => [name, templateValue(member)]));
  return value;
}

function templateNumber(number: JsonNumber): number | WrittenNumber {
  const { value } = number;
  const text = numberText(number);
  return text === String(value) ? value : new WrittenNumber(text, value);
}

function numberText({ text, value, isInteger }: JsonNumber): string {
  if (isInteger && text !== '-0') {
    if (Number.isSafeInteger(value)) return text;
    const whole = BigInt(text);
    if (whole >= LEAST_INTEGER && whole <= GREATEST_INTEGER) return text;
  }
  return floatText(value);
}

function floatText(value: number): string {
  const size = Math.abs(value);
  if (size >= LARGE_FLOAT || (size < SMALL_FLOAT && size > 0)) return value.toExponential().replace('e+', 'e');
  const text = Object.is(value, -0) ? '-0' : String(value);
  return Number.isInteger(value) ? `${text}.0` : text;
}
