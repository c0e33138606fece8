/** The points of documents: f64 latitude and longitude, NaN without a point. */
import { Segments } from '../plan/segments';
import { payloadOf, REQUEST_POINTS, requestFor, sendRequest } from '../remote/request';
import { SegmentView } from '../segment/view';

export const POINT_BYTES: usize = 16;

/** Writes the point of a document of a segment to `out`. */
export function copyPoint(view: usize, local: u32, out: usize): void {
  const points = changetype<SegmentView>(view).geo;
  if (points === 0) {
    store<f64>(out, NaN);
    store<f64>(out, NaN, 8);
  } else {
    memory.copy(out, points + <usize>local * POINT_BYTES, POINT_BYTES);
  }
}

/** Writes the point of the document in a slot to `out`. */
export function pointIn(segments: Segments, slot: u32, out: usize): void {
  const number = segments.numberOf(slot);
  const segment = segments.at(number);
  const local = slot - segment.base;
  if (segment.isHere) {
    copyPoint(segment.view, local, out);
    return;
  }
  const request = requestFor(segment, REQUEST_POINTS, 4);
  store<u32>(payloadOf(request), local);
  memory.copy(out, sendRequest(number, request), POINT_BYTES);
}
