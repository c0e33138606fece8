/**
 * Parses the filter language into a tree, by recursive descent over characters, because keywords depend on their position. What
 * the attributes and features of an index permit is checked separately (filter-check.ts).
 */
import { type ApiError, errorAs } from '../errors.js';
import type { FilterNode } from './filter-ast.js';
import { parseCondition } from './filter-condition.js';
import { parseBox, parsePolygon, parseRadius } from './filter-geo.js';
import { FilterLexer } from './filter-lexer.js';
import { parseVectors } from './filter-vectors.js';

/** Deepest nesting: a condition counts 3, each parenthesis around it 4, each NOT before it 1. */
const MAX_DEPTH = 150;
const CONDITION_DEPTH = 3;
const PARENTHESIS_DEPTH = 4;
const NOT_DEPTH = 1;

/**
 * Parses the JSON value of a `filter` member: a string, or an array of strings and of arrays of strings (AND of ORs).
 * @param code error code: `invalid_search_filter`, `invalid_document_filter`…
 * @returns null when there is no filter: null, or nothing but white space
 */
export function parseFilter(value: unknown, code: string): FilterNode | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return parseExpression(value, code);
  if (!Array.isArray(value)) throw wrongShape(value, 'a string, an array or null', code);
  return combine(
    'and',
    value.map((item: unknown) => {
      if (typeof item === 'string') return parseExpression(item, code);
      if (!Array.isArray(item)) throw wrongShape(item, 'a string or an array of strings inside the array', code);
      return combine(
        'or',
        item.map((inner: unknown) => {
          if (typeof inner !== 'string') throw wrongShape(inner, 'a string inside the inner array', code);
          return parseExpression(inner, code);
        }),
      );
    }),
  );
}

function wrongShape(value: unknown, expected: string, code: string): ApiError {
  return errorAs(code, 'filterSyntax', { expected, found: JSON.stringify(value) });
}

function combine(kind: 'and' | 'or', parts: (FilterNode | null)[]): FilterNode | null {
  const items = parts.filter((part) => part !== null);
  const [first] = items;
  if (first === undefined) return null;
  return items.length === 1 ? first : { kind, items };
}

/** Parses an expression; null when it is blank. */
function parseExpression(source: string, code: string): FilterNode | null {
  const lexer = new FilterLexer(source, code);
  lexer.space();
  return lexer.atEnd ? null : new FilterParser(lexer).whole();
}

class FilterParser {
  #depth = CONDITION_DEPTH;
  #insideForeign = false;

  constructor(private readonly lexer: FilterLexer) {}

  whole(): FilterNode {
    const { lexer } = this;
    const node = this.#expression();
    lexer.space();
    if (lexer.atEnd) return node;
    const rest = lexer.rest();
    throw lexer.fail(
      `Found unexpected characters at the end of the filter: \`${rest}\`. An OR or AND may be missing.`,
      lexer.position,
    );
  }

  #expression(): FilterNode {
    return this.#chain('or', 'OR', () => this.#chain('and', 'AND', () => this.#not()));
  }

  #chain(kind: 'and' | 'or', keyword: string, operand: () => FilterNode): FilterNode {
    const first = operand();
    const items = [first];
    for (;;) {
      const before = this.lexer.position;
      this.lexer.space();
      if (!this.lexer.keyword(keyword)) {
        this.lexer.position = before;
        return items.length === 1 ? first : { kind, items };
      }
      items.push(operand());
    }
  }

  #nested<T>(cost: number, start: number, parse: () => T): T {
    this.#depth += cost;
    if (this.#depth > MAX_DEPTH) throw this.lexer.fail('The filter is too deeply nested.', start);
    const result = parse();
    this.#depth -= cost;
    return result;
  }

  #not(): FilterNode {
    const { lexer } = this;
    lexer.space();
    const start = lexer.position;
    if (!lexer.keyword('NOT')) return this.#primary();
    return this.#nested(NOT_DEPTH, start, () => ({ kind: 'not', item: this.#not() }));
  }

  #primary(): FilterNode {
    const { lexer } = this;
    const start = lexer.position;
    if (lexer.take('(')) {
      const node = this.#nested(PARENTHESIS_DEPTH, start, () => this.#expression());
      lexer.close(')', start);
      return node;
    }
    switch (lexer.peekWord()) {
      case '_geoRadius':
        return parseRadius(lexer);
      case '_geoBoundingBox':
        return parseBox(lexer);
      case '_geoPolygon':
        return parsePolygon(lexer);
      case '_foreign':
        if (lexer.source[start + '_foreign'.length] === '(') return this.#foreign();
        break;
      default:
        if (/^_vectors(?:\.|$)/.test(lexer.peekWord())) return parseVectors(lexer);
    }
    const field = lexer.value();
    return parseCondition(lexer, field);
  }

  #foreign(): FilterNode {
    const { lexer } = this;
    const start = lexer.position;
    lexer.take('_foreign(');
    if (this.#insideForeign) throw lexer.fail('`_foreign` is not supported inside another `_foreign`.', start);
    lexer.space();
    const field = lexer.value();
    lexer.space();
    if (!lexer.take(',')) throw lexer.fail(`\`_foreign\` takes a field and a filter, found: \`${lexer.rest()}\`.`, start);
    this.#insideForeign = true;
    const filter = this.#nested(PARENTHESIS_DEPTH, start, () => this.#expression());
    this.#insideForeign = false;
    lexer.close(')', start);
    return { kind: 'foreign', span: lexer.spanFrom(start), field, filter };
  }
}
