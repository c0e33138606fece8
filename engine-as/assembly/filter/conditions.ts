/**
 * Evaluates conditions on the values of a field: each is translated to ranges of ordinals of the column, whose documents are
 * added.
 */
import { columnContaining, OpenColumn, selectNumberSet, selectNumbers, selectTextSet, selectTexts } from '../columns/select';
import {
  columnNumberCeiling,
  columnNumberFloor,
  columnTextCeiling,
  columnTextFloor,
  columnTextPrefixEnd,
} from '../columns/values';
import { allocZeroed, arenaMark, arenaReset } from '../runtime/arena';
import { CHECK_EVERY, isTimeOver } from '../runtime/deadline';
import { bitmapBytes } from '../segment/layout';
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

/** Adds the documents of a column that satisfy a condition with `count` consecutive operands. */
export function selectByField(kind: u32, column: OpenColumn, operand: FilterOperand, count: u32, target: usize): void {
  const header = column.header;
  const bytes = bitmapBytes(column.docCount);
  switch (kind) {
    case FILTER_EXISTS:
      bitmapOr(target, column.at + header.existsOffset, bytes);
      break;
    case FILTER_NULL:
      bitmapOr(target, column.at + header.nullOffset, bytes);
      break;
    case FILTER_EMPTY:
      bitmapOr(target, column.at + header.emptyOffset, bytes);
      break;
    case FILTER_EQUALS:
      if (count === 1) selectEqual(column, operand, target);
      else selectEqualToAny(column, operand, count, target);
      break;
    case FILTER_ABOVE:
      selectFrom(column, numberCeiling(column, operand), textCeiling(column, operand), target);
      break;
    case FILTER_ABOVE_OR_EQUAL:
      selectFrom(column, numberFloor(column, operand), textFloor(column, operand), target);
      break;
    case FILTER_BELOW:
      selectBefore(column, numberFloor(column, operand), textFloor(column, operand), target);
      break;
    case FILTER_BELOW_OR_EQUAL:
      selectBefore(column, numberCeiling(column, operand), textCeiling(column, operand), target);
      break;
    case FILTER_BETWEEN:
      selectBetween(column, operand, nextOf(operand), target);
      break;
    case FILTER_STARTS_WITH:
      // Every existing value begins with the empty text.
      if (operand.length === 0) bitmapOr(target, column.at + header.existsOffset, bytes);
      else selectTexts(column, textFloor(column, operand), prefixEnd(column, operand), target);
      break;
    case FILTER_CONTAINS:
      selectContaining(column, operand, target);
      break;
    default:
      assert(false, 'no such condition');
  }
}

function nextOf(operand: FilterOperand): FilterOperand {
  return changetype<FilterOperand>(changetype<usize>(operand) + offsetof<FilterOperand>());
}

/** Whether the operand is a number; otherwise it equals no number. */
function hasNumber(operand: FilterOperand): bool {
  return !isNaN(operand.number);
}

/** In place of an ordinal: the operand is not a number. */
const NO_NUMBER: u32 = 0xffffffff;

function numberFloor(column: OpenColumn, operand: FilterOperand): u32 {
  return hasNumber(operand) ? columnNumberFloor(column.at, operand.number) : NO_NUMBER;
}

function numberCeiling(column: OpenColumn, operand: FilterOperand): u32 {
  return hasNumber(operand) ? columnNumberCeiling(column.at, operand.number) : NO_NUMBER;
}

function textFloor(column: OpenColumn, operand: FilterOperand): u32 {
  return columnTextFloor(column.at, operand.text, operand.length);
}

function textCeiling(column: OpenColumn, operand: FilterOperand): u32 {
  return columnTextCeiling(column.at, operand.text, operand.length);
}

function prefixEnd(column: OpenColumn, operand: FilterOperand): u32 {
  return columnTextPrefixEnd(column.at, operand.text, operand.length);
}

function selectFrom(column: OpenColumn, number: u32, text: u32, target: usize): void {
  const header = column.header;
  if (number !== NO_NUMBER) selectNumbers(column, number, header.numberCount, target);
  selectTexts(column, text, header.normalizedCount, target);
}

function selectBefore(column: OpenColumn, number: u32, text: u32, target: usize): void {
  if (number !== NO_NUMBER) selectNumbers(column, 0, number, target);
  selectTexts(column, 0, text, target);
}

function selectBetween(column: OpenColumn, low: FilterOperand, high: FilterOperand, target: usize): void {
  if (hasNumber(low) && hasNumber(high)) {
    selectNumbers(column, numberFloor(column, low), numberCeiling(column, high), target);
  }
  selectTexts(column, textFloor(column, low), textCeiling(column, high), target);
}

function selectEqual(column: OpenColumn, operand: FilterOperand, target: usize): void {
  if (hasNumber(operand)) {
    selectNumbers(column, numberFloor(column, operand), numberCeiling(column, operand), target);
  }
  // An empty operand equals no value, not even an empty one.
  if (operand.length === 0) return;
  selectTexts(column, textFloor(column, operand), textCeiling(column, operand), target);
}

/** Many values: their ordinals are collected, so that the documents are read once. */
function selectEqualToAny(column: OpenColumn, first: FilterOperand, count: u32, target: usize): void {
  const header = column.header;
  const mark = arenaMark();
  const numbers = allocZeroed(bitmapBytes(header.numberCount));
  const texts = allocZeroed(bitmapBytes(header.normalizedCount));
  let anyNumber = false;
  let anyText = false;
  let operand = first;
  for (let i: u32 = 0; i < count; i++) {
    if (i % CHECK_EVERY === CHECK_EVERY - 1 && isTimeOver()) break;
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
  if (anyNumber) selectNumberSet(column, numbers, target);
  if (anyText) selectTextSet(column, texts, target);
  arenaReset(mark);
}

function selectContaining(column: OpenColumn, operand: FilterOperand, target: usize): void {
  const header = column.header;
  if (header.normalizedCount === 0) return;
  const mark = arenaMark();
  const ordinals = allocZeroed(bitmapBytes(header.normalizedCount));
  if (operand.length === 0) bitmapSetRange(ordinals, 0, header.normalizedCount);
  else columnContaining(column.at, operand.text, operand.length, ordinals);
  selectTextSet(column, ordinals, target);
  arenaReset(mark);
}
