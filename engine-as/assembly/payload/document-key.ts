/** The ids of documents: the values of their primary key; and which reserved members documents have. */

import {
  jsonMemberFirst,
  jsonMemberName,
  jsonMemberNameLength,
  jsonMemberNext,
  jsonMemberValue,
  jsonMemberValueLength,
} from '../json/members';
import { isWholeNumber } from '../json/number';
import { OPEN_OBJECT, QUOTE } from '../json/signs';
import { unescapeString } from '../json/strings';
import { alloc } from '../runtime/arena';
import { Buffer, bufferCreate, bufferRoom } from '../runtime/buffer';
import { beginMembers, reservedMembers, seeMember } from './reserved';

export const KEY_MISSING: u32 = 0;
export const KEY_OK: u32 = 1;
const KEY_INVALID: u32 = 2;

const KEY_BYTES: u32 = 511;
const DOT: u32 = 0x2e;

let found: u32 = 0;
let foundAt: usize = 0;
let foundLength: u32 = 0;

/** The ids of consecutive documents up to the first that has no valid one. */
@unmanaged
export class DocumentKeys {
  /** number of documents before the first without a valid id */
  count: u32;
  /** their ids, concatenated, and u32[count]: the end of each */
  bytes: usize;
  ends: usize;
  /** KEY_OK: all have ids. KEY_MISSING: the next one has no such member. Otherwise its value is not a valid id, or several members match */
  outcome: u32;
  /** the value that is not a valid id */
  text: usize;
  length: u32;
  /** RESERVED_* of all documents that were read, combined; and u8[]: of each, including the one without a valid id */
  reserved: u32;
  reservedOf: usize;
}

/** Finds ids. `places`: for each document u32 offset from `json` and u32 end; `path`: the primary key in UTF-8. */
export function jsonDocumentKeys(json: usize, places: usize, count: u32, path: usize, pathLength: u32): DocumentKeys {
  const keys = changetype<DocumentKeys>(alloc(offsetof<DocumentKeys>()));
  const bytes = bufferCreate(1 << 12);
  keys.ends = alloc((<usize>count) << 2);
  keys.count = 0;
  keys.outcome = KEY_OK;
  keys.reserved = 0;
  keys.reservedOf = alloc(count);
  for (let i: u32 = 0; i < count; i++) {
    const place = places + ((<usize>i) << 3);
    const start: usize = load<u32>(place);
    found = 0;
    beginMembers();
    findMember(json + start, load<u32>(place, 4) - <u32>start, path, pathLength, true);
    const reserved = reservedMembers();
    keys.reserved |= reserved;
    store<u8>(keys.reservedOf + i, reserved);
    keys.outcome = found === 0 ? KEY_MISSING : found > 1 ? KEY_INVALID : readKey(bytes);
    if (keys.outcome !== KEY_OK) {
      keys.text = foundAt;
      keys.length = foundLength;
      break;
    }
    store<u32>(keys.ends + ((<usize>i) << 2), <u32>changetype<Buffer>(bytes).length);
    keys.count++;
  }
  keys.bytes = changetype<Buffer>(bytes).data;
  return keys;
}

/** Appends the id that was found, without escapes. */
function readKey(bytes: usize): u32 {
  const room = bufferRoom(bytes, foundLength);
  let length = foundLength;
  if (load<u8>(foundAt) === QUOTE) {
    length = unescapeString(foundAt + 1, foundLength - 2, room);
    if (!isKey(room, length)) return KEY_INVALID;
  } else {
    if (!isWholeNumber(foundAt, foundLength)) return KEY_INVALID;
    memory.copy(room, foundAt, length);
  }
  changetype<Buffer>(bytes).length += length;
  return KEY_OK;
}

/**
 * Counts the members that a path leads to: a member named like the whole path, and below every object whose name is the path up
 * to one of its dots. Of members with the same name the last counts.
 * @param isRoot `json` is a document
 */
function findMember(json: usize, length: u32, path: usize, pathLength: u32, isRoot: bool): void {
  let notes = isRoot;
  for (let dot: u32 = 0; dot <= pathLength; dot++) {
    if (dot < pathLength && load<u8>(path + dot) !== DOT) continue;
    let value: usize = 0;
    let valueLength: u32 = 0;
    for (let more = jsonMemberFirst(json, length); more; more = jsonMemberNext()) {
      if (notes) seeMember(jsonMemberName(), jsonMemberNameLength(), jsonMemberValue(), jsonMemberValueLength());
      if (jsonMemberNameLength() !== dot || memory.compare(jsonMemberName(), path, dot) !== 0) continue;
      value = jsonMemberValue();
      valueLength = jsonMemberValueLength();
    }
    notes = false;
    if (!value) continue;
    if (dot === pathLength) {
      found++;
      foundAt = value;
      foundLength = valueLength;
    } else if (load<u8>(value) === OPEN_OBJECT) {
      findMember(value, valueLength, path + dot + 1, pathLength - dot - 1, false);
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
