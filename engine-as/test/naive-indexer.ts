/** A simple implementation of indexing: fields, positions, word counts. */
import type { BuilderConfig } from '../../bindings/engine/builder-config.js';
import { NaiveTokenizer } from './naive-tokenizer.js';

/** A number as written in the text. */
export class Literal {
  constructor(readonly text: string) {}
}

export type Value = string | boolean | null | Literal | Value[] | { [name: string]: Value };
export type ValueObject = { [name: string]: Value };

export function print(value: Value): string {
  if (value instanceof Literal) return value.text;
  if (Array.isArray(value)) return `[${value.map(print).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}:${print(member)}`)
    .join(',')}}`;
}

const TOLERANT = 1;
const EXACT = 2;

const under = (path: string, entry: string) => path === entry || path.startsWith(`${entry}.`);

export class NaiveIndexer {
  readonly fields: string[];
  /** term -> sides, and codes by document */
  readonly terms = new Map<string, { sides: number; docs: Map<number, number[]> }>();
  readonly wordCounts: [number, number][][] = [];
  readonly #tokenizer: NaiveTokenizer;

  constructor(readonly config: BuilderConfig) {
    this.fields = [...config.fields];
    this.#tokenizer = new NaiveTokenizer(config.tokenizer);
  }

  #field(path: string): number {
    const id = this.fields.indexOf(path);
    return id >= 0 ? id : this.fields.push(path) - 1;
  }

  #searchable(path: string): boolean {
    if (['_vectors', '_geo', '_geojson'].some((entry) => under(path, entry))) return false;
    const { searchable } = this.config;
    return searchable === null || searchable.some((entry) => entry === '*' || under(path, entry));
  }

  add(document: ValueObject): void {
    const doc = this.wordCounts.length;
    const counters = new Map<number, number>();
    const counts = new Map<number, number>();
    const visit = (path: string): number => {
      const field = this.#field(path);
      const start = counters.has(field) ? (counters.get(field) as number) + 8 : 0;
      counters.set(field, start);
      return start;
    };
    const walk = (path: string, value: Value, inObject: boolean): void => {
      this.#field(path);
      if (Array.isArray(value) || (typeof value === 'object' && value !== null && !(value instanceof Literal))) {
        if (inObject) visit(path);
        if (Object.keys(value).length === 0) visit(path);
        if (path === '_vectors' || path === '_geojson') return;
        if (Array.isArray(value)) for (const item of value) walk(path, item, false);
        else for (const [name, member] of Object.entries(value)) walk(`${path}.${name}`, member, true);
        return;
      }
      const start = visit(path);
      if (!this.#searchable(path) || value === null || start >= 65536) return;
      const field = this.#field(path);
      this.#words(value instanceof Literal ? literalText(value.text) : String(value), start, (word, position) => {
        counters.set(field, position);
        counts.set(field, (counts.get(field) ?? 0) + 1);
        this.#occurrence(word, doc, field, position);
      });
    };
    for (const [name, value] of Object.entries(document)) walk(name, value, false);
    this.wordCounts.push([...counts].sort((a, b) => a[0] - b[0]).map(([field, count]) => [field, Math.min(count, 31)]));
  }

  #words(text: string, start: number, found: (word: string, position: number) => void): void {
    let position = start;
    let previous = '';
    for (const token of this.#tokenizer.tokenize(text)) {
      if (token.kind === 'soft' || token.kind === 'hard') {
        if (previous !== '' && previous !== 'hard') previous = token.kind;
        continue;
      }
      if (token.lemma === '') continue;
      position += previous === '' ? 0 : previous === 'hard' ? 8 : 1;
      previous = 'word';
      if (position >= 65536) return;
      const word = token.lemma.trim();
      if (token.kind === 'word' && word !== '' && Buffer.byteLength(word) <= 250) found(word, position);
    }
  }

  #occurrence(word: string, doc: number, field: number, position: number): void {
    const term = this.terms.get(word) ?? { sides: 0, docs: new Map<number, number[]>() };
    this.terms.set(word, term);
    const numeric = this.config.disableOnNumbers && /^[\p{N}!-/:-@[-`{-~]+$/u.test(word);
    const exact = numeric || this.config.exactAttributes.some((entry) => under(this.fields[field] as string, entry));
    term.sides |= exact ? EXACT : TOLERANT;
    const codes = term.docs.get(doc) ?? [];
    term.docs.set(doc, codes);
    codes.push(field * 65536 + position);
  }
}

/** Integers of 64 bits as written; other numbers in the shortest form of the float. */
export function literalText(literal: string): string {
  if (/^-?\d+$/.test(literal) && literal !== '-0') {
    const value = BigInt(literal);
    if (value >= -(2n ** 63n) && value < 2n ** 64n) return literal;
  }
  const value = Number(literal);
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-5 || size >= 1e16)) return value.toExponential();
  if (Object.is(value, -0)) return '-0.0';
  return Number.isInteger(value) ? `${BigInt(value)}.0` : String(value);
}
