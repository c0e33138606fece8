/** The id of a document under a primary key. */
import { alloc } from '../runtime/arena';
import {
  jsonMemberFirst,
  jsonMemberName,
  jsonMemberNameLength,
  jsonMemberNext,
  jsonMemberValue,
  jsonMemberValueLength,
} from './members';
import { isWholeNumber } from './number';
import { unescapeString } from './strings';

export const KEY_MISSING: u32 = 0;
export const KEY_OK: u32 = 1;
const KEY_INVALID: u32 = 2;

const KEY_BYTES: u32 = 511;
const DOT: u32 = 0x2e;
const QUOTE: u32 = 0x22;
const OPEN_OBJECT: u32 = 0x7b;

let keyAt: usize = 0;
let keyLength: u32 = 0;
let found: u32 = 0;
let foundAt: usize = 0;
let foundLength: u32 = 0;

/** Address of the id, or of the value that is none. */
export function jsonKeyPointer(): usize {
  return keyAt;
}

export function jsonKeyLength(): u32 {
  return keyLength;
}

/**
 * Finds the id: 0 the document has no such member, 1 found, 2 what stands there is no id, or several members match a dotted key.
 * `path`: the primary key in UTF-8.
 */
export function jsonDocumentKey(json: usize, length: u32, path: usize, pathLength: u32): u32 {
  found = 0;
  findMember(json, length, path, pathLength);
  if (found === 0) return KEY_MISSING;
  keyAt = foundAt;
  keyLength = foundLength;
  if (found > 1) return KEY_INVALID;
  if (load<u8>(foundAt) !== QUOTE) return isWholeNumber(foundAt, foundLength) ? KEY_OK : KEY_INVALID;
  const text = alloc(foundLength);
  const textLength = unescapeString(foundAt + 1, foundLength - 2, text);
  if (!isKey(text, textLength)) return KEY_INVALID;
  keyAt = text;
  keyLength = textLength;
  return KEY_OK;
}

/**
 * Counts the members that a path leads to: a member named like the whole path, and below every object whose name is the path up
 * to one of its dots. Of members with the same name the last counts.
 */
function findMember(json: usize, length: u32, path: usize, pathLength: u32): void {
  for (let dot: u32 = 0; dot <= pathLength; dot++) {
    if (dot < pathLength && load<u8>(path + dot) !== DOT) continue;
    let value: usize = 0;
    let valueLength: u32 = 0;
    for (let more = jsonMemberFirst(json, length); more; more = jsonMemberNext()) {
      if (jsonMemberNameLength() !== dot || memory.compare(jsonMemberName(), path, dot) !== 0) continue;
      value = jsonMemberValue();
      valueLength = jsonMemberValueLength();
    }
    if (!value) continue;
    if (dot === pathLength) {
      found++;
      foundAt = value;
      foundLength = valueLength;
    } else if (load<u8>(value) === OPEN_OBJECT) {
      findMember(value, valueLength, path + dot + 1, pathLength - dot - 1);
    }
  }
}

/** 1 to 511 bytes of letters, digits, `-` and `_`. */
function isKey(text: usize, length: u32): bool {
  if (length === 0 || length > KEY_BYTES) return false;
  for (let i: u32 = 0; i < length; i++) {
    const byte: u32 = load<u8>(text + i);
    const letter = (byte | 0x20) - 0x61 < 26;
    if (!letter && byte - 0x30 >= 10 && byte !== 0x2d && byte !== 0x5f) return false;
  }
  return true;
}
