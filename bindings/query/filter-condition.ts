/** Parses conditions on a field: what may follow its name. */
import type { FieldCondition, FieldOperator, FilterNode, FilterText } from './filter-ast.js';
import type { FilterLexer } from './filter-lexer.js';

/** Longest first, because `>=` begins with `>`. */
const COMPARISONS: readonly FieldOperator[] = ['!=', '>=', '<=', '=', '>', '<'];
/** Tests that follow `IS`. */
const STATES: readonly [word: string, operator: FieldOperator][] = [
  ['NULL', 'IS NULL'],
  ['EMPTY', 'IS EMPTY'],
];

const OPERATIONS =
  '`=`, `!=`, `>=`, `>`, `<=`, `<`, `IN`, `NOT IN`, `TO`, `EXISTS`, `NOT EXISTS`, `IS NULL`, `IS NOT NULL`, `IS EMPTY`, ' +
  '`IS NOT EMPTY`, `CONTAINS`, `NOT CONTAINS`, `STARTS WITH`, `NOT STARTS WITH`, `_geoRadius`, `_geoBoundingBox` or `_geoPolygon`';

export function parseCondition(lexer: FilterLexer, field: FilterText): FilterNode {
  lexer.space();
  for (const operator of COMPARISONS) {
    if (lexer.take(operator)) return withValue(lexer, field, operator);
  }
  const start = lexer.position;
  if (lexer.keyword('IS')) return isCondition(lexer, field);
  const negated = lexer.keyword('NOT');
  lexer.space();
  const condition = wordCondition(lexer, field);
  if (condition) return negated ? { kind: 'not', item: condition } : condition;
  if (!negated && lexer.atValue()) {
    const low = lexer.value();
    lexer.space();
    if (lexer.keyword('TO') && lexer.space()) return { kind: 'field', field, operator: 'TO', values: [low, lexer.value()] };
  }
  const rest = lexer.rest(start);
  const found = rest ? `at \`${rest}\`` : `after \`${lexer.source.slice(field.start, field.end)}\`, but the filter ends`;
  throw lexer.fail(`Was expecting an operation ${OPERATIONS} ${found}.`, field.start);
}

function wordCondition(lexer: FilterLexer, field: FilterText): FieldCondition | null {
  if (lexer.keyword('EXISTS')) return { kind: 'field', field, operator: 'EXISTS', values: [] };
  if (lexer.keyword('IN')) return { kind: 'field', field, operator: 'IN', values: listOf(lexer) };
  if (lexer.keyword('CONTAINS')) return withValue(lexer, field, 'CONTAINS');
  const start = lexer.position;
  if (lexer.keyword('STARTS') && lexer.take(' ') && lexer.keyword('WITH')) return withValue(lexer, field, 'STARTS WITH');
  lexer.position = start;
  return null;
}

function withValue(lexer: FilterLexer, field: FilterText, operator: FieldOperator): FieldCondition {
  lexer.space();
  return { kind: 'field', field, operator, values: [lexer.value()] };
}

function isCondition(lexer: FilterLexer, field: FilterText): FilterNode {
  const start = lexer.position;
  lexer.space();
  const negated = lexer.keyword('NOT');
  lexer.space();
  for (const [word, operator] of STATES) {
    if (!lexer.keyword(word)) continue;
    const condition: FieldCondition = { kind: 'field', field, operator, values: [] };
    return negated ? { kind: 'not', item: condition } : condition;
  }
  const rest = lexer.rest(start);
  throw lexer.fail(
    `After \`IS\` one of \`NULL\`, \`NOT NULL\`, \`EMPTY\` and \`NOT EMPTY\` was expected, found: \`${rest}\`.`,
    start,
  );
}

function listOf(lexer: FilterLexer): FilterText[] {
  lexer.space();
  const start = lexer.position;
  if (!lexer.take('[')) {
    throw lexer.fail(`After \`IN\` a list that begins with \`[\` was expected, found: \`${lexer.rest()}\`.`, start);
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
        `In a list of \`IN\`, \`,\` or the closing \`]\` was expected after a value, found: \`${found}\`.`,
        lexer.position,
      );
    }
  }
  return values;
}
