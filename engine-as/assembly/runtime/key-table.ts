/** Hash tables from byte keys to addresses, in memory reserved by their owners. Single entries are never removed. */
import { alloc } from './arena';
import { Buffer, bufferCreate, bufferPush32 } from './buffer';

/** Number of chains, a power of two. */
const HEADS: u32 = 4096;
/** Memory of a table. */
export const TABLE_BYTES: usize = (<usize>HEADS) << 2;

const FIRST_KEY_BYTES: usize = 64;

@unmanaged
export class KeyEntry {
  /** next one of the chain: KeyEntry */
  next: usize;
  hash: u32;
  bytes: u32;
  value: usize;
  // the key follows
}

/** A key that starts with a number; append further numbers with `bufferPush32`. */
export function keyCreate(kind: u32): usize {
  const key = bufferCreate(FIRST_KEY_BYTES);
  bufferPush32(key, kind);
  return key;
}

/** FNV-1a over words of four bytes, the last one padded with zeros. */
export function keyHash(bytes: usize, length: usize): u32 {
  let hash: u32 = 0x811c9dc5;
  let at: usize = 0;
  for (; at + 4 <= length; at += 4) hash = (hash ^ load<u32>(bytes + at)) * 0x01000193;
  let rest: u32 = 0;
  for (let shift: u32 = 0; at < length; at++, shift += 8) rest |= (<u32>load<u8>(bytes + at)) << shift;
  hash = (hash ^ rest) * 0x01000193;
  return hash ^ (hash >>> 15);
}

/** Clears a table of {@link TABLE_BYTES}. */
export function tableClear(table: usize): void {
  memory.fill(table, 0, TABLE_BYTES);
}

/** The value of a key (a Buffer), 0 when it is missing. */
export function tableFind(table: usize, keyPointer: usize): usize {
  const key = changetype<Buffer>(keyPointer);
  const hash = keyHash(key.data, key.length);
  let at: usize = load<u32>(table + ((<usize>(hash & (HEADS - 1))) << 2));
  while (at !== 0) {
    const entry = changetype<KeyEntry>(at);
    if (
      entry.hash === hash &&
      <usize>entry.bytes === key.length &&
      memory.compare(at + offsetof<KeyEntry>(), key.data, key.length) === 0
    ) {
      return entry.value;
    }
    at = entry.next;
  }
  return 0;
}

/** Size of the entry for a key. */
export function entryBytes(key: usize): usize {
  return offsetof<KeyEntry>() + changetype<Buffer>(key).length;
}

/** Adds a missing key. `at`: memory of {@link entryBytes}. */
export function tableAdd(table: usize, at: usize, keyPointer: usize, value: usize): void {
  const key = changetype<Buffer>(keyPointer);
  const entry = changetype<KeyEntry>(at);
  entry.hash = keyHash(key.data, key.length);
  entry.bytes = <u32>key.length;
  entry.value = value;
  memory.copy(at + offsetof<KeyEntry>(), key.data, key.length);
  const head = table + ((<usize>(entry.hash & (HEADS - 1))) << 2);
  entry.next = load<u32>(head);
  store<u32>(head, <u32>at);
}

/** A table in scratch memory that numbers keys in the order of their first appearance. */
export function numberTable(): usize {
  const table = alloc(TABLE_BYTES);
  tableClear(table);
  return table;
}

/** The number of a key; `next` when it was missing. */
export function keyNumber(table: usize, key: usize, next: u32): u32 {
  const known = tableFind(table, key);
  if (known !== 0) return <u32>known - 1;
  tableAdd(table, alloc(entryBytes(key)), key, <usize>next + 1);
  return next;
}
