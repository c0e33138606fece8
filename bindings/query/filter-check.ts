/** Checks what the settings of an index and the experimental features permit in filters. */
import { type ApiError, apiError } from '../errors.js';
import type { FilterFeatures, IndexSettings } from '../index-types.js';
import { own } from '../own.js';
import type {
  FieldCondition,
  FieldOperator,
  FilterNode,
  FilterNumber,
  FilterSpan,
  FilterText,
  GeoCondition,
  GeoPoint,
  VectorPath,
} from './filter-ast.js';
import { forEachCondition } from './filter-ast.js';
import { filterError } from './filter-error.js';
import { decidedBy, filterableFeatures, filterablePatterns, geoFilters } from './filterable.js';
import { fragmentsOf } from './fragments.js';
import { suggestion } from './suggest.js';
import { listed } from './validate.js';
import { attributesHint } from './visible-names.js';

/** Experimental features required by parts of the filter language. */
export interface FilterGates {
  containsFilter: boolean;
  multimodal: boolean;
  foreignKeys: boolean;
  network: boolean;
}

/** Forbidden operators have this code on every route. */
const OPERATOR_CODE = 'invalid_search_filter';

const LATITUDE_LIMIT = 90;
const LONGITUDE_LIMIT = 180;
const RESOLUTION_MIN = 3;
const RESOLUTION_MAX = 1000;

/** What the rule of a field must enable for an operator; null: any feature. */
const NEEDS: Record<FieldOperator, 'equality' | 'comparison' | null> = {
  '=': 'equality',
  '!=': 'equality',
  IN: 'equality',
  '>': 'comparison',
  '>=': 'comparison',
  '<': 'comparison',
  '<=': 'comparison',
  TO: 'comparison',
  EXISTS: null,
  'IS NULL': null,
  'IS EMPTY': null,
  CONTAINS: null,
  'STARTS WITH': null,
};
const SHARD_OPERATORS: readonly FieldOperator[] = ['=', '!=', 'IN'];

const isShard = (field: FilterText) => field.text === '_shard' && !field.quoted;

/** @throws {ApiError} feature_not_enabled */
export function checkFilterGates(filter: FilterNode, gates: Partial<FilterGates>): void {
  forEachCondition(filter, (condition) => {
    switch (condition.kind) {
      case 'field': {
        const { field, operator } = condition;
        if (operator === 'CONTAINS') requireGate(gates, 'containsFilter', 'Using `CONTAINS` in a filter');
        if (isShard(field)) requireGate(gates, 'network', 'Using a `_shard` filter');
        break;
      }
      case 'vectors':
        requireGate(gates, 'multimodal', 'Using a `_vectors` filter');
        break;
      case 'foreign':
        requireGate(gates, 'foreignKeys', 'Using a `_foreign` filter');
        checkFilterGates(condition.filter, gates);
        break;
      default:
    }
  });
}

function requireGate(gates: Partial<FilterGates>, gate: keyof FilterGates, attempt: string): void {
  if (gates[gate]) return;
  throw apiError('feature_not_enabled', 'experimental', { attempt, feature: gate });
}

/**
 * Checks attributes, operators and geo ranges, in the order in which the conditions were written.
 * @param code error code, except for forbidden operators, which are always `invalid_search_filter`
 */
export function checkFilter(filter: FilterNode, settings: IndexSettings, uid: string, code: string): void {
  const check = new FilterCheck(settings, uid, code);
  forEachCondition(filter, (condition) => check.condition(condition));
}

/** A hint for an unknown name: the names that exist. */
function available(name: string, known: object): string {
  const names = Object.keys(known);
  return names.length === 0 ? 'there is none.' : `there are ${listed(names)}.${suggestion(name, names)}`;
}

class FilterCheck {
  constructor(
    private readonly settings: IndexSettings,
    private readonly uid: string,
    private readonly code: string,
  ) {}

  condition(condition: Exclude<FilterNode, { kind: 'and' | 'or' | 'not' }>): void {
    switch (condition.kind) {
      case 'radius':
      case 'box':
      case 'polygon':
        this.#geo(condition);
        break;
      case 'vectors': {
        this.#vectors(condition.span, condition.path);
        break;
      }
      case 'foreign': {
        const { field } = condition;
        const names = this.settings.foreignKeys.map(({ fieldName }) => fieldName);
        if (!names.includes(field.text)) {
          const hint = names.length > 0 ? `Foreign keys: ${listed(names)}` : 'The index has none';
          throw this.#error(field, `\`${field.text}\` is not a foreign key. ${hint}.`, OPERATOR_CODE);
        }
        this.#field({ kind: 'field', field, operator: 'IN', values: [] });
        break;
      }
      default:
        this.#field(condition);
    }
  }

  #vectors(span: FilterSpan, { embedder: name, detail }: VectorPath): void {
    if (name === null) return;
    const embedder = own(this.settings.embedders, name);
    if (!embedder)
      throw this.#error(span, `The embedder \`${name}\` does not exist: ${available(name, this.settings.embedders)}`);
    if (typeof detail !== 'object') return;
    const fragments = fragmentsOf(embedder);
    if (own(fragments, detail.fragment) !== undefined) return;
    const there = available(detail.fragment, fragments);
    throw this.#error(span, `The embedder \`${name}\` has no fragment \`${detail.fragment}\`: ${there}`);
  }

  #error(span: FilterSpan, message: string, code = this.code): ApiError {
    return filterError(code, span, `Index \`${this.uid}\`: ${message}`);
  }

  #field({ field, operator }: FieldCondition): void {
    if (isShard(field)) {
      const known = SHARD_OPERATORS.includes(operator);
      throw this.#error(
        field,
        known ? 'No such shard: the index has none.' : '`_shard` can only be used with `=`, `!=` and `IN`.',
      );
    }
    const features = filterableFeatures(this.settings, field.text);
    if (!features || !(features.equality || features.comparison)) throw this.#notFilterable(field, field.text);
    const needs = NEEDS[operator];
    if (needs === null || features[needs]) return;
    const allowed = [
      ...(features.comparison ? ['<', '<=', '>=', '>', 'TO'] : []),
      ...(features.equality ? ['=', '!=', 'IN'] : []),
      ...['IS EMPTY', 'IS NULL', 'EXISTS', 'CONTAINS', 'STARTS WITH'],
    ];
    throw this.#error(
      field,
      `Filter operator \`${operator === 'IN' ? '=' : operator}\` is not allowed for the attribute \`${field.text}\`. Allowed operators: ` +
        `${listed(allowed)}. Note: ${decidedBy(field.text, features)}`,
      OPERATOR_CODE,
    );
  }

  #notFilterable(span: FilterSpan, attribute: string): ApiError {
    const allows = ({ filter }: FilterFeatures) => filter.equality || filter.comparison;
    const hint = attributesHint('Filterable', listed(filterablePatterns(this.settings, allows)));
    return this.#error(span, `Attribute \`${attribute}\` is not filterable. ${hint}.`);
  }

  #geo(condition: GeoCondition): void {
    const { points, shapes } = geoFilters(this.settings);
    if (condition.kind === 'polygon' ? !shapes : !(points || shapes)) {
      throw this.#notFilterable(condition.span, condition.kind === 'polygon' ? '_geojson' : '_geo/_geojson');
    }
    switch (condition.kind) {
      case 'radius': {
        this.#point(condition.center);
        const { resolution } = condition;
        if (resolution) this.#range(resolution, 'resolution', RESOLUTION_MIN, RESOLUTION_MAX);
        break;
      }
      case 'box': {
        const { topRight, bottomLeft } = condition;
        this.#point(topRight);
        this.#point(bottomLeft);
        if (topRight.lat.value < bottomLeft.lat.value) {
          const message = `The top latitude \`${topRight.lat.value}\` of the box is below its bottom latitude \`${bottomLeft.lat.value}\`.`;
          throw this.#error(condition.span, message);
        }
        break;
      }
      case 'polygon':
        for (const point of condition.points) this.#point(point);
    }
  }

  #point({ lat, lng }: GeoPoint): void {
    this.#range(lat, 'latitude', -LATITUDE_LIMIT, LATITUDE_LIMIT);
    this.#range(lng, 'longitude', -LONGITUDE_LIMIT, LONGITUDE_LIMIT);
  }

  #range(number: FilterNumber, name: string, low: number, high: number): void {
    if (number.value >= low && number.value <= high) return;
    throw this.#error(number, `Bad ${name} \`${number.value}\`: it must lie between ${low} and ${high}.`);
  }
}
