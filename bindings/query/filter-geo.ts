/** Parses the geo functions of filters. */
import type { FilterNode, FilterNumber, GeoPoint } from './filter-ast.js';
import type { FilterLexer } from './filter-lexer.js';

const RADIUS_FORM = '_geoRadius(latitude, longitude, metres) or _geoRadius(latitude, longitude, metres, resolution)';
const BOX_FORM = '_geoBoundingBox([top latitude, right longitude], [bottom latitude, left longitude])';
const POLYGON_FORM = '_geoPolygon([latitude, longitude], [latitude, longitude], [latitude, longitude], …)';

export function parseRadius(lexer: FilterLexer): FilterNode {
  const start = callOf(lexer, '_geoRadius', RADIUS_FORM);
  const [lat, lng, metres, resolution, ...more] = argumentsOf<FilterNumber>(lexer, RADIUS_FORM, start, () => lexer.number());
  const trailingComma = /,\s*\)$/.test(lexer.source.slice(start, lexer.position));
  if (!lat || !lng || !metres || more.length > 0 || trailingComma) {
    const count = [lat, lng, metres, resolution].filter(Boolean).length + more.length;
    throw lexer.fail(`\`_geoRadius\` takes 3 or 4 numbers, found ${count}: the form is ${RADIUS_FORM}.`, start, lexer.position);
  }
  return {
    kind: 'radius',
    span: lexer.spanFrom(start),
    center: { lat, lng },
    metres: metres.value,
    resolution: resolution ?? null,
  };
}

export function parseBox(lexer: FilterLexer): FilterNode {
  const start = callOf(lexer, '_geoBoundingBox', BOX_FORM);
  const points = argumentsOf(lexer, BOX_FORM, start, () => pointOf(lexer));
  const [topRight, bottomLeft] = points;
  const trailingComma = /,\s*\)$/.test(lexer.source.slice(start, lexer.position));
  if (!topRight || !bottomLeft || points.length > 2 || trailingComma) {
    const message = `\`_geoBoundingBox\` takes 2 pairs of numbers, found ${points.length}: the form is ${BOX_FORM}.`;
    throw lexer.fail(message, start, lexer.position);
  }
  return { kind: 'box', span: lexer.spanFrom(start), topRight, bottomLeft };
}

export function parsePolygon(lexer: FilterLexer): FilterNode {
  const start = callOf(lexer, '_geoPolygon', POLYGON_FORM);
  const points = argumentsOf(lexer, POLYGON_FORM, start, () => pointOf(lexer));
  if (points.length < 3) {
    const message = `\`_geoPolygon\` takes at least 3 points, found ${points.length}: the form is ${POLYGON_FORM}.`;
    throw lexer.fail(message, start, lexer.position);
  }
  return { kind: 'polygon', span: lexer.spanFrom(start), points };
}

/** Parses the name of a geo function and the parenthesis, which must follow without a space. */
function callOf(lexer: FilterLexer, name: string, form: string): number {
  const start = lexer.position;
  lexer.position += name.length;
  if (!lexer.take('('))
    throw lexer.fail(`\`${name}\` is a reserved keyword: its form is ${form}, found: \`${lexer.rest(start)}\`.`, start);
  return start;
}

/** Parses comma-separated items up to the closing parenthesis. */
function argumentsOf<T>(lexer: FilterLexer, form: string, start: number, item: () => T | null): T[] {
  const items: T[] = [];
  lexer.space();
  while (!lexer.take(')')) {
    const found = item();
    if (found === null) throw lexer.fail(`The arguments must have the form ${form}, found: \`${lexer.rest()}\`.`, start);
    items.push(found);
    lexer.space();
    if (lexer.take(',')) {
      lexer.space();
    } else if (lexer.source[lexer.position] !== ')') {
      lexer.close(')', start);
    }
  }
  return items;
}

function pointOf(lexer: FilterLexer): GeoPoint | null {
  const start = lexer.position;
  if (!lexer.take('[')) return null;
  const numbers: FilterNumber[] = [];
  lexer.space();
  while (!lexer.take(']')) {
    const number = lexer.number();
    if (number) numbers.push(number);
    lexer.space();
    const separated = number !== null && lexer.take(',');
    lexer.space();
    if (separated || (number && lexer.source[lexer.position] === ']')) continue;
    throw lexer.fail(`A point is a pair of numbers [latitude, longitude], found: \`${lexer.rest(start)}\`.`, start);
  }
  const [lat, lng] = numbers;
  if (!lat || !lng || numbers.length > 2) {
    throw lexer.fail(`A point is a pair of numbers [latitude, longitude], found ${numbers.length}.`, start, lexer.position);
  }
  return { lat, lng };
}
