/** Members of a JSON object (valid text): a cursor, and a table in which the last value of a name wins. */
import { alloc } from '../runtime/arena';
import { Buffer, bufferCreate, bufferPush32, bufferRoom } from '../runtime/buffer';
import { DEEP, findExtents, skipListed } from './extents';
import { FIELD_LIMIT } from './paths';
import { CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './signs';
import { stringEnd, stringEscaped, unescapeString } from './strings';
import { skipBlanks, skipValue } from './values';

// The cursor: one per instance; invalid after a walk over another object.
let cursorAt: usize = 0;
let cursorEnd: usize = 0;
let cursorExtents: usize = 0;
let rawNameAt: usize = 0;
let rawNameLength: u32 = 0;
let nameAt: usize = 0;
let nameLength: u32 = 0;
let valueAt: usize = 0;
let valueEnd: usize = 0;

/** Moves the cursor to the first member of an object; false when it has none. @param extents of its values, 0: not known */
export function jsonMemberFirst(json: usize, length: u32, extents: usize = 0): bool {
  cursorEnd = json + length;
  cursorExtents = extents;
  cursorAt = skipBlanks(json, cursorEnd) + 1;
  return jsonMemberNext();
}

export function jsonMemberNext(): bool {
  const at = skipBlanks(cursorAt, cursorEnd);
  if (at >= cursorEnd || load<u8>(at) !== QUOTE) return false;
  rawNameAt = at + 1;
  const close = stringEnd(rawNameAt, cursorEnd);
  rawNameLength = <u32>(close - rawNameAt);
  nameAt = rawNameAt;
  nameLength = rawNameLength;
  if (stringEscaped()) {
    nameAt = alloc(rawNameLength);
    nameLength = unescapeString(rawNameAt, rawNameLength, nameAt);
  }
  valueAt = skipBlanks(skipBlanks(close + 1, cursorEnd) + 1, cursorEnd);
  valueEnd = skipListed(valueAt, cursorEnd, cursorExtents);
  cursorAt = skipBlanks(valueEnd, cursorEnd) + 1;
  return true;
}

/** Address of the name, without escapes. */
export function jsonMemberName(): usize {
  return nameAt;
}

export function jsonMemberNameLength(): u32 {
  return nameLength;
}

/** Address of the value. */
export function jsonMemberValue(): usize {
  return valueAt;
}

export function jsonMemberValueLength(): u32 {
  return <u32>(valueEnd - valueAt);
}

/** Names of the members of an object, unescaped, in order. */
@unmanaged
export class MemberNames {
  /** (u32 address, u32 length) of each */
  list: usize;
  count: u32;
}

export function jsonMemberNames(json: usize, length: u32): MemberNames {
  const list = bufferCreate(256);
  for (let more = jsonMemberFirst(json, length); more; more = jsonMemberNext()) {
    bufferPush32(list, <u32>nameAt);
    bufferPush32(list, nameLength);
  }
  const names = changetype<MemberNames>(alloc(offsetof<MemberNames>()));
  names.list = changetype<Buffer>(list).data;
  names.count = <u32>(changetype<Buffer>(list).length >> 3);
  return names;
}

@unmanaged
class Member {
  /** as written, between the quotes */
  rawName: usize;
  rawNameLength: u32;
  name: usize;
  nameLength: u32;
  hash: u32;
  value: usize;
  valueLength: u32;
}

/** Members in order of their first appearance, found by name through a hash table. */
@unmanaged
class MemberTable {
  /** Buffer of Member */
  members: usize;
  count: u32;
  /** u32[mask + 1]: number of a member + 1, or 0 */
  slots: usize;
  mask: u32;
}

function memberAt(table: MemberTable, index: u32): Member {
  return changetype<Member>(changetype<Buffer>(table.members).data + <usize>index * offsetof<Member>());
}

function tableCreate(): MemberTable {
  const table = changetype<MemberTable>(alloc(offsetof<MemberTable>()));
  table.members = bufferCreate(16 * offsetof<Member>());
  table.count = 0;
  tableSlots(table, 31);
  return table;
}

function tableSlots(table: MemberTable, mask: u32): void {
  table.mask = mask;
  const bytes = (<usize>mask + 1) << 2;
  table.slots = alloc(bytes);
  memory.fill(table.slots, 0, bytes);
  for (let i: u32 = 0; i < table.count; i++) {
    let slot = memberAt(table, i).hash & mask;
    while (load<u32>(table.slots + ((<usize>slot) << 2))) slot = (slot + 1) & mask;
    store<u32>(table.slots + ((<usize>slot) << 2), i + 1);
  }
}

/** FNV-1a */
function hashName(name: usize, length: u32): u32 {
  let hash: u32 = 0x811c9dc5;
  for (let i: u32 = 0; i < length; i++) hash = (hash ^ load<u8>(name + i)) * 0x01000193;
  return hash ^ (hash >>> 15);
}

/** Adds the cursor's member to the table, replacing the value of an equal name. */
function tablePut(table: MemberTable): void {
  const hash = hashName(nameAt, nameLength);
  let slot = hash & table.mask;
  while (true) {
    const number = load<u32>(table.slots + ((<usize>slot) << 2));
    if (!number) break;
    const known = memberAt(table, number - 1);
    if (known.hash === hash && known.nameLength === nameLength && memory.compare(known.name, nameAt, nameLength) === 0) {
      known.value = valueAt;
      known.valueLength = <u32>(valueEnd - valueAt);
      return;
    }
    slot = (slot + 1) & table.mask;
  }
  const member = changetype<Member>(bufferRoom(table.members, offsetof<Member>()));
  changetype<Buffer>(table.members).length += offsetof<Member>();
  member.rawName = rawNameAt;
  member.rawNameLength = rawNameLength;
  member.name = nameAt;
  member.nameLength = nameLength;
  member.hash = hash;
  member.value = valueAt;
  member.valueLength = <u32>(valueEnd - valueAt);
  store<u32>(table.slots + ((<usize>slot) << 2), ++table.count);
  if (table.count << 1 > table.mask) tableSlots(table, (table.mask << 1) | 1);
}

/** Adds all members of an object; false as soon as the table has more than `most`. */
function tablePutAll(table: MemberTable, json: usize, length: u32, most: u32, extents: usize = 0): bool {
  for (let found = jsonMemberFirst(json, length, extents); found; found = jsonMemberNext()) {
    tablePut(table);
    if (table.count > most) return false;
  }
  return true;
}

/** Writes the table as an object, without white space and repeated members in its values; returns the end. */
function tableWrite(table: MemberTable, out: usize, level: u32 = 0, extents: usize = 0): usize {
  let to = out;
  store<u8>(to++, OPEN_OBJECT);
  for (let i: u32 = 0; i < table.count; i++) {
    const member = memberAt(table, i);
    if (i > 0) store<u8>(to++, COMMA);
    store<u8>(to++, QUOTE);
    memory.copy(to, member.rawName, member.rawNameLength);
    to += member.rawNameLength;
    store<u8>(to++, QUOTE);
    store<u8>(to++, COLON);
    to = compactValue(member.value, member.value + member.valueLength, to, level + 1, extents);
  }
  store<u8>(to++, CLOSE_OBJECT);
  return to;
}

function compactValue(value: usize, end: usize, out: usize, level: u32, known: usize): usize {
  const byte: u32 = load<u8>(value);
  const extents = level === DEEP ? findExtents(value, end) : known;
  if (byte === OPEN_OBJECT) {
    const table = tableCreate();
    tablePutAll(table, value, <u32>(end - value), u32.MAX_VALUE, extents);
    return tableWrite(table, out, level, extents);
  }
  if (byte !== OPEN_ARRAY) {
    memory.copy(out, value, end - value);
    return out + (end - value);
  }
  let to = out;
  store<u8>(to++, OPEN_ARRAY);
  let at = skipBlanks(value + 1, end);
  while (load<u8>(at) !== CLOSE_ARRAY) {
    const stop = skipListed(at, end, extents);
    to = compactValue(at, stop, to, level + 1, extents);
    at = skipBlanks(stop, end);
    if (load<u8>(at) === COMMA) {
      store<u8>(to++, COMMA);
      at = skipBlanks(at + 1, end);
    }
  }
  store<u8>(to++, CLOSE_ARRAY);
  return to;
}

/**
 * Writes a JSON text without white space, and with only the last value of each repeated member, to `out` (room for both texts).
 * @param over an object whose members are replaced by those of the same name, in their places; further members follow; 0: none
 * @returns the length; 0 for an object with more members than an index may have fields, which is not read to its end
 */
export function jsonCompact(json: usize, length: u32, over: usize, overLength: u32, out: usize): u32 {
  const end = json + length;
  const start = skipBlanks(json, end);
  if (load<u8>(start) !== OPEN_OBJECT) return <u32>(compactValue(start, skipValue(start, end), out, 0, 0) - out);
  const table = tableCreate();
  if (over !== 0 && !tablePutAll(table, over, overLength, FIELD_LIMIT)) return 0;
  if (!tablePutAll(table, start, <u32>(end - start), FIELD_LIMIT)) return 0;
  return <u32>(tableWrite(table, out) - out);
}
