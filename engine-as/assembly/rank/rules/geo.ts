/** Sorting by distance from a point. Documents at about the same distance are tied; those without a location come last. */
import { KeyOrder, keyOrderBegin, keyOrderNext } from '../../columns/order';
import { distance, HALF_ROUND, latitudeDistance } from '../../geo/distance';
import { copyPoint, POINT_BYTES } from '../../geo/points';
import { Step, VALUE_NONE, VALUE_POINT } from '../../plan/plan';
import { Search, segmentOf } from '../../plan/search';
import { payloadOf, REQUEST_POINTS, requestFor, sendRequest } from '../../remote/request';
import { alloc } from '../../runtime/arena';
import { SegmentView } from '../../segment/view';
import { Bucket, ruleAt } from '../bucket';
import { EVALUATION_GEO, Evaluation } from '../evaluation';
import { inOrder } from '../order';
import { groupAdd, groupBegin, STEP_GROWTH, ValueEvaluation, valueBegin } from './value-evaluation';

/** Documents are tied when their distance is within this many metres of the first one of the group… */
const GEO_MARGIN: f64 = 1;
/** …up to this number of documents per group. */
const GEO_GROUP_SIZE: u32 = 1000;
/** Lower bounds of distances are u32 keys in units of 8 mm, which cover half the circumference of the earth. */
const KEYS_PER_METRE: f64 = 125;
const KEY_NONE: u32 = 0xffffffff;

/**
 * Number of documents in the first step. Most documents at about the latitude of the point are far away, so a step needs many.
 */
const FIRST_BOUNDS: u32 = 1024;
/** Tolerance of bounds in metres, for rounding errors of distances and of trigonometric functions. */
const SLACK: f64 = 1;

/**
 * Documents are first ordered by a lower bound of their distance that needs no trigonometric functions: the difference of
 * latitudes. In descending order it is the difference from the latitude of the antipode. Distances are computed step by step in
 * this order.
 */
@unmanaged
class GeoEvaluation extends ValueEvaluation {
  ascending: bool;
  lat: f64;
  lng: f64;
  /** by index of a document in the bucket, in internal order: u32 slots, f64 pairs of latitude and longitude, u32 bounds */
  slots: usize;
  points: usize;
  bounds: usize;
  /** whether {@link points} are those of the only segment, by slot */
  bySlot: bool;
  order: KeyOrder;
  /** number of documents for the next step of the order */
  want: u32;
  /** whether all steps were read */
  isRead: bool;
  /** Measured[]: a heap of the documents with a location that were read but not returned yet */
  measured: usize;
  measuredCount: u32;
  /** u32[absentCount]: indices of documents without a location, and how many of them were returned */
  absent: usize;
  absentCount: u32;
  absentTaken: u32;
}

/** A document with its distance. */
@unmanaged
class Measured {
  metres: f64;
  place: u32;
  reserved: u32;
}

export function geoBegin(search: Search, rule: u32, bucket: Bucket): Evaluation {
  const evaluation = changetype<GeoEvaluation>(alloc(offsetof<GeoEvaluation>()));
  valueBegin(search, evaluation, rule, bucket);
  evaluation.kind = EVALUATION_GEO;
  // Internal order decides which documents are in a group of limited size, so that the division into segments makes no difference.
  evaluation.slots = inOrder(search, bucket.bitmap, bucket.count).slots;
  const item = ruleAt(search, rule);
  const count: usize = bucket.count;
  evaluation.ascending = item.ascending !== 0;
  evaluation.lat = item.lat;
  evaluation.lng = item.lng;
  evaluation.bounds = alloc((count << 2) + 16);
  readPoints(search, evaluation);
  const lat = evaluation.ascending ? item.lat : -item.lat;
  for (let place: usize = 0; place < count; place++) {
    const other = load<f64>(pointAt(evaluation, <u32>place));
    store<u32>(evaluation.bounds + (place << 2), isNaN(other) ? KEY_NONE : boundOf(other, lat));
  }
  evaluation.order = changetype<KeyOrder>(keyOrderBegin(evaluation.bounds, bucket.count));
  evaluation.want = FIRST_BOUNDS;
  evaluation.isRead = false;
  evaluation.measured = alloc(count * offsetof<Measured>() + 16);
  evaluation.measuredCount = 0;
  evaluation.absent = alloc((count << 2) + 16);
  evaluation.absentCount = 0;
  evaluation.absentTaken = 0;
  return evaluation;
}

/** A lower bound of the distance of two points, from their latitudes. 0 for latitudes beyond the poles. */
function boundOf(lat: f64, other: f64): u32 {
  return Math.abs(lat) > 90 ? 0 : <u32>(latitudeDistance(Math.abs(lat - other)) * KEYS_PER_METRE);
}

function pointAt(evaluation: GeoEvaluation, place: u32): usize {
  return evaluation.points + <usize>(evaluation.bySlot ? slotAt(evaluation, place) : place) * POINT_BYTES;
}

function readPoints(search: Search, evaluation: GeoEvaluation): void {
  const count = evaluation.bucket.count;
  const only = segmentOf(search, 0);
  evaluation.bySlot = search.plan.segments.count === 1 && only.isHere && changetype<SegmentView>(only.view).geo !== 0;
  evaluation.points = evaluation.bySlot ? changetype<SegmentView>(only.view).geo : alloc(<usize>count * POINT_BYTES + 16);
  if (evaluation.bySlot) return;
  for (let number: u32 = 0; number < search.plan.segments.count; number++) {
    const segment = segmentOf(search, number);
    if (!segment.isHere) {
      requestPoints(search, evaluation, number);
      continue;
    }
    for (let place: u32 = 0; place < count; place++) {
      const local = slotAt(evaluation, place) - segment.base;
      if (local < segment.docCount) copyPoint(segment.view, local, evaluation.points + <usize>place * POINT_BYTES);
    }
  }
}

/** Requests the locations of the documents of a segment in another memory. */
function requestPoints(search: Search, evaluation: GeoEvaluation, number: u32): void {
  const segment = segmentOf(search, number);
  const count = evaluation.bucket.count;
  const request = requestFor(segment, REQUEST_POINTS, count << 2);
  let asked: u32 = 0;
  for (let place: u32 = 0; place < count; place++) {
    const local = slotAt(evaluation, place) - segment.base;
    if (local >= segment.docCount) continue;
    store<u32>(payloadOf(request) + ((<usize>asked) << 2), local);
    asked++;
  }
  request.payload = asked << 2;
  let answer = sendRequest(number, request);
  for (let place: u32 = 0; place < count; place++) {
    if (slotAt(evaluation, place) - segment.base >= segment.docCount) continue;
    memory.copy(evaluation.points + <usize>place * POINT_BYTES, answer, POINT_BYTES);
    answer += POINT_BYTES;
  }
}

function slotAt(evaluation: GeoEvaluation, place: u32): u32 {
  return load<u32>(evaluation.slots + ((<usize>place) << 2));
}

function measuredAt(evaluation: GeoEvaluation, index: u32): Measured {
  return changetype<Measured>(evaluation.measured + <usize>index * offsetof<Measured>());
}

/** Whether a document comes before another one. At equal distance internal order decides. */
function isBefore(evaluation: GeoEvaluation, left: Measured, right: Measured): bool {
  if (left.metres === right.metres) return left.place < right.place;
  return left.metres < right.metres === evaluation.ascending;
}

/** Computes the distances of the documents of the next step. */
function readStep(evaluation: GeoEvaluation): void {
  const members = keyOrderNext(changetype<usize>(evaluation.order), min<u32>(evaluation.want, evaluation.bucket.count));
  evaluation.want *= STEP_GROWTH;
  evaluation.isRead = members === 0;
  for (let i: u32 = 0; i < members; i++) {
    const place = load<u32>(evaluation.order.indices + ((<usize>i) << 2));
    const point = pointAt(evaluation, place);
    const lat = load<f64>(point);
    if (isNaN(lat)) {
      store<u32>(evaluation.absent + ((<usize>evaluation.absentCount) << 2), place);
      evaluation.absentCount++;
    } else {
      addMeasured(evaluation, distance(evaluation.lat, evaluation.lng, lat, load<f64>(point, 8)), place);
    }
  }
}

function addMeasured(evaluation: GeoEvaluation, metres: f64, place: u32): void {
  let at = evaluation.measuredCount++;
  const added = measuredAt(evaluation, at);
  added.metres = metres;
  added.place = place;
  while (at > 0) {
    const parent = (at - 1) >>> 1;
    if (!isBefore(evaluation, measuredAt(evaluation, at), measuredAt(evaluation, parent))) return;
    swapMeasured(evaluation, at, parent);
    at = parent;
  }
}

function removeFirst(evaluation: GeoEvaluation): void {
  const count = --evaluation.measuredCount;
  swapMeasured(evaluation, 0, count);
  let at: u32 = 0;
  for (;;) {
    let child = (at << 1) + 1;
    if (child >= count) return;
    const next = child + 1;
    if (next < count && isBefore(evaluation, measuredAt(evaluation, next), measuredAt(evaluation, child))) child = next;
    if (!isBefore(evaluation, measuredAt(evaluation, child), measuredAt(evaluation, at))) return;
    swapMeasured(evaluation, at, child);
    at = child;
  }
}

function swapMeasured(evaluation: GeoEvaluation, left: u32, right: u32): void {
  const one = measuredAt(evaluation, left);
  const other = measuredAt(evaluation, right);
  const metres = one.metres;
  const place = one.place;
  one.metres = other.metres;
  one.place = other.place;
  other.metres = metres;
  other.place = place;
}

/** Whether no document without a computed distance can come before the given distance. */
function isSettled(evaluation: GeoEvaluation, metres: f64): bool {
  if (evaluation.isRead) return true;
  const order = evaluation.order;
  const bound = (<f64>order.smallest + <f64>((<u64>order.bin) << order.shift)) / KEYS_PER_METRE;
  return evaluation.ascending ? metres <= bound - SLACK : metres >= HALF_ROUND - bound + SLACK;
}

/**
 * Reads until the next document is known: the first of those with a distance, then those without a location. Returns false after
 * the last one.
 */
function hasNext(evaluation: GeoEvaluation): bool {
  while (!evaluation.isRead && (evaluation.measuredCount === 0 || !isSettled(evaluation, measuredAt(evaluation, 0).metres))) {
    readStep(evaluation);
  }
  return evaluation.measuredCount > 0 || evaluation.absentTaken < evaluation.absentCount;
}

export function geoNext(search: Search, pointer: Evaluation): Bucket {
  const evaluation = changetype<GeoEvaluation>(pointer);
  if (!hasNext(evaluation)) return changetype<Bucket>(0);
  groupBegin(search, evaluation);
  if (evaluation.measuredCount > 0) takeMeasured(evaluation);
  else takeAbsent(evaluation);
  const group = evaluation.group;
  // With several segments, slots of very many documents in internal order are far from sorted.
  if (search.plan.segments.count === 1 || group.count <= GEO_GROUP_SIZE) sortSlots(group.slots, group.count);
  else group.slots = 0;
  return group;
}

function takeMeasured(evaluation: GeoEvaluation): void {
  const metres = measuredAt(evaluation, 0).metres;
  setPoint(evaluation.group.step, pointAt(evaluation, measuredAt(evaluation, 0).place), metres);
  while (hasNext(evaluation) && evaluation.measuredCount > 0) {
    const next = measuredAt(evaluation, 0);
    if (Math.abs(next.metres - metres) > GEO_MARGIN || evaluation.group.count === GEO_GROUP_SIZE) return;
    groupAdd(evaluation, slotAt(evaluation, next.place));
    removeFirst(evaluation);
  }
}

/** Documents without a location form one group. */
function takeAbsent(evaluation: GeoEvaluation): void {
  const first = load<u32>(evaluation.absent + ((<usize>evaluation.absentTaken) << 2));
  setPoint(evaluation.group.step, pointAt(evaluation, first), NaN);
  for (; evaluation.absentTaken < evaluation.absentCount; evaluation.absentTaken++) {
    const place = load<u32>(evaluation.absent + ((<usize>evaluation.absentTaken) << 2));
    groupAdd(evaluation, slotAt(evaluation, place));
  }
}

function setPoint(step: Step, point: usize, metres: f64): void {
  step.valueKind = isNaN(metres) ? VALUE_NONE : VALUE_POINT;
  step.number = metres;
  step.lat = load<f64>(point);
  step.lng = load<f64>(point, 8);
}

/** Shell sort: groups are small or nearly sorted. */
function sortSlots(slots: usize, count: u32): void {
  for (let gap = count >>> 1; gap > 0; gap >>>= 1) {
    for (let i = gap; i < count; i++) {
      const slot = load<u32>(slots + ((<usize>i) << 2));
      let at = i;
      for (; at >= gap && load<u32>(slots + ((<usize>(at - gap)) << 2)) > slot; at -= gap) {
        store<u32>(slots + ((<usize>at) << 2), load<u32>(slots + ((<usize>(at - gap)) << 2)));
      }
      store<u32>(slots + ((<usize>at) << 2), slot);
    }
  }
}
