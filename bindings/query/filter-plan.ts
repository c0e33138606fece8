/** Encodes filters for the engine: see engine-as/assembly/filter/plan.ts. */
import {
  FILTER_ABOVE,
  FILTER_ABOVE_OR_EQUAL,
  FILTER_AND,
  FILTER_BELOW,
  FILTER_BELOW_OR_EQUAL,
  FILTER_BETWEEN,
  FILTER_BOX,
  FILTER_CONTAINS,
  FILTER_EMBEDDED,
  FILTER_EMPTY,
  FILTER_EQUALS,
  FILTER_EXISTS,
  FILTER_NOT,
  FILTER_NOTHING,
  FILTER_NULL,
  FILTER_OR,
  FILTER_ORDINAL,
  FILTER_RADIUS,
  FILTER_REGENERATED,
  FILTER_SHAPE_IN_BOX,
  FILTER_SHAPE_IN_POLYGON,
  FILTER_SHAPE_IN_RADIUS,
  FILTER_STARTS_WITH,
  FILTER_USER_PROVIDED,
  FilterNode,
  type FilterNodeFields,
  FilterOperand,
  FilterPlan,
  NO_FIELD,
} from '../engine/exports.js';
import { RecordWriter } from '../engine/record-writer.js';
import type { IndexReader } from '../engine/segments.js';
import { apiError } from '../errors.js';
import type { EmbedderSettings } from '../index-types.js';
import { own } from '../own.js';
import { decimalOf } from './decimal.js';
import type {
  FieldCondition,
  FieldOperator,
  FilterNode as Filter,
  FilterText,
  GeoCondition,
  GeoPoint,
  VectorPath,
} from './filter-ast.js';
import { geoFilters, hasValues } from './filterable.js';
import { fragmentsOf } from './fragments.js';

/** By operator: the engine's kind of node; `!=` is negated. */
const KINDS: Record<FieldOperator, number> = {
  '=': FILTER_EQUALS,
  '!=': FILTER_EQUALS,
  IN: FILTER_EQUALS,
  '>': FILTER_ABOVE,
  '>=': FILTER_ABOVE_OR_EQUAL,
  '<': FILTER_BELOW,
  '<=': FILTER_BELOW_OR_EQUAL,
  TO: FILTER_BETWEEN,
  EXISTS: FILTER_EXISTS,
  'IS NULL': FILTER_NULL,
  'IS EMPTY': FILTER_EMPTY,
  CONTAINS: FILTER_CONTAINS,
  'STARTS WITH': FILTER_STARTS_WITH,
};

/** Operators that look at the presence of a field, not at its values. */
const OF_PRESENCE: readonly FieldOperator[] = ['EXISTS', 'IS NULL', 'IS EMPTY'];
/** Operators that merge with others on the same field inside an OR. */
const EQUALITIES: readonly FieldOperator[] = ['=', 'IN'];

/** Corners of the polygon that replaces a `_geoRadius` circle in comparisons with shapes. */
const DEFAULT_RESOLUTION = 125;

/** A value as it was written, and as a finite number if the whole text is one, otherwise NaN. */
interface Operand {
  number: number;
  text: string;
}

function operandOf({ text }: FilterText): Operand {
  const number = decimalOf(text);
  return { number: Number.isFinite(number) ? number : Number.NaN, text };
}

/** Encodes a filter that has passed checkFilter for the index: a FilterPlan without a deadline, and what it refers to. */
export function encodeFilter(reader: IndexReader, filter: Filter): Uint8Array {
  return new FilterProgram(reader, filter).encode();
}

/** The nodes of a filter in prefix order, and their operands. */
class FilterProgram {
  readonly #nodes: FilterNodeFields[] = [];
  readonly #operands: Operand[] = [];

  constructor(
    private readonly reader: IndexReader,
    filter: Filter,
  ) {
    this.#filter(filter);
  }

  encode(): Uint8Array {
    const operands = FilterPlan.bytes + this.#nodes.length * FilterNode.bytes;
    const record = new RecordWriter(operands + this.#operands.length * FilterOperand.bytes);
    const texts = this.#operands.map(({ text }) => record.text(text));
    record.put(FilterPlan, {
      deadline: Number.POSITIVE_INFINITY,
      bytes: record.finish().length,
      nodes: FilterPlan.bytes,
      operands,
      operandCount: texts.length,
      isTimedOut: false,
    });
    for (const node of this.#nodes) record.put(FilterNode, node);
    for (const [index, { at, length }] of texts.entries()) {
      record.put(FilterOperand, { number: (this.#operands[index] as Operand).number, text: at, length, reserved: 0 });
    }
    return record.finish();
  }

  #node(kind: number, fields: Partial<FilterNodeFields> = {}): void {
    this.#nodes.push({ kind, field: 0, first: 0, count: 0, ...fields });
  }

  /** Adds a node with operands. */
  #leaf(kind: number, field: number, operands: readonly Operand[]): void {
    this.#node(kind, { field, first: this.#operands.length, count: operands.length });
    for (const operand of operands) this.#operands.push(operand);
  }

  #filter(filter: Filter): void {
    switch (filter.kind) {
      case 'and':
      case 'or': {
        const items = filter.kind === 'or' ? mergeEqualities(filter.items) : filter.items;
        this.#node(filter.kind === 'or' ? FILTER_OR : FILTER_AND, { count: items.length });
        for (const item of items) this.#filter(item);
        break;
      }
      case 'not':
        this.#node(FILTER_NOT, { count: 1 });
        this.#filter(filter.item);
        break;
      case 'radius':
      case 'box':
      case 'polygon':
        this.#geo(filter);
        break;
      case 'vectors':
        this.#vectors(filter.path);
        break;
      case 'foreign':
        throw apiError('invalid_search_filter', 'foreignElsewhere');
      default:
        this.#field(filter);
    }
  }

  #field({ field: { text: path }, operator, values }: FieldCondition): void {
    const field = this.reader.fieldId(path);
    // A field that no document ever had: no operator selects anything, not even `!=`.
    if (field < 0) {
      this.#node(FILTER_NOTHING);
      return;
    }
    if (operator === '!=') this.#node(FILTER_NOT, { count: 1 });
    if (!OF_PRESENCE.includes(operator) && !hasValues(this.reader.view.settings, path)) this.#node(FILTER_NOTHING);
    else this.#leaf(KINDS[operator], field, values.map(operandOf));
  }

  #geo(condition: GeoCondition): void {
    const { points, shapes } = geoFilters(this.reader.view.settings);
    const [ofPoints, ofShapes, numbers] = areaOf(condition);
    const kinds: [kind: number, path: string][] = [];
    if (points && ofPoints !== null) kinds.push([ofPoints, '_geo.lat']);
    if (shapes) kinds.push([ofShapes, '_geojson']);
    this.#node(FILTER_OR, { count: kinds.length });
    for (const [kind, path] of kinds) {
      const field = this.reader.fieldId(path);
      this.#leaf(
        kind,
        field < 0 ? NO_FIELD : field,
        numbers.map((number) => ({ number, text: '' })),
      );
    }
  }

  /** What the user provides counts neither as made by a template nor as made by a fragment. */
  #vectors({ embedder: name, detail }: VectorPath): void {
    const { embedders } = this.reader.view.settings;
    if (name === null) {
      const all = Object.values(embedders);
      this.#node(FILTER_OR, { count: all.length });
      for (const { id } of all) this.#node(FILTER_EMBEDDED, { field: id ?? 0 });
      return;
    }
    const embedder = own(embedders, name) as EmbedderSettings;
    const field = embedder.id ?? 0;
    const fragments = fragmentsOf(embedder);
    if (detail === 'any') this.#node(FILTER_EMBEDDED, { field });
    else if (detail === 'userProvided') this.#node(FILTER_USER_PROVIDED, { field });
    else if (detail === 'regenerate') {
      this.#node(FILTER_AND, { count: 2 });
      this.#node(FILTER_EMBEDDED, { field });
      this.#node(FILTER_REGENERATED, { field });
    } else {
      const ordinal = detail === 'documentTemplate' ? undefined : own(fragments, detail.fragment);
      const byTemplate = detail === 'documentTemplate' && Object.keys(fragments).length === 0;
      this.#node(FILTER_AND, { count: 2 });
      if (byTemplate) this.#node(FILTER_EMBEDDED, { field });
      else if (ordinal === undefined) this.#node(FILTER_NOTHING);
      else this.#node(FILTER_ORDINAL, { field, first: ordinal });
      this.#node(FILTER_NOT, { count: 1 });
      this.#node(FILTER_USER_PROVIDED, { field });
    }
  }
}

/** The kinds of condition for points, null: they are in no such area, and for shapes, and the numbers of the area. */
function areaOf(condition: GeoCondition): [ofPoints: number | null, ofShapes: number, numbers: number[]] {
  const numbersOf = (points: readonly GeoPoint[]) => points.flatMap(({ lat, lng }) => [lat.value, lng.value]);
  switch (condition.kind) {
    case 'radius': {
      const { center, metres, resolution } = condition;
      return [FILTER_RADIUS, FILTER_SHAPE_IN_RADIUS, [...numbersOf([center]), metres, resolution?.value ?? DEFAULT_RESOLUTION]];
    }
    case 'box':
      return [FILTER_BOX, FILTER_SHAPE_IN_BOX, numbersOf([condition.topRight, condition.bottomLeft])];
    case 'polygon':
      return [null, FILTER_SHAPE_IN_POLYGON, numbersOf(condition.points)];
  }
}

/** Merges equalities on the same field within an OR into one list, so that its column is read once. */
function mergeEqualities(items: readonly Filter[]): Filter[] {
  const lists = new Map<string, FilterText[]>();
  const merged: Filter[] = [];
  for (const item of items) {
    if (item.kind !== 'field' || !EQUALITIES.includes(item.operator)) {
      merged.push(item);
      continue;
    }
    const { field, values } = item;
    const list = lists.get(field.text);
    if (list) {
      for (const value of values) list.push(value);
      continue;
    }
    const fresh = [...values];
    lists.set(field.text, fresh);
    merged.push({ kind: 'field', field, operator: 'IN', values: fresh });
  }
  return merged;
}
