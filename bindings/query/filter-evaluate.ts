/** Which documents a filter selects. The filter has passed checkFilter: here nothing is refused any more. */
import type { Column } from '../engine/columns.js';
import { columnOf } from '../engine/columns.js';
import type { EngineInstance } from '../engine/instance.js';
import type { IndexReader, OpenSegment } from '../engine/segments.js';
import type { Area } from '../geojson/area.js';
import { boxArea, polygonArea, radiusArea } from '../geojson/area.js';
import { selectShapes } from '../geojson/select.js';
import type { FieldCondition, FilterNode, GeoCondition } from './filter-ast.js';
import { geoFilters, hasValues } from './filterable.js';
import type { Operand } from './operand.js';
import { operand } from './operand.js';

type Range = [from: number, end: number];

/** Points that stand for the circle of `_geoRadius` when shapes are compared with it. */
const DEFAULT_RESOLUTION = 125;

/**
 * Evaluates a filter over all live documents.
 * @returns address of a bitmap over the slots of the reader, in the scratch of its instance
 */
export function evaluateFilter(reader: IndexReader, filter: FilterNode): number {
  const live = reader.liveBitmap();
  const selected = reader.newBitmap();
  new FilterEvaluation(reader, live).into(filter, selected);
  reader.instance.exports.bitmapAnd(selected, live, reader.bitmapBytes);
  return selected;
}

class FilterEvaluation {
  readonly #instance: EngineInstance;

  constructor(
    private readonly reader: IndexReader,
    private readonly live: number,
  ) {
    this.#instance = reader.instance;
  }

  /** Adds the documents that a node selects to an empty bitmap. */
  into(node: FilterNode, target: number): void {
    const { reader } = this;
    switch (node.kind) {
      case 'or':
        this.#or(node.items, target);
        break;
      case 'and':
        this.#and(node.items, target);
        break;
      case 'not':
        this.into(node.item, target);
        this.#complement(target);
        break;
      case 'radius':
      case 'box':
      case 'polygon':
        this.#geo(node, target);
        break;
      case 'vectors': // no document has an embedding while there are no embedders
      case 'foreign': // refused: no index has foreign keys
        break;
      default:
        // a field that no document ever had: every operator selects nothing, `!=` included
        if (reader.fieldId(node.field.text) < 0) break;
        this.#field(node, target);
    }
  }

  #complement(target: number): void {
    this.#instance.exports.bitmapNot(target, this.live, this.reader.bitmapBytes);
  }

  #or(items: FilterNode[], target: number): void {
    for (const node of mergeEqualities(items)) {
      // what only adds may work on the result at once
      if (node.kind === 'in' || node.kind === 'range' || node.kind === 'or') this.into(node, target);
      else this.#apart(node, (part) => this.#instance.exports.bitmapOr(target, part, this.reader.bitmapBytes));
    }
  }

  #and(items: FilterNode[], target: number): void {
    const [first, ...others] = items as [FilterNode, ...FilterNode[]];
    const bytes = this.reader.bitmapBytes;
    this.into(first, target);
    for (const node of others) {
      if (this.#instance.exports.bitmapIsEmpty(target, bytes)) return;
      this.#apart(node, (part) => this.#instance.exports.bitmapAnd(target, part, bytes));
    }
  }

  /** Evaluates a node into a bitmap of its own, which is released after use. */
  #apart(node: FilterNode, use: (bitmap: number) => void): void {
    this.#instance.scoped(() => {
      const part = this.reader.newBitmap();
      this.into(node, part);
      use(part);
    });
  }

  #field(condition: FieldCondition, target: number): void {
    const values = hasValues(this.reader.view.settings, condition.field.text);
    const select = values || condition.kind === 'presence' ? selection(this.#instance, condition) : null;
    if (select) this.#onColumns(condition.field.text, target, select);
    if (condition.kind === 'compare' && condition.operator === '!=') this.#complement(target);
  }

  #onColumns(field: string, target: number, select: (column: Column, bitmap: number) => void): void {
    const id = this.reader.fieldId(field);
    for (const segment of this.reader.segments) {
      const column = columnOf(segment, id);
      if (column) this.reader.onSegment(segment, target, (_, bitmap) => select(column, bitmap));
    }
  }

  #geo(condition: GeoCondition, target: number): void {
    const { reader } = this;
    const { points, shapes } = geoFilters(reader.view.settings);
    if (points && condition.kind !== 'polygon') {
      for (const segment of reader.segments) this.#points(segment, condition, target);
    }
    if (shapes) selectShapes(reader, areaOf(condition), target);
  }

  #points(segment: OpenSegment, condition: Exclude<GeoCondition, { kind: 'polygon' }>, target: number): void {
    const points = segment.instance.exports.geoPoints(segment.view);
    if (!points) return;
    const { docCount } = segment.ref;
    this.reader.onSegment(segment, target, (instance, bitmap) => {
      if (condition.kind === 'radius') {
        const { center, metres } = condition;
        instance.exports.geoSelectRadius(points, docCount, center.lat.value, center.lng.value, metres, bitmap);
      } else {
        const { topRight: top, bottomLeft: bottom } = condition;
        const [north, south] = [top.lat.value, bottom.lat.value];
        instance.exports.geoSelectBox(points, docCount, north, top.lng.value, south, bottom.lng.value, bitmap);
      }
    });
  }
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

/** Joins the equalities of an OR that ask for the same field into one list, so that its column is read once. */
function mergeEqualities(items: FilterNode[]): FilterNode[] {
  const lists = new Map<string, Extract<FilterNode, { kind: 'in' }>>();
  const merged: FilterNode[] = [];
  for (const item of items) {
    const values = item.kind === 'in' ? item.values : item.kind === 'compare' && item.operator === '=' ? [item.value] : null;
    if (values === null) {
      merged.push(item);
      continue;
    }
    const { field } = item as FieldCondition;
    const list = lists.get(field.text);
    if (list) {
      for (const value of values) list.values.push(value);
      continue;
    }
    const fresh = { kind: 'in' as const, field, values: [...values] };
    lists.set(field.text, fresh);
    merged.push(fresh);
  }
  return merged;
}

/** How a condition on a field selects documents of one column; null: none. */
function selection(instance: EngineInstance, condition: FieldCondition): ((column: Column, bitmap: number) => void) | null {
  switch (condition.kind) {
    case 'presence':
      return (column, bitmap) => column.selectPresence(condition.test, bitmap);
    case 'in':
      return equalsAny(condition.values.map(({ text }) => operand(instance, text)));
    case 'range':
      return between(operand(instance, condition.low.text), operand(instance, condition.high.text));
    case 'text': {
      const { text } = operand(instance, condition.value.text);
      if (condition.operator === 'STARTS WITH') return startsWith(text);
      if (text.length === 0) return (column, bitmap) => column.selectStrings(0, column.header.stringCount, bitmap);
      return (column, bitmap) => column.selectContaining(text, bitmap);
    }
    case 'compare': {
      const value = operand(instance, condition.value.text);
      const { operator } = condition;
      if (operator === '=' || operator === '!=') return equalsAny([value]);
      return ordered(operator, value);
    }
  }
}

function equalsAny(values: Operand[]) {
  return (column: Column, bitmap: number) => {
    const numbers: Range[] = [];
    const strings: Range[] = [];
    for (const { number, text } of values) {
      if (number !== null) numbers.push([column.numberBound(number, true), column.numberBound(number, false)]);
      // a blank operand equals no value, not even a blank one
      if (text.length > 0) strings.push([column.textBound('floor', text), column.textBound('ceiling', text)]);
    }
    column.selectRanges(numbers, strings, bitmap);
  };
}

function ordered(operator: '>' | '>=' | '<' | '<=', { number, text }: Operand) {
  const below = operator === '<' || operator === '<=';
  // where the selected values begin or end: before the value itself, or behind it
  const atFloor = operator === '>=' || operator === '<';
  return (column: Column, bitmap: number) => {
    const range = (bound: number, count: number): Range => (below ? [0, bound] : [bound, count]);
    if (number !== null) column.selectNumbers(...range(column.numberBound(number, atFloor), column.header.numberCount), bitmap);
    const textBound = column.textBound(atFloor ? 'floor' : 'ceiling', text);
    column.selectStrings(...range(textBound, column.header.stringCount), bitmap);
  };
}

function between(low: Operand, high: Operand) {
  return (column: Column, bitmap: number) => {
    if (low.number !== null && high.number !== null) {
      column.selectNumbers(column.numberBound(low.number, true), column.numberBound(high.number, false), bitmap);
    }
    column.selectStrings(column.textBound('floor', low.text), column.textBound('ceiling', high.text), bitmap);
  };
}

function startsWith(text: Uint8Array) {
  return (column: Column, bitmap: number) => {
    if (text.length === 0) column.selectPresence('EXISTS', bitmap);
    else column.selectStrings(column.textBound('floor', text), column.textBound('prefix', text), bitmap);
  };
}
