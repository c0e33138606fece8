/**
 * The filter language, from text to a tree. A recursive descent over the characters, since keywords depend on the place
 * where they stand; what the attributes and features of an index allow is checked apart (filter-check.ts).
 */
import { type ApiError, errorAs } from '../errors.js';
import type {
  ComparisonOperator,
  FieldCondition,
  FilterNode,
  FilterNumber,
  FilterText,
  GeoPoint,
  TextOperator,
  VectorPath,
} from './filter-ast.js';
import { FilterLexer } from './filter-lexer.js';

/** Deepest nesting: a condition costs 3, each parenthesis around it 4, each NOT before it 1. */
const MAX_DEPTH = 150;
const CONDITION_DEPTH = 3;
const PARENTHESIS_DEPTH = 4;
const NOT_DEPTH = 1;

/** Longest first: `>=` begins like `>`. */
const COMPARISONS: ComparisonOperator[] = ['!=', '>=', '<=', '=', '>', '<'];

const OPERATIONS =
  '`=`, `!=`, `>=`, `>`, `<=`, `<`, `IN`, `NOT IN`, `TO`, `EXISTS`, `NOT EXISTS`, `IS NULL`, `IS NOT NULL`, `IS EMPTY`, ' +
  '`IS NOT EMPTY`, `CONTAINS`, `NOT CONTAINS`, `STARTS WITH`, `NOT STARTS WITH`, `_geoRadius`, `_geoBoundingBox` or `_geoPolygon`';

const RADIUS_FORM = '_geoRadius(latitude, longitude, metres) or _geoRadius(latitude, longitude, metres, resolution)';
const BOX_FORM = '_geoBoundingBox([top latitude, right longitude], [bottom latitude, left longitude])';
const POLYGON_FORM = '_geoPolygon([latitude, longitude], [latitude, longitude], [latitude, longitude], …)';

/**
 * Parses the JSON value of a `filter` member: a text, or an array of texts and of arrays of texts (AND of ORs).
 * @param code of the errors: `invalid_search_filter`, `invalid_document_filter`…
 * @returns null when there is no filter: null, blank, or nothing but blanks
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

/** Expressions that were parsed of late: most come again and again. Longer ones are not kept. */
const KEPT_EXPRESSIONS = 512;
const LONGEST_KEPT = 1024;
const kept = new Map<string, FilterNode | null>();

/** Parses one expression; null when it is blank. */
function parseExpression(source: string, code: string): FilterNode | null {
  const known = kept.get(source);
  if (known !== undefined) return known;
  const parsed = parseAnew(source, code);
  if (source.length > LONGEST_KEPT) return parsed;
  if (kept.size >= KEPT_EXPRESSIONS) kept.clear();
  kept.set(source, parsed);
  return parsed;
}

function parseAnew(source: string, code: string): FilterNode | null {
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
      this.#close(')', start);
      return node;
    }
    switch (lexer.peekWord()) {
      case '_geoRadius':
        return this.#radius();
      case '_geoBoundingBox':
        return this.#box();
      case '_geoPolygon':
        return this.#polygon();
      case '_foreign':
        if (lexer.source[start + '_foreign'.length] === '(') return this.#foreign();
        break;
      default:
        if (/^_vectors(?:\.|$)/.test(lexer.peekWord())) return this.#vectors();
    }
    const field = lexer.value();
    return this.#condition(field);
  }

  #close(character: string, start: number): void {
    const { lexer } = this;
    lexer.space();
    if (lexer.take(character)) return;
    const found = lexer.rest();
    const what = found ? `\`${found}\` was found instead` : 'the filter ends';
    throw lexer.fail(`\`${lexer.rest(start)}\` is not closed: the closing \`${character}\` is missing, ${what}.`, start);
  }

  #condition(field: FilterText): FilterNode {
    const { lexer } = this;
    lexer.space();
    for (const operator of COMPARISONS) {
      if (!lexer.take(operator)) continue;
      lexer.space();
      return { kind: 'compare', field, operator, value: lexer.value() };
    }
    const start = lexer.position;
    if (lexer.keyword('IS')) return this.#is(field);
    const negated = lexer.keyword('NOT');
    lexer.space();
    const condition = this.#wordCondition(field);
    if (condition) return negated ? { kind: 'not', item: condition } : condition;
    if (!negated && lexer.atValue()) {
      const low = lexer.value();
      lexer.space();
      if (lexer.keyword('TO') && lexer.space()) return { kind: 'range', field, low, high: lexer.value() };
    }
    const rest = lexer.rest(start);
    const found = rest ? `at \`${rest}\`` : `after \`${lexer.source.slice(field.start, field.end)}\`, but the filter ends`;
    throw lexer.fail(`Was expecting an operation ${OPERATIONS} ${found}.`, field.start);
  }

  #wordCondition(field: FilterText): FieldCondition | null {
    const { lexer } = this;
    if (lexer.keyword('EXISTS')) return { kind: 'presence', field, test: 'EXISTS' };
    if (lexer.keyword('IN')) return { kind: 'in', field, values: this.#list() };
    if (lexer.keyword('CONTAINS')) return this.#text(field, 'CONTAINS');
    const start = lexer.position;
    if (lexer.keyword('STARTS') && lexer.take(' ') && lexer.keyword('WITH')) return this.#text(field, 'STARTS WITH');
    lexer.position = start;
    return null;
  }

  #text(field: FilterText, operator: TextOperator): FieldCondition {
    this.lexer.space();
    return { kind: 'text', field, operator, value: this.lexer.value() };
  }

  #is(field: FilterText): FilterNode {
    const { lexer } = this;
    const start = lexer.position;
    lexer.space();
    const negated = lexer.keyword('NOT');
    lexer.space();
    for (const test of ['NULL', 'EMPTY'] as const) {
      if (!lexer.keyword(test)) continue;
      const condition: FieldCondition = { kind: 'presence', field, test };
      return negated ? { kind: 'not', item: condition } : condition;
    }
    const rest = lexer.rest(start);
    throw lexer.fail(`After \`IS\` must stand \`NULL\`, \`NOT NULL\`, \`EMPTY\` or \`NOT EMPTY\`, found: \`${rest}\`.`, start);
  }

  #list(): FilterText[] {
    const { lexer } = this;
    lexer.space();
    const start = lexer.position;
    if (!lexer.take('[')) {
      throw lexer.fail(`After \`IN\` must stand a list that begins with \`[\`, found: \`${lexer.rest()}\`.`, start);
    }
    const values: FilterText[] = [];
    lexer.space();
    while (!lexer.take(']')) {
      if (lexer.atEnd) throw lexer.fail(`The list \`${lexer.rest(start)}\` is not closed: the closing \`]\` is missing.`, start);
      values.push(lexer.value());
      lexer.space();
      if (lexer.take(',')) {
        lexer.space();
      } else if (!lexer.atEnd && lexer.source[lexer.position] !== ']') {
        const found = lexer.rest();
        throw lexer.fail(
          `A list of \`IN\` holds values with commas between them and ends with \`]\`, found: \`${found}\`.`,
          lexer.position,
        );
      }
    }
    return values;
  }

  /** The name of a geo function and its opening parenthesis, which must follow at once. */
  #call(name: string, form: string): number {
    const { lexer } = this;
    const start = lexer.position;
    lexer.position += name.length;
    if (!lexer.take('(')) throw lexer.fail(`\`${name}\` is a reserved keyword and must be called as ${form}.`, start);
    return start;
  }

  /** Items with commas between them up to the closing parenthesis. */
  #arguments<T>(form: string, start: number, item: () => T | null): T[] {
    const { lexer } = this;
    const items: T[] = [];
    lexer.space();
    while (!lexer.take(')')) {
      const found = item();
      if (found === null) throw lexer.fail(`The arguments must have the form ${form}, found: \`${lexer.rest()}\`.`, start);
      items.push(found);
      lexer.space();
      if (lexer.take(',')) {
        lexer.space();
      } else if (lexer.source[lexer.position] !== ')') {
        this.#close(')', start);
      }
    }
    return items;
  }

  #radius(): FilterNode {
    const { lexer } = this;
    const start = this.#call('_geoRadius', RADIUS_FORM);
    const [lat, lng, metres, resolution, ...more] = this.#arguments<FilterNumber>(RADIUS_FORM, start, () => lexer.number());
    const trailingComma = /,\s*\)$/.test(lexer.source.slice(start, lexer.position));
    if (!lat || !lng || !metres || more.length > 0 || trailingComma) {
      const count = [lat, lng, metres, resolution].filter(Boolean).length + more.length;
      throw lexer.fail(`\`_geoRadius\` takes 3 or 4 numbers, found ${count}: the form is ${RADIUS_FORM}.`, start, lexer.position);
    }
    return {
      kind: 'radius',
      span: lexer.spanFrom(start),
      center: { lat, lng },
      metres: metres.value,
      resolution: resolution ?? null,
    };
  }

  #box(): FilterNode {
    const { lexer } = this;
    const start = this.#call('_geoBoundingBox', BOX_FORM);
    const points = this.#arguments(BOX_FORM, start, () => this.#point());
    const [topRight, bottomLeft] = points;
    const trailingComma = /,\s*\)$/.test(lexer.source.slice(start, lexer.position));
    if (!topRight || !bottomLeft || points.length > 2 || trailingComma) {
      const message = `\`_geoBoundingBox\` takes 2 pairs of numbers, found ${points.length}: the form is ${BOX_FORM}.`;
      throw lexer.fail(message, start, lexer.position);
    }
    return { kind: 'box', span: lexer.spanFrom(start), topRight, bottomLeft };
  }

  #polygon(): FilterNode {
    const { lexer } = this;
    const start = this.#call('_geoPolygon', POLYGON_FORM);
    const points = this.#arguments(POLYGON_FORM, start, () => this.#point());
    if (points.length < 3) {
      const message = `\`_geoPolygon\` takes at least 3 points, found ${points.length}: the form is ${POLYGON_FORM}.`;
      throw lexer.fail(message, start, lexer.position);
    }
    return { kind: 'polygon', span: lexer.spanFrom(start), points };
  }

  #point(): GeoPoint | null {
    const { lexer } = this;
    const start = lexer.position;
    if (!lexer.take('[')) return null;
    const numbers: FilterNumber[] = [];
    lexer.space();
    while (!lexer.take(']')) {
      const number = lexer.number();
      if (number) numbers.push(number);
      lexer.space();
      const separated = number !== null && lexer.take(',');
      lexer.space();
      if (separated || (number && lexer.source[lexer.position] === ']')) continue;
      throw lexer.fail(`A point is a pair of numbers [latitude, longitude], found: \`${lexer.rest(start)}\`.`, start);
    }
    const [lat, lng] = numbers;
    if (!lat || !lng || numbers.length > 2) {
      throw lexer.fail(`A point is a pair of numbers [latitude, longitude], found ${numbers.length}.`, start, lexer.position);
    }
    return { lat, lng };
  }

  #vectors(): FilterNode {
    const { lexer } = this;
    const start = lexer.position;
    lexer.take('_vectors');
    const path = this.#vectorPath(start);
    const spaced = lexer.space();
    const negated = lexer.keyword('NOT');
    const spacedAgain = lexer.space();
    if (!spaced || (negated && !spacedAgain) || !lexer.keyword('EXISTS')) {
      const rest = lexer.rest();
      throw lexer.fail(`\`_vectors\` can only be used with \`EXISTS\` and \`NOT EXISTS\`, found: \`${rest}\`.`, start);
    }
    const node: FilterNode = { kind: 'vectors', span: lexer.spanFrom(start), path };
    return negated ? { kind: 'not', item: node } : node;
  }

  #vectorPath(start: number): VectorPath {
    const { lexer } = this;
    if (!lexer.take('.')) return { embedder: null, detail: 'any' };
    const embedder = lexer.pathName();
    if (!embedder) throw lexer.fail('The name of an embedder must follow `_vectors.`.', start);
    if (!lexer.take('.')) return { embedder, detail: 'any' };
    for (const detail of ['userProvided', 'documentTemplate', 'regenerate'] as const) {
      if (lexer.peekWord() !== detail) continue;
      lexer.position += detail.length;
      return { embedder, detail };
    }
    if (lexer.take('fragments.')) {
      const fragment = lexer.pathName();
      if (fragment) return { embedder, detail: { fragment } };
    }
    const allowed = '`userProvided`, `documentTemplate`, `regenerate` or `fragments.` with a name';
    throw lexer.fail(`After the name of the embedder may stand ${allowed}, found: \`${lexer.rest()}\`.`, start);
  }

  #foreign(): FilterNode {
    const { lexer } = this;
    const start = lexer.position;
    lexer.take('_foreign(');
    if (this.#insideForeign) throw lexer.fail('`_foreign` cannot stand inside another `_foreign`.', start);
    lexer.space();
    const field = lexer.value();
    lexer.space();
    if (!lexer.take(',')) throw lexer.fail(`\`_foreign\` takes a field and a filter, found: \`${lexer.rest()}\`.`, start);
    this.#insideForeign = true;
    const filter = this.#nested(PARENTHESIS_DEPTH, start, () => this.#expression());
    this.#insideForeign = false;
    this.#close(')', start);
    return { kind: 'foreign', span: lexer.spanFrom(start), field, filter };
  }
}
