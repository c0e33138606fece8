/** Evaluates filters: the whole plan segment by segment, with bitmaps over the documents of one segment. */

import { cacheBegin } from '../cache/cache';
import { openColumn } from '../columns/select';
import { Area } from '../geo/area';
import { geoSelect } from '../geo/select';
import { selectShapes } from '../geo/shapes';
import { PlanSegment, Segments } from '../plan/segments';
import { addLive, liveDocuments } from '../remote/documents';
import { payloadOf, REQUEST_FILTER, RemoteRequest, requestFor, sendRequest } from '../remote/request';
import { alloc, allocZeroed, arenaMark, arenaReset } from '../runtime/arena';
import { bufferPush32, bufferPushBytes } from '../runtime/buffer';
import { CHECK_EVERY, isTimeOver, setDeadline } from '../runtime/deadline';
import { bitmapBytes } from '../segment/layout';
import { SegmentView } from '../segment/view';
import { bitmapAnd, bitmapCount, bitmapFill, bitmapKeep, bitmapNot, bitmapOr } from '../sets/bitmap';
import { VectorsHeader, vectorsOf } from '../vector/layout';
import { ordinalInto } from '../vector/scan';
import { isOnShapes, pointArea, shapeArea } from './areas';
import { selectByField } from './conditions';
import { operandAt, readOperands } from './operands';
import {
  FILTER_AND,
  FILTER_BOX,
  FILTER_CONTAINS,
  FILTER_EMBEDDED,
  FILTER_EQUALS,
  FILTER_NOT,
  FILTER_NOTHING,
  FILTER_OR,
  FILTER_ORDINAL,
  FILTER_RADIUS,
  FILTER_REGENERATED,
  FILTER_SHAPE_IN_BOX,
  FILTER_SHAPE_IN_POLYGON,
  FILTER_SHAPE_IN_RADIUS,
  FILTER_USER_PROVIDED,
  FilterNode,
  FilterPlan,
} from './plan';

/** The current segment, its id, and the size of its bitmaps. */
let segment: SegmentView = changetype<SegmentView>(0);
let segmentId: u32 = 0;
let bytes: usize = 0;
/** bitmap of the documents that can still be selected, all of them live: what a condition adds beyond them has no effect; and their number */
let within: usize = 0;
let withinCount: u32 = 0;
/** The nodes, and u32 of each: the Area of a condition on shapes. */
let nodes: usize = 0;
let areas: usize = 0;
/** Number of conditions evaluated, and whether the current one is negated: see {@link giveUp}. */
let conditions: u32 = 0;
let isNegated: bool = false;
let isTimedOut: bool = false;

/** Conditions of ordinary cost between two checks of the deadline. */
const CHECK_EVERY_CONDITIONS: u32 = 32;

/**
 * A bitmap of the live documents that a plan selects. To be called between two searches.
 * @param bytes of a bitmap over slots
 * @param plan null: all documents
 */
export function selectDocuments(segments: Segments, bytes: u32, plan: FilterPlan | null): usize {
  const live = liveDocuments(segments, bytes);
  if (plan === null) return live;
  // Shapes are cached like the results of searches.
  cacheBegin();
  return filterDocuments(segments, bytes, plan, live);
}

/** A bitmap of those documents of the bitmap `among`, all of them live, that a plan selects. */
export function filterDocuments(segments: Segments, bytes: u32, plan: FilterPlan, among: usize): usize {
  const selected = allocZeroed(max<usize>(bytes, 16));
  filterBegin(plan);
  for (let number: u32 = 0; number < segments.count; number++) {
    const mark = arenaMark();
    const each = segments.at(number);
    const place: usize = each.base >>> 3;
    const out = selected + place;
    if (each.isHere) filterSegment(plan, changetype<SegmentView>(each.view), each.id, among + place, out);
    else requestFilter(plan, number, each, among + place, out);
    arenaReset(mark);
  }
  plan.isTimedOut = isTimedOut;
  return selected;
}

function filterBegin(plan: FilterPlan): void {
  conditions = 0;
  isNegated = false;
  isTimedOut = false;
  setDeadline(plan.deadline);
  readOperands(plan);
  nodes = plan.address(plan.nodes);
  const nodeBytes = plan.operands - plan.nodes;
  areas = alloc(nodeBytes);
  for (let at: usize = 0; at < nodeBytes; at += offsetof<FilterNode>()) {
    const node = changetype<FilterNode>(nodes + at);
    if (isOnShapes(node)) store<u32>(areas + at, <u32>changetype<usize>(shapeArea(node)));
  }
}

/** Adds those documents of a segment that are in the bitmap `among` to an empty bitmap. */
function filterSegment(plan: FilterPlan, view: SegmentView, id: u32, among: usize, out: usize): void {
  segment = view;
  segmentId = id;
  bytes = bitmapBytes(view.docCount);
  within = among;
  withinCount = bitmapCount(among, bytes);
  if (withinCount === 0) return;
  const root = changetype<FilterNode>(plan.address(plan.nodes));
  evaluate(changetype<usize>(root), out);
  if (root.kind !== FILTER_AND && root.kind !== FILTER_NOT) bitmapAnd(out, among, bytes);
}

/** The same of a segment in another memory. Payload: the plan. */
function requestFilter(plan: FilterPlan, number: u32, other: PlanSegment, among: usize, out: usize): void {
  const request = requestFor(other, REQUEST_FILTER, plan.bytes);
  memory.copy(payloadOf(request), changetype<usize>(plan), plan.bytes);
  const answer = sendRequest(number, request);
  if (load<u32>(answer) !== 0) isTimedOut = true;
  const size = bitmapBytes(other.docCount);
  memory.copy(out, answer + 4, size);
  bitmapAnd(out, among, size);
}

/** Answers REQUEST_FILTER: u32 whether the time was over, then the bitmap, appended to a Buffer. */
export function answerFilter(request: RemoteRequest, out: usize): void {
  const view = changetype<SegmentView>(request.view);
  const plan = changetype<FilterPlan>(payloadOf(request));
  const size = bitmapBytes(view.docCount);
  const selected = allocZeroed(size);
  const live = allocZeroed(size);
  addLive(live, view.docCount, request.tombstones);
  cacheBegin();
  filterBegin(plan);
  filterSegment(plan, view, request.segment, live, selected);
  bufferPush32(out, isTimedOut ? 1 : 0);
  bufferPushBytes(out, selected, size);
}

/**
 * Adds the documents that a node selects to an empty bitmap; conjunctions and negations select only some of those that can still be selected.
 * Returns the address of the node after it and its children.
 */
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
      bitmapNot(target, within, bytes);
      return after;
    }
    default:
      select(node, target);
      return children;
  }
}

function evaluateAnd(first: usize, count: u32, target: usize): usize {
  let at = evaluate(first, target);
  const outer = within;
  const outerCount = withinCount;
  withinCount = bitmapKeep(target, outer, bytes);
  within = target;
  for (let i: u32 = 1; i < count; i++) {
    if (withinCount === 0) {
      at = after(at);
      continue;
    }
    const mark = arenaMark();
    const part = allocZeroed(bytes);
    at = evaluate(at, part);
    withinCount = bitmapKeep(target, part, bytes);
    arenaReset(mark);
  }
  within = outer;
  withinCount = outerCount;
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
  isTimedOut = true;
  if (isNegated) bitmapFill(target, segment.docCount);
}

/** Adds the documents that a condition selects. */
function select(node: FilterNode, target: usize): void {
  if (!isTimedOut && ++conditions % CHECK_EVERY_CONDITIONS === 0) isTimedOut = isTimeOver();
  if (!isTimedOut && selectNow(node, target)) return;
  giveUp(target);
}

/** False: the deadline passed. */
function selectNow(node: FilterNode, target: usize): bool {
  const mark = arenaMark();
  const docCount = segment.docCount;
  const points = segment.geo;
  switch (node.kind) {
    case FILTER_NOTHING:
      return true;
    case FILTER_EMBEDDED:
    case FILTER_USER_PROVIDED:
    case FILTER_REGENERATED:
    case FILTER_ORDINAL: {
      selectByVectors(node, target);
      break;
    }
    case FILTER_RADIUS:
    case FILTER_BOX: {
      if (points) geoSelect(points, docCount, pointArea(node), openColumn(segment, node.field, within, withinCount), target);
      break;
    }
    case FILTER_SHAPE_IN_RADIUS:
    case FILTER_SHAPE_IN_BOX:
    case FILTER_SHAPE_IN_POLYGON: {
      const area = changetype<Area>(<usize>load<u32>(areas + (changetype<usize>(node) - nodes)));
      selectShapes(segment, segmentId, node.field, area, target);
      break;
    }
    default: {
      const column = openColumn(segment, node.field, within, withinCount);
      if (changetype<usize>(column) === 0) break;
      selectByField(node.kind, column, operandAt(node.first), node.count, target);
    }
  }
  arenaReset(mark);
  return !mayTakeLong(node) || !isTimeOver();
}

function selectByVectors(node: FilterNode, target: usize): void {
  const at = vectorsOf(changetype<usize>(segment), node.field);
  if (at === 0) return;
  const header = changetype<VectorsHeader>(at);
  if (node.kind === FILTER_EMBEDDED) bitmapOr(target, at + header.embeddedOffset, bytes);
  else if (node.kind === FILTER_USER_PROVIDED) bitmapOr(target, at + header.userProvidedOffset, bytes);
  else if (node.kind === FILTER_REGENERATED) bitmapOr(target, at + header.regenerateOffset, bytes);
  else ordinalInto(at, node.first, target);
}

/** Whether a condition checks the deadline itself. */
function mayTakeLong(node: FilterNode): bool {
  switch (node.kind) {
    case FILTER_RADIUS:
    case FILTER_BOX:
    case FILTER_SHAPE_IN_RADIUS:
    case FILTER_SHAPE_IN_BOX:
    case FILTER_SHAPE_IN_POLYGON:
    case FILTER_CONTAINS:
      return true;
    default:
      return node.kind === FILTER_EQUALS && node.count >= CHECK_EVERY;
  }
}
