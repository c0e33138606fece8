/**
 * The values of a field in all segments of an index.
 *
 *   a segment: counts by ordinal → FacetValues, ascending → (from another memory: packed and copied) → merged, ordered, truncated
 */
import { NO_FIELD } from '../plan/plan';
import { PlanSegment } from '../plan/segments';
import { bitmapOf, payloadOf, REQUEST_FACET, RemoteRequest, requestFor, sendRequest } from '../remote/request';
import { alloc, allocZeroed } from '../runtime/arena';
import { bitmapBytes } from '../segment/layout';
import { SegmentView } from '../segment/view';
import { bitmapCount } from '../sets/bitmap';
import { mergeValues } from './merge';
import { packValues, unpackValues } from './pack';
import { FACET_BY_TEXT, FACET_BY_VALUE, FacetField, FacetSearch, FacetsPlan } from './plan';
import { facetValuesOf } from './segment-values';
import { FacetDemand, FacetValues } from './values';

/** Numbers are ordered by their text up to this number of candidates, by their value above it. */
const TEXT_ORDER_CANDIDATES: u32 = 3000;

/** Returns the merged values of a field: only texts that match the search of the plan, if it has one. */
export function countField(plan: FacetsPlan, field: FacetField): FacetValues {
  const order = orderOf(plan, field);
  const numberLimit: u32 = order === FACET_BY_TEXT ? u32.MAX_VALUE : field.limit;
  const isOrdered = order === FACET_BY_TEXT || order === FACET_BY_VALUE;
  const segments = plan.segments;
  const lists = alloc((<usize>segments.count) << 2);
  let count: u32 = 0;
  if (field.field !== NO_FIELD) {
    for (; count < segments.count; count++) {
      const segment = segments.at(count);
      const demand = changetype<FacetDemand>(allocZeroed(offsetof<FacetDemand>()));
      const place: usize = segment.base >>> 3;
      demand.deadline = plan.deadline;
      demand.field = field.field;
      demand.candidates = field.candidates + place;
      demand.spelling = field.spelling + place;
      demand.search = plan.search;
      // In an order other than by value, values after the first ones of a segment may be among the first of the index.
      demand.numberLimit = isOrdered ? numberLimit : u32.MAX_VALUE;
      // The same holds for texts that no candidate of this segment has.
      demand.textLimit = isOrdered && field.spelling === field.candidates ? field.limit : u32.MAX_VALUE;
      const values = segment.isHere
        ? facetValuesOf(changetype<SegmentView>(segment.view), demand)
        : requestValues(count, segment, demand);
      store<u32>(lists + ((<usize>count) << 2), <u32>changetype<usize>(values));
    }
  }
  return mergeValues(lists, count, order, field.limit, field.limit);
}

function orderOf(plan: FacetsPlan, field: FacetField): u32 {
  if (field.order !== FACET_BY_TEXT) return field.order;
  return bitmapCount(field.candidates, plan.bitmapBytes) <= TEXT_ORDER_CANDIDATES ? FACET_BY_TEXT : FACET_BY_VALUE;
}

/**
 * Requests values from another memory. Payload of {@link REQUEST_FACET}: the demand, the candidates, the documents that determine
 * spelling if they are others, the search.
 */
function requestValues(number: u32, segment: PlanSegment, demand: FacetDemand): FacetValues {
  const bytes = bitmapBytes(segment.docCount);
  const search = demand.search;
  const isOne = demand.spelling === demand.candidates;
  const sets: usize = isOne ? bytes : bytes * 2;
  const payload = offsetof<FacetDemand>() + sets + (search === null ? 0 : search.bytes);
  const request = requestFor(segment, REQUEST_FACET, <u32>payload);
  request.flag = isOne ? 1 : 0;
  let at = payloadOf(request);
  memory.copy(at, changetype<usize>(demand), offsetof<FacetDemand>());
  at += offsetof<FacetDemand>();
  memory.copy(at, demand.candidates, bytes);
  if (!isOne) memory.copy(at + bytes, demand.spelling, bytes);
  if (search !== null) memory.copy(at + sets, changetype<usize>(search), search.bytes);
  return unpackValues(sendRequest(number, request));
}

/** Answers {@link REQUEST_FACET}: appends the packed values of the segment to a Buffer. */
export function answerFacet(request: RemoteRequest, out: usize): void {
  const view = changetype<SegmentView>(request.view);
  const isOne = request.flag !== 0;
  const bytes = bitmapBytes(view.docCount);
  const demand = changetype<FacetDemand>(payloadOf(request));
  const sets = payloadOf(request) + offsetof<FacetDemand>();
  demand.candidates = bitmapOf(sets, bytes);
  demand.spelling = isOne ? demand.candidates : bitmapOf(sets + bytes, bytes);
  if (demand.search !== null) demand.search = changetype<FacetSearch>(sets + (isOne ? bytes : bytes * 2));
  packValues(facetValuesOf(view, demand), out);
}
