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

let found: u32 = 0;
let foundAt: usize = 0;
let foundLength: u32 = 0;

/** The id of a document, or what was found in its place. */
@unmanaged
export class DocumentKey {
  /**
   * KEY_MISSING: the document has no such member; KEY_OK; otherwise the value is not a valid id, or several members match a
   * dotted key
   */
  outcome: u32;
  /** the id, or the invalid value */
  text: usize;
  length: u32;
}

/** Finds the id. `path`: the primary key in UTF-8. */
export function jsonDocumentKey(json: usize, length: u32, path: usize, pathLength: u32): DocumentKey {
  const key = changetype<DocumentKey>(alloc(offsetof<DocumentKey>()));
  found = 0;
  findMember(json, length, path, pathLength);
  key.text = foundAt;
  key.length = foundLength;
  key.outcome = found === 0 ? KEY_MISSING : found > 1 ? KEY_INVALID : readKey(key);
  return key;
}

/** Takes the escapes out of a text. */
function readKey(key: DocumentKey): u32 {
  if (load<u8>(foundAt) !== QUOTE) return isWholeNumber(foundAt, foundLength) ? KEY_OK : KEY_INVALID;
  const text = alloc(foundLength);
  const textLength = unescapeString(foundAt + 1, foundLength - 2, text);
  if (!isKey(text, textLength)) return KEY_INVALID;
  key.text = text;
  key.length = textLength;
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
