import { runOf } from '../../../../bindings/engine/document-run.js';
import { RESERVED_POINT, RESERVED_SHAPE } from '../../../../bindings/engine/exports.js';
import type { EngineInstance } from '../../../../bindings/engine/instance.js';
import { DocumentKeys } from '../../../../bindings/engine/json.js';
import { apiError, problemOf } from '../../../../bindings/errors.js';
import type { IndexSettings } from '../../../../bindings/index-types.js';
import { own } from '../../../../bindings/own.js';
import { geoFilters } from '../../../../bindings/query/filterable.js';
import { isObject, quoted } from './json-values.js';
import { keyText } from './key-text.js';

/** The reserved members that these settings validate. */
export interface ReservedMembers {
  geo: boolean;
  geojson: boolean;
}

export function reservedMembers(settings: IndexSettings): ReservedMembers {
  const { points, shapes } = geoFilters(settings);
  return { geo: points || settings.sortableAttributes.includes('_geo'), geojson: shapes };
}

/**
 * Validates `_geo` and `_geojson` of a document.
 * @param members which reserved members the engine has found: flags RESERVED_*; it has checked shapes, and plain points are always valid
 * @throws {ApiError} invalid_document_geo_field, invalid_document_geojson_field
 */
export function checkReserved(reserved: ReservedMembers, members: number, id: Uint8Array, json: Uint8Array): void {
  const geo = reserved.geo && (members & RESERVED_POINT) !== 0;
  const geojson = reserved.geojson && (members & RESERVED_SHAPE) !== 0;
  if (!geo && !geojson) return;
  const document = JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString());
  const key = keyText(id);
  if (geo) checkGeo(key, document._geo);
  if (geojson) throw apiError('invalid_document_geojson_field', 'geometry', { key, found: quoted(document._geojson) });
}

/** Validates the reserved members of stored documents under new settings. Allocates scratch memory, which belongs to the job. */
export class StoredMembers {
  readonly #reserved: ReservedMembers;
  readonly #keys: DocumentKeys;

  constructor(instance: EngineInstance, settings: IndexSettings) {
    this.#reserved = reservedMembers(settings);
    this.#keys = new DocumentKeys(instance, '');
  }

  /** @throws {ApiError} as {@link checkReserved} */
  check(id: Uint8Array, json: Uint8Array): void {
    const { geo, geojson } = this.#reserved;
    if (!geo && !geojson) return;
    checkReserved(this.#reserved, this.#keys.read(runOf(json)).reserved?.[0] ?? 0, id, json);
  }
}

function checkGeo(key: string, geo: unknown): void {
  const problem = geoProblem(geo);
  if (problem === null) return;
  throw apiError('invalid_document_geo_field', 'location', { key, problem, found: quoted(geo) });
}

function geoProblem(geo: unknown): string | null {
  if (geo === null) return null;
  if (!isObject(geo)) return problemOf('notLocation');
  const missing = ['lat', 'lng'].filter((name) => own(geo, name) === undefined);
  if (missing.length) return problemOf('lacksCoordinates', { names: names(missing) });
  const unreadable = ['lat', 'lng'].filter((name) => !isCoordinate(own(geo, name)));
  if (unreadable.length) return problemOf('badCoordinates', { names: names(unreadable) });
  const extra = Object.keys(geo).filter((name) => name !== 'lat' && name !== 'lng');
  return extra.length ? problemOf('moreThanLocation', { names: names(extra) }) : null;
}

function names(list: string[]): string {
  return list.map((name) => `\`${name}\``).join(' and ');
}

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

function isCoordinate(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value === 'string' && DECIMAL.test(value) && Number.isFinite(Number(value));
}
