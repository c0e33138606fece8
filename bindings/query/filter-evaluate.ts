/** Which documents a filter selects. The filter has passed checkFilter: here nothing is refused any more. */
import { FilterPlan, FilterSegment } from '../engine/exports.js';
import { bytesOfDocs, type IndexReader, type OpenSegment } from '../engine/segments.js';
import type { Area } from '../geojson/area.js';
import { boxArea, polygonArea, radiusArea } from '../geojson/area.js';
import { selectShapes } from '../geojson/select.js';
import { NO_LIMIT, type TimeLimit } from '../time-limit.js';
import type { FilterNode, GeoCondition } from './filter-ast.js';
import { FilterProgram } from './filter-plan.js';
import { selectVectors } from './vector-filter.js';

/** Points that stand for the circle of `_geoRadius` when shapes are compared with it. */
const DEFAULT_RESOLUTION = 125;

/**
 * Evaluates a filter over all live documents, in one call of the engine a memory. Where the time is over, documents are missing that pass
 * it; none is there that does not.
 * @returns address of a bitmap over the slots of the reader, in the scratch of its instance
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

/** The segments of one memory. Where it is not that of the reader, bitmaps are copied there and back. Answers whether the time was over. */
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
