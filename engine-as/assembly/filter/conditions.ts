/** Conditions on the values of a field. Each is turned into ranges of ordinals of the column, whose documents are then added. */
import {
  columnContaining,
  columnSelectNumberSet,
  columnSelectNumbers,
  columnSelectStringSet,
  columnSelectStrings,
} from '../columns/select';
import {
  columnNumberCeiling,
  columnNumberFloor,
  columnTextCeiling,
  columnTextFloor,
  columnTextPrefixEnd,
} from '../columns/values';
import { allocZeroed, arenaMark, arenaReset } from '../runtime/arena';
import { bitmapBytes, ColumnHeader } from '../segment/layout';
import { bitmapOr, bitmapSetRange } from '../sets/bitmap';
import {
  FILTER_ABOVE,
  FILTER_ABOVE_OR_EQUAL,
  FILTER_BELOW,
  FILTER_BELOW_OR_EQUAL,
  FILTER_BETWEEN,
  FILTER_CONTAINS,
  FILTER_EMPTY,
  FILTER_EQUALS,
  FILTER_EXISTS,
  FILTER_NULL,
  FILTER_STARTS_WITH,
  FilterOperand,
} from './plan';

/** Adds the documents of a column that a condition selects; `count` operands stand one after the other. */
export function selectByField(kind: u32, column: usize, docCount: u32, operand: FilterOperand, count: u32, target: usize): void {
  const header = changetype<ColumnHeader>(column);
  const bytes = bitmapBytes(docCount);
  switch (kind) {
    case FILTER_EXISTS:
      bitmapOr(target, column + header.existsOffset, bytes);
      break;
    case FILTER_NULL:
      bitmapOr(target, column + header.nullOffset, bytes);
      break;
    case FILTER_EMPTY:
      bitmapOr(target, column + header.emptyOffset, bytes);
      break;
    case FILTER_EQUALS:
      if (count === 1) selectEqual(column, docCount, operand, target);
      else selectEqualToAny(column, docCount, operand, count, target);
      break;
    case FILTER_ABOVE:
      selectFrom(column, docCount, numberCeiling(column, operand), textCeiling(column, operand), target);
      break;
    case FILTER_ABOVE_OR_EQUAL:
      selectFrom(column, docCount, numberFloor(column, operand), textFloor(column, operand), target);
      break;
    case FILTER_BELOW:
      selectBefore(column, docCount, numberFloor(column, operand), textFloor(column, operand), target);
      break;
    case FILTER_BELOW_OR_EQUAL:
      selectBefore(column, docCount, numberCeiling(column, operand), textCeiling(column, operand), target);
      break;
    case FILTER_BETWEEN:
      selectBetween(column, docCount, operand, nextOf(operand), target);
      break;
    case FILTER_STARTS_WITH:
      // all that exists begins with nothing
      if (operand.length === 0) bitmapOr(target, column + header.existsOffset, bytes);
      else columnSelectStrings(column, docCount, textFloor(column, operand), prefixEnd(column, operand), target);
      break;
    case FILTER_CONTAINS:
      selectContaining(column, docCount, operand, target);
      break;
    default:
      assert(false, 'no such condition');
  }
}

function nextOf(operand: FilterOperand): FilterOperand {
  return changetype<FilterOperand>(changetype<usize>(operand) + offsetof<FilterOperand>());
}

/** What is no number stands nowhere among them. */
function hasNumber(operand: FilterOperand): bool {
  return !isNaN(operand.number);
}

/** Ordinal of the first number not below the operand, or above it; NO_NUMBER when it is none. */
const NO_NUMBER: u32 = 0xffffffff;

function numberFloor(column: usize, operand: FilterOperand): u32 {
  return hasNumber(operand) ? columnNumberFloor(column, operand.number) : NO_NUMBER;
}

function numberCeiling(column: usize, operand: FilterOperand): u32 {
  return hasNumber(operand) ? columnNumberCeiling(column, operand.number) : NO_NUMBER;
}

function textFloor(column: usize, operand: FilterOperand): u32 {
  return columnTextFloor(column, operand.text, operand.length);
}

function textCeiling(column: usize, operand: FilterOperand): u32 {
  return columnTextCeiling(column, operand.text, operand.length);
}

function prefixEnd(column: usize, operand: FilterOperand): u32 {
  return columnTextPrefixEnd(column, operand.text, operand.length);
}

function selectFrom(column: usize, docCount: u32, number: u32, text: u32, target: usize): void {
  const header = changetype<ColumnHeader>(column);
  if (number !== NO_NUMBER) columnSelectNumbers(column, docCount, number, header.numberCount, target);
  columnSelectStrings(column, docCount, text, header.stringCount, target);
}

function selectBefore(column: usize, docCount: u32, number: u32, text: u32, target: usize): void {
  if (number !== NO_NUMBER) columnSelectNumbers(column, docCount, 0, number, target);
  columnSelectStrings(column, docCount, 0, text, target);
}

function selectBetween(column: usize, docCount: u32, low: FilterOperand, high: FilterOperand, target: usize): void {
  if (hasNumber(low) && hasNumber(high)) {
    columnSelectNumbers(column, docCount, numberFloor(column, low), numberCeiling(column, high), target);
  }
  columnSelectStrings(column, docCount, textFloor(column, low), textCeiling(column, high), target);
}

function selectEqual(column: usize, docCount: u32, operand: FilterOperand, target: usize): void {
  if (hasNumber(operand)) {
    columnSelectNumbers(column, docCount, numberFloor(column, operand), numberCeiling(column, operand), target);
  }
  // a blank operand equals no value, not even a blank one
  if (operand.length === 0) return;
  columnSelectStrings(column, docCount, textFloor(column, operand), textCeiling(column, operand), target);
}

/** Many values: their ordinals are collected, so that the documents are read once. */
function selectEqualToAny(column: usize, docCount: u32, first: FilterOperand, count: u32, target: usize): void {
  const header = changetype<ColumnHeader>(column);
  const mark = arenaMark();
  const numbers = allocZeroed(bitmapBytes(header.numberCount));
  const texts = allocZeroed(bitmapBytes(header.stringCount));
  let anyNumber = false;
  let anyText = false;
  let operand = first;
  for (let i: u32 = 0; i < count; i++) {
    if (hasNumber(operand)) {
      const from = numberFloor(column, operand);
      const end = numberCeiling(column, operand);
      bitmapSetRange(numbers, from, end);
      anyNumber = anyNumber || from < end;
    }
    if (operand.length > 0) {
      const from = textFloor(column, operand);
      const end = textCeiling(column, operand);
      bitmapSetRange(texts, from, end);
      anyText = anyText || from < end;
    }
    operand = nextOf(operand);
  }
  if (anyNumber) columnSelectNumberSet(column, docCount, numbers, target);
  if (anyText) columnSelectStringSet(column, docCount, texts, target);
  arenaReset(mark);
}

function selectContaining(column: usize, docCount: u32, operand: FilterOperand, target: usize): void {
  const header = changetype<ColumnHeader>(column);
  if (header.stringCount === 0) return;
  const mark = arenaMark();
  const ordinals = allocZeroed(bitmapBytes(header.stringCount));
  if (operand.length === 0) bitmapSetRange(ordinals, 0, header.stringCount);
  else columnContaining(column, operand.text, operand.length, ordinals);
  columnSelectStringSet(column, docCount, ordinals, target);
  arenaReset(mark);
}
