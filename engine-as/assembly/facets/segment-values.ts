/** The values of a facet in one segment. */
import { allocZeroed } from '../runtime/arena';
import { setDeadline } from '../runtime/deadline';
import { SegmentView } from '../segment/view';
import { columnOf } from '../segment/view-parts';
import { countNumbers } from './numbers';
import { countTexts } from './texts';
import { FacetDemand, FacetValues } from './values';

/** The values of a field among the candidates of one segment, ascending: numbers, then texts. */
export function facetValuesOf(view: SegmentView, demand: FacetDemand): FacetValues {
  const values = changetype<FacetValues>(allocZeroed(offsetof<FacetValues>()));
  values.least = NaN;
  values.greatest = NaN;
  const column = columnOf(changetype<usize>(view), demand.field);
  if (column === 0) return values;
  setDeadline(demand.deadline);
  if (demand.search === null) countNumbers(values, view, column, demand);
  if (!values.isTimedOut) countTexts(values, view, column, demand);
  return values;
}
