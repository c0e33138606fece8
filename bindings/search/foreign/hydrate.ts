import type { IndexReader } from '../../engine/segments.js';
import { readText } from '../../engine/utf8.js';
import type { ByteWriter } from '../../format/byte-writer.js';
import { JsonNumber, type JsonValue, jsonText, parseJson } from '../../query/json.js';
import type { SearchSession } from '../session.js';
import { ANY_DEPTH, JoinedIndex } from './joined-index.js';

const DOCUMENT_KEY = /^[A-Za-z0-9_-]{1,511}$/;

/**
 * Replaces keys by the documents of other indexes, in the hits written from `start` on (items of a JSON array).
 * @throws {ApiError} index_not_found for an index that the settings name
 */
export function hydrate(session: SearchSession, { view }: IndexReader, out: ByteWriter, start: number): void {
  const { foreignKeys } = view.settings;
  if (foreignKeys.length === 0 || !session.features.foreignKeys) return;
  const joined = new Map(foreignKeys.map(({ foreignIndexUid: uid }) => [uid, JoinedIndex.open(session, uid)]));
  if (out.length === start) return;
  const hits = parseJson(`[${readText(out.bytes, start, out.length)}]`, ANY_DEPTH) as JsonValue[];
  for (const { foreignIndexUid, fieldName } of foreignKeys) {
    const index = joined.get(foreignIndexUid) as JoinedIndex;
    for (const hit of hits) {
      if (!(hit instanceof Map)) continue;
      for (const shown of [hit, hit.get('_formatted')]) fill(shown, fieldName.split('.'), index);
    }
  }
  out.length = start;
  out.text(hits.map(jsonText).join());
}

/** Paths with dots match nested members as well as names containing dots. */
function fill(holder: JsonValue | undefined, path: readonly string[], index: JoinedIndex): void {
  if (Array.isArray(holder)) for (const item of holder) fill(item, path, index);
  if (!(holder instanceof Map)) return;
  for (let parts = 1; parts <= path.length; parts++) {
    const name = path.slice(0, parts).join('.');
    const value = holder.get(name);
    if (value === undefined) continue;
    if (parts === path.length) holder.set(name, filled(value, index));
    else fill(value, path.slice(parts), index);
  }
}

/** The value with all keys in it replaced by documents; values that cannot be keys stay. */
function filled(value: JsonValue, index: JoinedIndex): JsonValue {
  if (Array.isArray(value)) return value.map((item) => filled(item, index));
  if (value instanceof Map) return new Map([...value].map(([name, member]) => [name, filled(member, index)]));
  if (value instanceof JsonNumber) return value.isInteger ? index.document(value.text) : value;
  return typeof value === 'string' && DOCUMENT_KEY.test(value) ? index.document(value) : value;
}
