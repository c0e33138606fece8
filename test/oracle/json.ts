/** A number of a document with the text it was written in: `10` and `10.0` are different words. */
export class JsonNumber {
  readonly value: number;

  constructor(readonly source: string) {
    this.value = Number(source);
  }

  /** The text that is indexed: 64-bit integers as written, other numbers as the shortest form of the double. */
  get text(): string {
    const integer = /^-?\d+$/.test(this.source) && this.source !== '-0';
    if (integer) {
      const exact = BigInt(this.source);
      if (exact >= -(2n ** 63n) && exact < 2n ** 64n) return this.source;
    }
    const size = Math.abs(this.value);
    if (size !== 0 && (size < 1e-5 || size >= 1e16)) return this.value.toExponential();
    if (Object.is(this.value, -0)) return '-0.0';
    return Number.isInteger(this.value) ? `${this.value}.0` : String(this.value);
  }
}

/** Objects are maps: a plain object would move integer-like keys to the front. */
export type JsonObject = Map<string, Json>;
export type Json = null | boolean | string | JsonNumber | Json[] | JsonObject;

/** One token with the blanks around it. */
const TOKEN = /\s*(?:("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)|(true|false|null)|([[\]{},:]))\s*/y;

/** Parses JSON and keeps the order of keys and the text of numbers. */
export function parseJson(text: string): Json {
  let at = 0;
  const next = (): { string?: string; number?: string; word?: string; mark?: string } => {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (!match) throw new SyntaxError(`no JSON at offset ${at}`);
    at = TOKEN.lastIndex;
    const [, string, number, word, mark] = match;
    return { ...(string && { string }), ...(number && { number }), ...(word && { word }), ...(mark && { mark }) };
  };
  const value = (): Json => {
    const token = next();
    if (token.string !== undefined) return JSON.parse(token.string) as string;
    if (token.number !== undefined) return new JsonNumber(token.number);
    if (token.word !== undefined) return token.word === 'null' ? null : token.word === 'true';
    if (token.mark === '[') return array();
    if (token.mark === '{') return object();
    throw new SyntaxError(`unexpected ${token.mark} before offset ${at}`);
  };
  const array = (): Json[] => {
    const items: Json[] = [];
    if (text[at] === ']') next();
    else
      do items.push(value());
      while (next().mark === ',');
    return items;
  };
  const object = (): JsonObject => {
    const members: JsonObject = new Map();
    if (text[at] === '}') next();
    else
      do {
        const key = next().string;
        if (key === undefined || next().mark !== ':') throw new SyntaxError(`no member before offset ${at}`);
        members.set(JSON.parse(key) as string, value());
      } while (next().mark === ',');
    return members;
  };
  const parsed = value();
  if (text.slice(at).trim() !== '') throw new SyntaxError(`text after the value at offset ${at}`);
  return parsed;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return value instanceof Map;
}

/** The JSON text of a value, numbers as they were written. */
export function writeJson(value: Json): string {
  if (value instanceof JsonNumber) return value.source;
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  if (isObject(value)) return `{${[...value].map(([key, member]) => `${JSON.stringify(key)}:${writeJson(member)}`).join(',')}}`;
  return JSON.stringify(value);
}
