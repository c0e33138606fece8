/** Sorting by distance from a point: documents that are about as far tie, those without a point come last. */
import { KeyOrder, keyOrderBegin, keyOrderNext } from '../../columns/order';
import { distance } from '../../geo/distance';
import { Step, VALUE_NONE, VALUE_POINT } from '../../plan/plan';
import { Search, segmentOf } from '../../plan/search';
import { ASK_POINTS, ask, payloadOf, requestFor } from '../../remote/request';
import { alloc } from '../../runtime/arena';
import { SegmentView } from '../../segment/view';
import { Bucket, ruleAt } from '../bucket';
import { EVALUATION_GEO, Evaluation } from '../evaluation';
import { inOrder } from '../order';
import { FIRST_STEP, groupAdd, groupBegin, STEP_GROWTH, ValueEvaluation, valueBegin } from './field';

/** Distances that differ by at most this many metres from the first of a group tie with it… */
const GEO_MARGIN: f64 = 1;
/** …but a group has no more documents than this. */
const GEO_GROUP_SIZE: u32 = 1000;
/** u32 keys in steps of 8 mm hold half the circumference of the earth; ties within a key are sorted apart. */
const KEYS_A_METRE: f64 = 125;
const LARGEST_KEY: u32 = 0xfffffff0;
const KEY_NONE: u32 = 0xffffffff;

const POINT_BYTES: usize = 16;

@unmanaged
class GeoEvaluation extends ValueEvaluation {
  ascending: bool;
  /** by place among the documents of the bucket: f64 pairs of latitude and longitude, f64 metres, u32 keys */
  points: usize;
  distances: usize;
  keys: usize;
  order: KeyOrder;
  /** documents of the current step of the order, and how many of them were taken */
  members: u32;
  taken: u32;
  /** documents asked for by the next step */
  want: u32;
}

export function geoBegin(search: Search, rule: u32, bucket: Bucket): Evaluation {
  const evaluation = changetype<GeoEvaluation>(alloc(offsetof<GeoEvaluation>()));
  valueBegin(search, evaluation, rule, bucket);
  // a group is cut where it is too large: by internal order, whatever the segments are
  if (search.plan.segments.count > 1) evaluation.slots = inOrder(search, bucket.bitmap, bucket.count).slots;
  evaluation.kind = EVALUATION_GEO;
  const item = ruleAt(search, rule);
  const count: usize = bucket.count;
  evaluation.ascending = item.ascending !== 0;
  evaluation.points = alloc(count * POINT_BYTES + 16);
  evaluation.distances = alloc((count << 3) + 16);
  evaluation.keys = alloc((count << 2) + 16);
  readPoints(search, evaluation);
  for (let place: usize = 0; place < count; place++) {
    const point = evaluation.points + place * POINT_BYTES;
    const lat = load<f64>(point);
    const metres = isNaN(lat) ? lat : distance(item.lat, item.lng, lat, load<f64>(point, 8));
    store<f64>(evaluation.distances + (place << 3), metres);
    const key = isNaN(metres) ? 0 : <u32>Math.floor(metres * KEYS_A_METRE);
    store<u32>(evaluation.keys + (place << 2), isNaN(metres) ? KEY_NONE : evaluation.ascending ? key : LARGEST_KEY - key);
  }
  evaluation.order = changetype<KeyOrder>(keyOrderBegin(evaluation.keys, bucket.count));
  evaluation.members = 0;
  evaluation.taken = 0;
  evaluation.want = FIRST_STEP;
  return evaluation;
}

function readPoints(search: Search, evaluation: GeoEvaluation): void {
  const count = evaluation.bucket.count;
  for (let number: u32 = 0; number < search.plan.segments.count; number++) {
    const segment = segmentOf(search, number);
    if (!segment.isHere) {
      askPoints(search, evaluation, number);
      continue;
    }
    for (let place: u32 = 0; place < count; place++) {
      const local = slotAt(evaluation, place) - segment.base;
      if (local < segment.docCount) copyPoint(segment.view, local, evaluation.points + <usize>place * POINT_BYTES);
    }
  }
}

/** Reads the points of the documents of a segment in another memory. */
function askPoints(search: Search, evaluation: GeoEvaluation, number: u32): void {
  const segment = segmentOf(search, number);
  const count = evaluation.bucket.count;
  const request = requestFor(segment, ASK_POINTS, count << 2);
  let asked: u32 = 0;
  for (let place: u32 = 0; place < count; place++) {
    const local = slotAt(evaluation, place) - segment.base;
    if (local >= segment.docCount) continue;
    store<u32>(payloadOf(request) + ((<usize>asked) << 2), local);
    asked++;
  }
  request.payload = asked << 2;
  let answer = ask(number, request);
  for (let place: u32 = 0; place < count; place++) {
    if (slotAt(evaluation, place) - segment.base >= segment.docCount) continue;
    memory.copy(evaluation.points + <usize>place * POINT_BYTES, answer, POINT_BYTES);
    answer += POINT_BYTES;
  }
}

function slotAt(evaluation: GeoEvaluation, place: u32): u32 {
  return load<u32>(evaluation.slots + ((<usize>place) << 2));
}

/** Writes the point of a document, NaN when it has none. */
export function copyPoint(view: usize, local: u32, out: usize): void {
  const points = changetype<SegmentView>(view).geo;
  if (points === 0) {
    store<f64>(out, NaN);
    store<f64>(out, NaN, 8);
  } else {
    memory.copy(out, points + <usize>local * POINT_BYTES, POINT_BYTES);
  }
}

function placeAt(evaluation: GeoEvaluation, index: u32): u32 {
  return load<u32>(evaluation.order.indices + ((<usize>index) << 2));
}

function distanceAt(evaluation: GeoEvaluation, place: u32): f64 {
  return load<f64>(evaluation.distances + ((<usize>place) << 3));
}

/** Is there a document left? Reads the next step where one has ended. */
function hasNext(evaluation: GeoEvaluation): bool {
  if (evaluation.taken < evaluation.members) return true;
  const count = evaluation.bucket.count;
  evaluation.members = keyOrderNext(changetype<usize>(evaluation.order), min<u32>(evaluation.want, count));
  evaluation.want *= STEP_GROWTH;
  evaluation.taken = 0;
  sortEqualKeys(evaluation);
  return evaluation.members > 0;
}

/** Insertion sort by the distance itself: documents within a few millimetres are few, and those at one place are in order. */
function sortEqualKeys(evaluation: GeoEvaluation): void {
  const indices = evaluation.order.indices;
  const ascending = evaluation.ascending;
  for (let i: u32 = 1; i < evaluation.members; i++) {
    const place = placeAt(evaluation, i);
    const key = load<u32>(evaluation.keys + ((<usize>place) << 2));
    if (key === KEY_NONE) return;
    const metres = distanceAt(evaluation, place);
    let at = i;
    while (at > 0) {
      const before = placeAt(evaluation, at - 1);
      if (load<u32>(evaluation.keys + ((<usize>before) << 2)) !== key) break;
      const other = distanceAt(evaluation, before);
      if (ascending ? other <= metres : other >= metres) break;
      store<u32>(indices + ((<usize>at) << 2), before);
      at--;
    }
    store<u32>(indices + ((<usize>at) << 2), place);
  }
}

export function geoNext(search: Search, pointer: Evaluation): Bucket {
  const evaluation = changetype<GeoEvaluation>(pointer);
  if (!hasNext(evaluation)) return changetype<Bucket>(0);
  groupBegin(evaluation);
  const first = placeAt(evaluation, evaluation.taken);
  const metres = distanceAt(evaluation, first);
  setPoint(evaluation.group.step, evaluation.points + <usize>first * POINT_BYTES, metres);
  const isAbsent = isNaN(metres);
  while (hasNext(evaluation)) {
    const place = placeAt(evaluation, evaluation.taken);
    const other = distanceAt(evaluation, place);
    if (!isAbsent && (isNaN(other) || Math.abs(other - metres) > GEO_MARGIN || evaluation.group.count === GEO_GROUP_SIZE)) break;
    groupAdd(evaluation, place);
    evaluation.taken++;
  }
  if (search.plan.segments.count === 1) sortSlots(evaluation.group.slots, evaluation.group.count);
  return evaluation.group;
}

function setPoint(step: Step, point: usize, metres: f64): void {
  step.valueKind = isNaN(metres) ? VALUE_NONE : VALUE_POINT;
  step.number = metres;
  step.lat = load<f64>(point);
  step.lng = load<f64>(point, 8);
}

/** Shell sort: a group is small, or in order. */
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
