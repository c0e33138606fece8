/** Evaluates filters: the whole plan segment by segment, with bitmaps over the documents of one segment. */

import { openColumn } from '../columns/select';
import { GeoArea, geoSelect, setBox, setCircle } from '../geo/select';
import { alloc, allocZeroed, arenaMark, arenaReset } from '../runtime/arena';
import { isTimeOver, LOOK_EVERY, setDeadline } from '../runtime/deadline';
import { bitmapBytes } from '../segment/layout';
import { bitmapAnd, bitmapAndNot, bitmapFill, bitmapIsEmpty, bitmapNot, bitmapOr } from '../sets/bitmap';
import { FACET_ROOM, normalizeOperandInto } from '../text/facet';
import { MAX_FOLD_GROWTH } from '../text/tables';
import { selectByField } from './conditions';
import {
  FILTER_AND,
  FILTER_BOX,
  FILTER_CONTAINS,
  FILTER_EQUALS,
  FILTER_GIVEN,
  FILTER_NOT,
  FILTER_NOTHING,
  FILTER_OR,
  FILTER_RADIUS,
  FilterNode,
  FilterOperand,
  FilterPlan,
  FilterSegment,
} from './plan';

/** The present segment, the size of its bitmaps, and its live documents. */
let segment: FilterSegment = changetype<FilterSegment>(0);
let bytes: usize = 0;
let live: usize = 0;
let operands: usize = 0;
/** Number of conditions evaluated, and whether the present one is negated: see {@link giveUp}. */
let conditions: u32 = 0;
let isNegated: bool = false;
let isCut: bool = false;

/** Conditions of ordinary cost between two checks of the deadline. */
const LOOK_EVERY_CONDITIONS: u32 = 32;

/** Adds to `out` of each of `count` FilterSegments the live documents that a plan selects. Overwrites the texts of its operands. */
export function filterInto(plan: FilterPlan, segments: usize, count: u32): void {
  operands = plan.operands;
  conditions = 0;
  isNegated = false;
  isCut = false;
  setDeadline(plan.deadline);
  for (let i: u32 = 0; i < plan.operandCount; i++) normalize(operandAt(i));
  for (let i: u32 = 0; i < count; i++) {
    const mark = arenaMark();
    segment = changetype<FilterSegment>(segments + <usize>i * offsetof<FilterSegment>());
    bytes = bitmapBytes(segment.view.docCount);
    live = allocZeroed(bytes);
    bitmapFill(live, segment.view.docCount);
    if (segment.deleted) bitmapAndNot(live, segment.deleted, bytes);
    evaluate(plan.nodes, segment.out);
    bitmapAnd(segment.out, live, bytes);
    arenaReset(mark);
  }
  plan.isCut = isCut;
}

function operandAt(index: u32): FilterOperand {
  return changetype<FilterOperand>(operands + <usize>index * offsetof<FilterOperand>());
}

/** Normalizes the text of an operand like the values of columns. */
function normalize(operand: FilterOperand): void {
  const out = alloc(<usize>operand.length * MAX_FOLD_GROWTH + FACET_ROOM);
  operand.length = normalizeOperandInto(operand.text, operand.length, out);
  operand.text = out;
}

/** Adds the documents that a node selects to an empty bitmap; returns the address of the node after it and its children. */
function evaluate(at: usize, target: usize): usize {
  const node = changetype<FilterNode>(at);
  const children = at + offsetof<FilterNode>();
  switch (node.kind) {
    case FILTER_AND:
      return evaluateAnd(children, node.count, target);
    case FILTER_OR:
      return evaluateOr(children, node.count, target);
    case FILTER_NOT: {
      isNegated = !isNegated;
      const after = evaluate(children, target);
      isNegated = !isNegated;
      bitmapNot(target, live, bytes);
      return after;
    }
    default:
      select(node, target);
      return children;
  }
}

function evaluateAnd(first: usize, count: u32, target: usize): usize {
  let at = evaluate(first, target);
  for (let i: u32 = 1; i < count; i++) {
    if (bitmapIsEmpty(target, bytes)) {
      at = after(at);
      continue;
    }
    const mark = arenaMark();
    const part = allocZeroed(bytes);
    at = evaluate(at, part);
    bitmapAnd(target, part, bytes);
    arenaReset(mark);
  }
  return at;
}

function evaluateOr(first: usize, count: u32, target: usize): usize {
  let at = first;
  for (let i: u32 = 0; i < count; i++) {
    const kind = changetype<FilterNode>(at).kind;
    // Operations that only add bits can write to the result directly.
    if (kind !== FILTER_AND && kind !== FILTER_NOT) {
      at = evaluate(at, target);
      continue;
    }
    const mark = arenaMark();
    const part = allocZeroed(bytes);
    at = evaluate(at, part);
    bitmapOr(target, part, bytes);
    arenaReset(mark);
  }
  return at;
}

/** The address of the node after a node and its children. */
function after(at: usize): usize {
  const node = changetype<FilterNode>(at);
  let next = at + offsetof<FilterNode>();
  if (node.kind > FILTER_NOT) return next;
  for (let i: u32 = 0; i < node.count; i++) next = after(next);
  return next;
}

/**
 * A condition that exceeds the deadline selects nothing or, when it is negated, everything, so that the filter as a whole never
 * selects a document that it should not: the document might be hidden from the caller.
 */
function giveUp(target: usize): void {
  isCut = true;
  if (isNegated) bitmapFill(target, segment.view.docCount);
}

/** Adds the documents that a condition selects. */
function select(node: FilterNode, target: usize): void {
  if (!isCut && ++conditions % LOOK_EVERY_CONDITIONS === 0) isCut = isTimeOver();
  if (!isCut && selectNow(node, target)) return;
  giveUp(target);
}

/** False: the deadline passed. */
function selectNow(node: FilterNode, target: usize): bool {
  const mark = arenaMark();
  const docCount = segment.view.docCount;
  const points = segment.view.geo;
  switch (node.kind) {
    case FILTER_NOTHING:
      return true;
    case FILTER_GIVEN:
      bitmapOr(target, load<u32>(segment.given + ((<usize>node.first) << 2)), bytes);
      return node.count > 0;
    case FILTER_RADIUS:
    case FILTER_BOX: {
      if (points) geoSelect(points, docCount, areaOf(node), openColumn(segment.view, node.field), target);
      break;
    }
    default: {
      const column = openColumn(segment.view, node.field);
      if (changetype<usize>(column) !== 0) selectByField(node.kind, column, operandAt(node.first), node.count, target);
    }
  }
  arenaReset(mark);
  return !mayTakeLong(node) || !isTimeOver();
}

/** Whether a condition checks the deadline itself. */
function mayTakeLong(node: FilterNode): bool {
  switch (node.kind) {
    case FILTER_RADIUS:
    case FILTER_BOX:
    case FILTER_CONTAINS:
      return true;
    default:
      return node.kind === FILTER_EQUALS && node.count >= LOOK_EVERY;
  }
}

function areaOf(node: FilterNode): GeoArea {
  const area = changetype<GeoArea>(alloc(offsetof<GeoArea>()));
  if (node.kind === FILTER_RADIUS) setCircle(area, numberOf(node, 0), numberOf(node, 1), numberOf(node, 2));
  else setBox(area, numberOf(node, 0), numberOf(node, 1), numberOf(node, 2), numberOf(node, 3));
  return area;
}

function numberOf(node: FilterNode, index: u32): f64 {
  return operandAt(node.first + index).number;
}
