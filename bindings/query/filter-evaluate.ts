/** Evaluates filters. They have passed checkFilter, so no errors are expected here. */
import { FilterPlan, FilterSegment } from '../engine/exports.js';
import { bytesOfDocs, type IndexReader, type OpenSegment } from '../engine/segments.js';
import type { Area } from '../geojson/area.js';
import { boxArea, polygonArea, radiusArea } from '../geojson/area.js';
import { selectShapes } from '../geojson/select.js';
import { NO_LIMIT, type TimeLimit } from '../time-limit.js';
import type { FilterNode, GeoCondition } from './filter-ast.js';
import { FilterProgram } from './filter-plan.js';
import { selectVectors } from './vector-filter.js';

/** Corners of the polygon that replaces a `_geoRadius` circle in comparisons with shapes. */
const DEFAULT_RESOLUTION = 125;

/**
 * Evaluates a filter over all live documents, with one call of the engine per memory. When the time is up some matching documents
 * are missing, but no other document is ever included.
 * @returns address of a bitmap over the slots of the reader, in scratch memory of its instance
 */
export function evaluateFilter(reader: IndexReader, filter: FilterNode, limit: TimeLimit = NO_LIMIT): number {
  const selected = reader.newBitmap();
  const program = new FilterProgram(reader.view, (path) => reader.fieldId(path), filter);
  reader.instance.scoped(() => {
    const cut = new Set<number>();
    const given = program.given.map((condition, index) => {
      const bitmap = reader.newBitmap();
      if (condition.kind === 'vectors') selectVectors(reader, condition.path, bitmap);
      else if (!selectShapes(reader, areaOf(condition), bitmap, limit.deadline)) cut.add(index);
      return bitmap;
    });
    for (const segments of reader.byMemory()) {
      const { instance } = segments[0] as OpenSegment;
      const plan = () => program.put(instance, limit.deadline, cut);
      if (evaluateIn(reader, segments, plan, given, selected)) limit.onCut();
    }
  });
  return selected;
}

/**
 * Evaluates the segments of one memory; bitmaps are copied to it and back if it is not the reader's. Returns whether the time was
 * up.
 */
function evaluateIn(
  reader: IndexReader,
  segments: readonly OpenSegment[],
  putPlan: () => FilterPlan,
  given: readonly number[],
  selected: number,
): boolean {
  const { instance } = segments[0] as OpenSegment;
  return instance.scoped(() => {
    const isOwn = instance === reader.instance;
    const plan = putPlan();
    const rows = segments.map((segment) => {
      const { docCount, tombstones } = segment.ref;
      const bytes = bytesOfDocs(docCount);
      const part = (bitmap: number) => bitmap + segment.base / 8;
      const copied = (bitmap: number) => instance.put(reader.instance.bytes.subarray(part(bitmap), part(bitmap) + bytes));
      return {
        view: segment.view,
        deleted: tombstones,
        given: instance.putWords(given.map(isOwn ? part : copied)),
        out: isOwn ? part(selected) : instance.allocZeroed(bytes),
      };
    });
    instance.exports.filterInto(plan, instance.putStructures(FilterSegment, rows), rows.length);
    const { isCut } = instance.read(FilterPlan, plan);
    if (isOwn) return isCut;
    for (const [index, segment] of segments.entries()) {
      const { out } = rows[index] as (typeof rows)[number];
      const bytes = bytesOfDocs(segment.ref.docCount);
      reader.instance.bytes.set(instance.bytes.subarray(out, out + bytes), selected + segment.base / 8);
    }
    return isCut;
  });
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
