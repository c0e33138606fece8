import { SegmentView } from '../segment/view';

export { geoDistances } from './distance';

/** Address of the points (f64 pairs: lat, lng) of a segment, 0 when it has none. */
export function geoPoints(view: usize): usize {
  return changetype<SegmentView>(view).geo;
}
