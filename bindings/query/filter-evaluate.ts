/** Evaluates filters. They have passed checkFilter, so no errors are expected here. */
import { FilterPlan } from '../engine/exports.js';
import type { IndexReader } from '../engine/segments.js';
import type { Area } from '../geojson/area.js';
import { boxArea, polygonArea, radiusArea } from '../geojson/area.js';
import { selectShapes } from '../geojson/select.js';
import { NO_LIMIT, type TimeLimit } from '../time-limit.js';
import type { FilterNode, GeoCondition } from './filter-ast.js';
import { FilterProgram } from './filter-plan.js';

/** Corners of the polygon that replaces a `_geoRadius` circle in comparisons with shapes. */
const DEFAULT_RESOLUTION = 125;

/**
 * Evaluates a filter over all live documents. When the time is up some matching documents are missing, but no other document is ever
 * included.
 * @returns address of a bitmap over the slots of the reader, in scratch memory of its instance
 */
export function evaluateFilter(reader: IndexReader, filter: FilterNode, limit: TimeLimit = NO_LIMIT): number {
  const { instance } = reader;
  const program = new FilterProgram(reader.view, (path) => reader.fieldId(path), filter);
  const cut = new Set<number>();
  const given = program.given.map((condition, index) => {
    const bitmap = reader.newBitmap();
    if (!selectShapes(reader, areaOf(condition), bitmap, limit.deadline)) cut.add(index);
    return bitmap;
  });
  const plan = FilterPlan.at(instance.put(program.encode(limit.deadline, cut)));
  const selected = instance.exports.selectDocuments(reader.inPlan(), reader.bitmapBytes, plan, instance.putWords(given));
  if (instance.read(FilterPlan, plan).isCut) limit.onCut();
  return selected;
}

function areaOf(condition: GeoCondition): Area {
  switch (condition.kind) {
    case 'radius': {
      const { center, metres, resolution } = condition;
      return radiusArea(center.lat.value, center.lng.value, metres, resolution?.value ?? DEFAULT_RESOLUTION);
    }
    case 'box': {
      const { topRight, bottomLeft } = condition;
      return boxArea(topRight.lat.value, topRight.lng.value, bottomLeft.lat.value, bottomLeft.lng.value);
    }
    case 'polygon':
      return polygonArea(condition.points.map(({ lat, lng }) => [lng.value, lat.value]));
  }
}
