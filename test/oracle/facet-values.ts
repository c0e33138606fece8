import { isObject, type Json, JsonNumber, type JsonObject } from './json.js';
import { trimBlanks, utf8Length } from './text.js';

const MAX_FACET_BYTES = 468;

/** The values of a document under one path: for filters, facets, sorts and distinct. */
export interface FieldValues {
  exists: boolean;
  isNull: boolean;
  isEmpty: boolean;
  numbers: number[];
  /** Normalised; booleans are the strings `true` and `false`. */
  strings: string[];
  /** The original texts, in the order of {@link strings}. */
  originals: string[];
}

/** Folds case, compatibility forms and blanks at the ends; accents stay. */
export function normalizeFacet(text: string): string {
  let out = '';
  for (const char of trimBlanks(text)) out += char.normalize('NFKD');
  return out.toLowerCase();
}

function storedFacet(text: string): string {
  let out = normalizeFacet(text);
  while (utf8Length(out) > MAX_FACET_BYTES) out = [...out].slice(0, -1).join('');
  return out;
}

export function fieldValues(json: JsonObject, field: string): FieldValues {
  const values: FieldValues = { exists: false, isNull: false, isEmpty: false, numbers: [], strings: [], originals: [] };
  const take = (value: Json): void => {
    if (value instanceof JsonNumber) values.numbers.push(value.value + 0);
    else if (typeof value === 'boolean' || (typeof value === 'string' && value !== '')) {
      values.strings.push(storedFacet(String(value)));
      values.originals.push(String(value));
    }
  };
  const walk = (path: string, value: Json, isItem: boolean): void => {
    if (path === field) {
      values.exists = true;
      if (!isItem && value === null) values.isNull = true;
      if (!isItem && isEmptyValue(value)) values.isEmpty = true;
      take(value);
    }
    if (Array.isArray(value)) for (const item of value) walk(path, item, true);
    else if (isObject(value)) for (const [key, member] of value) walk(`${path}.${key}`, member, false);
  };
  for (const [key, value] of json) walk(key, value, false);
  return values;
}

function isEmptyValue(value: Json): boolean {
  return value === '' || (Array.isArray(value) && value.length === 0) || (isObject(value) && value.size === 0);
}

/** Every path of a document, those of containers included. */
export function pathsOf(json: JsonObject): Set<string> {
  const paths = new Set<string>();
  const walk = (path: string, value: Json): void => {
    paths.add(path);
    if (Array.isArray(value)) for (const item of value) walk(path, item);
    else if (isObject(value)) for (const [key, member] of value) walk(`${path}.${key}`, member);
  };
  for (const [key, value] of json) walk(key, value);
  return paths;
}

/** The values by which two documents are the same for `distinct`: 1 and "1" differ. */
export function distinctKeys(json: JsonObject, field: string): string[] {
  const { numbers, strings } = fieldValues(json, field);
  return [...numbers.map((n) => `number ${n}`), ...strings.map((s) => `string ${s}`)];
}

export interface Point {
  lat: number;
  lng: number;
}

/** Coordinates under `_geo`: numbers or numeric texts. */
export function pointOf(json: JsonObject): Point | null {
  const geo = json.get('_geo');
  if (!isObject(geo)) return null;
  const lat = coordinate(geo.get('lat'));
  const lng = coordinate(geo.get('lng'));
  return lat === null || lng === null ? null : { lat, lng };
}

function coordinate(value: Json | undefined): number | null {
  if (value instanceof JsonNumber) return value.value;
  return typeof value === 'string' ? Number(value) : null;
}

const EARTH_RADIUS_METRES = 6_371_000;

/** Great-circle distance in metres, to the millimetre. */
export function distanceMetres(a: Point, b: Point): number {
  const radians = (degrees: number): number => (degrees * Math.PI) / 180;
  const across = Math.sin(radians(b.lat - a.lat) / 2) ** 2;
  const along = Math.cos(radians(a.lat)) * Math.cos(radians(b.lat)) * Math.sin(radians(b.lng - a.lng) / 2) ** 2;
  const angle = 2 * Math.asin(Math.min(1, Math.sqrt(across + along)));
  return Math.round(EARTH_RADIUS_METRES * angle * 1000) / 1000;
}
