import { type MemberBounds, memberBounds, memberNamed } from '../../../../bindings/engine/member-bounds.js';
import { hasEscapes, placeOf } from '../documents/member-search.js';
import { plainLengths } from './plain-vectors.js';

const NAME = '_vectors';
const MARK = Buffer.from(NAME);

const CLOSE_OBJECT = 0x7d;

/** The members of `_vectors`: name -> JSON text. */
export type RawEntries = Map<string, Uint8Array>;

/** Whether a document may have the member `_vectors`. Most have none, which is found without parsing them. */
export function mayHaveVectors(json: Uint8Array): boolean {
  return placeOf(json, MARK) >= 0 || hasEscapes(json);
}

function boundsOf(json: Uint8Array): MemberBounds | null {
  return mayHaveVectors(json) ? memberNamed(json, NAME) : null;
}

/** Lengths of the arrays in `_vectors`: see {@link plainLengths}. null: there are none, or other values too. */
export function plainVectors(json: Uint8Array): Map<string, number> | null {
  const value = boundsOf(json);
  return value && plainLengths(json, value.from);
}

/** The parsed value of `_vectors`; undefined when the document has none. */
export function vectorsMember(json: Uint8Array): unknown {
  const value = boundsOf(json);
  return value ? JSON.parse(Buffer.from(json.slice(value.from, value.to)).toString()) : undefined;
}

/** The members of `_vectors` as JSON texts; null when the document has none. */
export function rawEntries(json: Uint8Array): RawEntries | null {
  const value = boundsOf(json);
  if (!value) return null;
  return new Map([...memberBounds(json, value.from)].map(({ name, from, to }) => [name, json.slice(from, to)]));
}

/** A document with only some of the entries in its `_vectors`. */
export function withSomeEntries(json: Uint8Array, keeps: (name: string) => boolean): Uint8Array {
  const value = boundsOf(json);
  if (!value) return json;
  const kept = [...memberBounds(json, value.from)].filter(({ name }) => keeps(name));
  const members = kept.map(({ name, from, to }) => `${JSON.stringify(name)}:${Buffer.from(json.subarray(from, to)).toString()}`);
  return replaced(json, value, `{${members.join()}}`);
}

function replaced(json: Uint8Array, { from, to }: MemberBounds, value: string): Uint8Array {
  return Buffer.concat([json.subarray(0, from), Buffer.from(value), json.subarray(to)]);
}

/** A document with these entries in `_vectors`. The member is added if needed, unless there are no entries. */
export function withEntries(json: Uint8Array, entries: RawEntries): Uint8Array {
  if (entries.size === 0 && !boundsOf(json)) return json;
  const members = [...entries].map(([name, raw]) => `${JSON.stringify(name)}:${Buffer.from(raw).toString()}`);
  return withMember(json, `{${members.join()}}`);
}

/** A document with the JSON text `vectors` as the value of `_vectors`. */
export function withMember(json: Uint8Array, vectors: string): Uint8Array {
  const value = boundsOf(json);
  if (value) return replaced(json, value, vectors);
  const end = json.lastIndexOf(CLOSE_OBJECT);
  const comma = memberBounds(json).next().done ? '' : ',';
  return Buffer.concat([json.slice(0, end), Buffer.from(`${comma}"${NAME}":${vectors}}`)]);
}
