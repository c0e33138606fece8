import type { IndexReader } from '../engine/segments.js';
import { normalizeOperand, type Token, Tokenizer, tokenizerConfig } from '../engine/tokenizer.js';
import { sortedSet } from '../engine/utf8.js';
import type { IndexView } from '../index-types.js';
import { decimalOf } from '../query/decimal.js';
import type { FilterNode } from '../query/filter-ast.js';
import type { Query } from '../query/query.js';
import { type Alternative, alternativesOf, type Comparison, type RuleValue } from './alternatives.js';
import { includedWords } from './included-words.js';
import type { RuleConditions, SearchRule } from './rule.js';

/** Number of words of a query that are compared with rules: the first ones. */
const MAX_QUERY_WORDS = 10;

/** Cache of the words of rules, by state of an index. */
const wordsOfRules = new WeakMap<IndexView, Map<string, readonly string[]>>();

/** What the conditions of rules are compared with: query, filter and time of a search. */
export class RuleContext {
  readonly #reader: IndexReader;
  readonly #compare: Comparison;
  #words: ReadonlySet<string> | null = null;
  #alternatives: readonly Alternative[] | null = null;

  /** @param now milliseconds since 1970 */
  constructor(
    reader: IndexReader,
    private readonly query: Query,
    private readonly filter: FilterNode | null,
    private readonly now: number,
  ) {
    this.#reader = reader;
    this.#compare = { equal: (value, operand) => this.#equal(value, operand) };
  }

  /** Whether all conditions of a rule hold. */
  fits({ active, conditions: { time, query, filter } }: SearchRule): boolean {
    if (!active || !this.#isTime(time)) return false;
    if (query?.isEmpty !== undefined && query.isEmpty !== (this.#queryWords().size === 0)) return false;
    if (query?.words !== undefined && !this.#hasWords(query.words)) return false;
    return filter === undefined || this.#hasValues(filter.values);
  }

  #isTime({ start, end }: NonNullable<RuleConditions['time']> = {}): boolean {
    return !(start !== undefined && this.now < Date.parse(start)) && !(end !== undefined && this.now > Date.parse(end));
  }

  #hasWords(text: string): boolean {
    const { view } = this.#reader;
    const cached = wordsOfRules.get(view) ?? new Map<string, readonly string[]>();
    wordsOfRules.set(view, cached);
    const words =
      cached.get(text) ?? this.#tokens(text).flatMap(({ kind, lemma }) => (kind === 'word' && lemma !== '' ? [lemma] : []));
    cached.set(text, words);
    const typed = this.#queryWords();
    return words.every((word) => typed.has(word));
  }

  #queryWords(): ReadonlySet<string> {
    this.#words ??= new Set(
      this.query.isBlank ? [] : sortedSet(includedWords(this.#tokens(this.query.text ?? ''))).slice(0, MAX_QUERY_WORDS),
    );
    return this.#words;
  }

  #tokens(text: string): Token[] {
    const { instance, view } = this.#reader;
    return instance.scoped(() => new Tokenizer(instance, tokenizerConfig(view.settings)).tokenize(text));
  }

  /** Whether some alternative of the filter restricts every field, and is consistent with all values. */
  #hasValues(values: Record<string, unknown>): boolean {
    const wanted = constraintsOf(values);
    if (wanted === null || this.filter === null) return false;
    this.#alternatives ??= alternativesOf(this.filter);
    return this.#alternatives.some((alternative) =>
      wanted.every(([field, value]) => {
        const conditions = alternative.filter((literal) => literal.field === field);
        return conditions.length > 0 && conditions.every((literal) => literal.holds(value, this.#compare));
      }),
    );
  }

  #equal(value: RuleValue, operand: string): boolean {
    if (typeof value === 'number' && decimalOf(operand) === value) return true;
    const { instance } = this.#reader;
    return normalizeOperand(instance, String(value)) === normalizeOperand(instance, operand);
  }
}

/** Fields with their values, nested ones by path; null when a field would need several values at once. */
function constraintsOf(values: Record<string, unknown>, prefix = ''): [field: string, value: RuleValue][] | null {
  const constraints: [string, RuleValue][] = [];
  for (const [name, value] of Object.entries(values)) {
    const field = prefix + name;
    const [only, ...more] = Array.isArray(value) ? value.filter((item) => item !== null) : [value];
    if (more.length > 0) return null;
    if (only === null || only === undefined) continue;
    if (typeof only === 'object') {
      const nested = constraintsOf(only as Record<string, unknown>, `${field}.`);
      if (nested === null) return null;
      constraints.push(...nested);
    } else constraints.push([field, only as RuleValue]);
  }
  return constraints;
}
