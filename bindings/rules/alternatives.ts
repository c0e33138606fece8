import { decimalOf } from '../query/decimal.js';
import type { FieldCondition, FilterNode, FilterText, OrderOperator } from '../query/filter-ast.js';

/** A value of a field in a rule. */
export type RuleValue = string | number | boolean;

/** How a rule's value compares with an operand of a filter. */
export interface Comparison {
  equal(value: RuleValue, operand: string): boolean;
}

/** A condition of a filter that restricts the value of a field. */
export interface Literal {
  field: string;
  holds(value: RuleValue, compare: Comparison): boolean;
}

/** Conditions that hold together: one term of the disjunctive normal form. */
export type Alternative = readonly Literal[];

/** Filters beyond these limits have no alternatives: rules with filter conditions do not apply to them. */
const MAX_ALTERNATIVES = 100;
const MAX_CONDITIONS = 100;
const DEEPEST = 25;

class TooComplex extends Error {}

const NEGATED: Record<OrderOperator, OrderOperator> = { '>': '<=', '>=': '<', '<': '>=', '<=': '>' };
const ORDER: Record<OrderOperator, (left: number, right: number) => boolean> = {
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
};

/** The disjunctive normal form of a filter: the ways in which a document can pass it. */
export function alternativesOf(filter: FilterNode): Alternative[] {
  try {
    return expand(filter, false, 0);
  } catch (error) {
    if (error instanceof TooComplex) return [];
    throw error;
  }
}

function expand(node: FilterNode, negated: boolean, depth: number): Alternative[] {
  if (depth > DEEPEST) throw new TooComplex();
  switch (node.kind) {
    case 'not':
      return expand(node.item, !negated, depth + 1);
    case 'and':
    case 'or': {
      const parts = node.items.map((item) => expand(item, negated, depth + 1));
      return (node.kind === 'and') !== negated ? allOf(parts) : anyOf(parts);
    }
    case 'field':
      return fieldAlternatives(node, negated);
    case 'foreign':
      return [[{ field: node.field.text, holds: () => false }]];
    default:
      // Geo and vector conditions do not restrict values of fields.
      return [[]];
  }
}

function fieldAlternatives({ field, operator, values }: FieldCondition, negated: boolean): Alternative[] {
  const [first, last] = values as [FilterText, FilterText];
  switch (operator) {
    case '=':
    case '!=':
      return [[equality(field, first, (operator === '=') !== negated)]];
    case 'IN': {
      const each = values.map((value): Alternative[] => [[equality(field, value, !negated)]]);
      return negated ? allOf(each) : anyOf(each);
    }
    case 'TO':
      if (negated) return [[order(field, '<', first)], [order(field, '>', last)]];
      return [[order(field, '>=', first), order(field, '<=', last)]];
    case '>':
    case '>=':
    case '<':
    case '<=':
      return [[order(field, negated ? NEGATED[operator] : operator, first)]];
    default:
      return [[{ field: field.text, holds: () => operator === 'EXISTS' && !negated }]];
  }
}

function anyOf(parts: Alternative[][]): Alternative[] {
  const all = parts.flat();
  if (all.length > MAX_ALTERNATIVES) throw new TooComplex();
  return all;
}

function allOf(parts: Alternative[][]): Alternative[] {
  let all: Alternative[] = [[]];
  for (const part of parts) {
    if (all.length * part.length > MAX_ALTERNATIVES) throw new TooComplex();
    all = all.flatMap((left) => part.map((right) => [...left, ...right]));
    if (all.some(({ length }) => length > MAX_CONDITIONS)) throw new TooComplex();
  }
  return all;
}

function equality(field: FilterText, { text }: FilterText, wanted: boolean): Literal {
  return { field: field.text, holds: (value, compare) => compare.equal(value, text) === wanted };
}

/** A comparison of numbers. */
function order(field: FilterText, operator: OrderOperator, { text }: FilterText): Literal {
  const bound = decimalOf(text);
  return { field: field.text, holds: (value) => typeof value === 'number' && ORDER[operator](value, bound) };
}
