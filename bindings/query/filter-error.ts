import { type ApiError, errorAs } from '../errors.js';
import type { FilterSpan } from './filter-ast.js';

/** Column of an offset in UTF-16 units: 1-based, in characters. */
function column(source: string, offset: number): number {
  let characters = 1;
  for (const _ of source.slice(0, offset)) characters++;
  return characters;
}

/** An error that points to a part of an expression: one line with the message, then the range and the expression. */
export function filterError(code: string, span: FilterSpan, message: string): ApiError {
  const { source, start, end } = span;
  return errorAs(code, 'inExpression', { message, start: column(source, start), end: column(source, end), source });
}
