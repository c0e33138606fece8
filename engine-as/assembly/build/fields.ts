/** What the settings say about each field, and what the builder counts for it per document. */

import { fieldCount, fieldPath, fieldPathLength, nameIs } from '../json/paths';
import { Buffer, bufferCreate, bufferPush32 } from '../runtime/buffer';
import { poolAlloc } from '../runtime/pool';
import { columnCreate } from './column-values';
import { CONFIG_GEO, configHas, hasColumn, isExact, isSearchable, isUnder, localesOf } from './config';

export const FIELD_SEARCHABLE: u32 = 1;
export const FIELD_EXACT: u32 = 2;
export const FIELD_LATITUDE: u32 = 4;
export const FIELD_LONGITUDE: u32 = 8;

/** A field of the documents. */
@unmanaged
export class FieldState {
  path: usize;
  pathLength: u32;
  flags: u32;
  /** locale list or 0 */
  locales: usize;
  /** ColumnValues or 0 */
  column: usize;
  /** number of the document that visited the attribute last, counted from 1 */
  document: u32;
  /** position counter of the attribute in that document */
  counter: u32;
  /** words indexed in that document */
  words: u32;
  /** number of documents with this field as a member at the root, and the number of the last one, counted from 1 */
  documents: u32;
  counted: u32;
}

const GEO: StaticArray<u8> = [0x5f, 0x67, 0x65, 0x6f];
const GEO_LATITUDE: StaticArray<u8> = [0x5f, 0x67, 0x65, 0x6f, 0x2e, 0x6c, 0x61, 0x74];
const GEO_LONGITUDE: StaticArray<u8> = [0x5f, 0x67, 0x65, 0x6f, 0x2e, 0x6c, 0x6e, 0x67];
const GEOJSON: StaticArray<u8> = [0x5f, 0x67, 0x65, 0x6f, 0x6a, 0x73, 0x6f, 0x6e];
const VECTORS: StaticArray<u8> = [0x5f, 0x76, 0x65, 0x63, 0x74, 0x6f, 0x72, 0x73];

/** Buffer of u32 addresses */
let states: usize = 0;

export function fieldsBegin(): void {
  states = bufferCreate(1024);
}

/** u32[fieldCount]: the address of each FieldState. */
export function fieldStates(): usize {
  return changetype<Buffer>(states).data;
}

export function fieldState(field: u32): FieldState {
  return changetype<FieldState>(<usize>load<u32>(changetype<Buffer>(states).data + ((<usize>field) << 2)));
}

/** Configures the fields that have appeared since the last call. */
export function fieldsDecide(): void {
  const known = fieldCount();
  for (let field = <u32>(changetype<Buffer>(states).length >> 2); field < known; field++) {
    bufferPush32(states, <u32>decide(field));
  }
}

function isReserved(path: usize, length: u32): bool {
  return under(VECTORS, path, length) || under(GEO, path, length) || under(GEOJSON, path, length);
}

function under(name: StaticArray<u8>, path: usize, length: u32): bool {
  return isUnder(changetype<usize>(name), name.length, path, length);
}

function decide(field: u32): usize {
  const path = fieldPath(field);
  const length = fieldPathLength(field);
  const state = changetype<FieldState>(poolAlloc(offsetof<FieldState>()));
  memory.fill(changetype<usize>(state), 0, offsetof<FieldState>());
  state.path = path;
  state.pathLength = length;
  if (!isReserved(path, length) && isSearchable(path, length)) state.flags |= FIELD_SEARCHABLE;
  if (isExact(path, length)) state.flags |= FIELD_EXACT;
  if (nameIs(path, length, GEO_LATITUDE)) state.flags |= FIELD_LATITUDE;
  if (nameIs(path, length, GEO_LONGITUDE)) state.flags |= FIELD_LONGITUDE;
  state.locales = localesOf(path, length);
  const geo = configHas(CONFIG_GEO) && under(GEO, path, length);
  if (geo || hasColumn(path, length)) state.column = columnCreate(field);
  return changetype<usize>(state);
}
