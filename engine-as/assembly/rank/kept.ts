/**
 * What was worked out of the postings of segments, kept from search to search: segments never change. A result is made once searches
 * have spent as much for want of it as it costs, so that all of them together never spend more than twice what was best. When the
 * room is used up everything is dropped at once, if it was of use; until then further results pass through a part of the room that is
 * emptied whenever it is used up, so that a search finds room for its own.
 */
import { allocKept, keptLeft, keptReset, keptRoom } from '../runtime/arena';
import { Buffer } from '../runtime/buffer';
import { entryBytes, keyHash, TABLE_BYTES, tableAdd, tableClear, tableFind } from '../runtime/key-table';

/** One result may take this part of the room at most. */
const MAX_RESULT_SHARE: usize = 8;
/** A kept result may be dropped after this many reads per result it holds; dropped earlier, it would cost more to make than it saved. */
const READS_BEFORE_DROP: u32 = 4;
/** The part of the room through which results pass. */
const PASSING_PART: usize = 4;
const ALIGNMENT_MASK: usize = 15;
/** Results that are saved for: a power of two. Another one in its place takes a result's savings away. */
const SAVINGS: u32 = 4096;

/** What searches have spent for want of a result. */
@unmanaged
class Saving {
  spent: f64;
  /** of its key */
  hash: u32;
}

// of the instance: it ranks one search at a time
let table: usize = 0;
let savings: usize = 0;
let results: u32 = 0;
let reads: u32 = 0;
/** something found no room */
let full: bool = false;
/** Of the results that pass: their table, 0: there is no room for them; what is free; and whether something found no room there either. */
let passing: usize = 0;
let passingTop: usize = 0;
let passingEnd: usize = 0;
let passingFull: bool = false;
/** grows by one whenever everything is dropped */
let generation: u32 = 0;

/** At the start of a search, never within one: drops everything when the room is used up and what is there was of use. */
export function keptBegin(): void {
  if (passingFull && table !== 0) clearPassing();
  if (table !== 0 && !(full && reads >= results * READS_BEFORE_DROP)) return;
  keptReset();
  generation++;
  results = 0;
  reads = 0;
  full = false;
  table = allocKept(TABLE_BYTES);
  savings = table === 0 ? 0 : allocKept(<usize>SAVINGS * offsetof<Saving>());
  if (savings === 0) {
    table = 0;
    return;
  }
  const passingBytes = keptRoom() / PASSING_PART;
  passing = passingBytes > TABLE_BYTES ? allocKept(passingBytes) : 0;
  passingEnd = passing + passingBytes;
  clearPassing();
  tableClear(table);
  memory.fill(savings, 0, <usize>SAVINGS * offsetof<Saving>());
}

function clearPassing(): void {
  passingFull = false;
  passingTop = passing + TABLE_BYTES;
  if (passing !== 0) tableClear(passing);
}

/** Drops everything, between two searches. */
export function keptForget(): void {
  table = 0;
}

/** Which of the times between two droppings it is. */
export function keptGeneration(): u32 {
  return generation;
}

function savingOf(key: usize): Saving {
  const hash = keyHash(changetype<Buffer>(key).data, changetype<Buffer>(key).length);
  const saving = changetype<Saving>(savings + <usize>(hash & (SAVINGS - 1)) * offsetof<Saving>());
  if (saving.hash !== hash) {
    saving.hash = hash;
    saving.spent = 0;
  }
  return saving;
}

function find(key: usize): usize {
  if (table === 0) return 0;
  const found = tableFind(table, key);
  return found !== 0 || passing === 0 ? found : tableFind(passing, key);
}

/** A result by its key (a Buffer), 0 when it is not there. */
export function keptFind(key: usize): usize {
  const found = find(key);
  if (found !== 0) reads++;
  return found;
}

/** Is a result there? It does not count as read. */
export function isKept(key: usize): bool {
  return find(key) !== 0;
}

/** Notes what a search spends for want of a result; answers what all have spent. */
export function keptSpend(key: usize, spending: f64): f64 {
  if (table === 0) return 0;
  const saving = savingOf(key);
  saving.spent += spending;
  return saving.spent;
}

/** Whether there is room for a result of about `bytes` bytes. */
export function keptAdmits(key: usize, bytes: usize): bool {
  if (table === 0 || bytes > keptRoom() / MAX_RESULT_SHARE) return false;
  const needed = bytes + entryBytes(key);
  if (needed <= keptLeft()) return true;
  full = true;
  if (passing !== 0 && needed <= passingEnd - passingTop) return true;
  passingFull = true;
  savingOf(key).spent = 0;
  return false;
}

/** Reserves room for a result, or a part of one, aligned to 16; 0 when there is none. */
export function keptAlloc(bytes: usize): usize {
  const at = allocKept(bytes);
  if (at !== 0) return at;
  full = true;
  return allocPassing(bytes);
}

function allocPassing(bytes: usize): usize {
  const at = (passingTop + ALIGNMENT_MASK) & ~ALIGNMENT_MASK;
  if (passing === 0 || at > passingEnd || bytes > passingEnd - at) {
    passingFull = true;
    return 0;
  }
  passingTop = at + bytes;
  return at;
}

/** Adds a result that stands in memory from {@link keptAlloc}, and answers it; 0 when there was no room to make it. */
export function keptAdd(key: usize, made: usize): usize {
  savingOf(key).spent = 0;
  if (made === 0) return 0;
  const passes = passing !== 0 && made >= passing && made < passingEnd;
  const kept = passes ? <usize>0 : allocKept(entryBytes(key));
  const at = kept !== 0 ? kept : allocPassing(entryBytes(key));
  if (at === 0) return 0;
  tableAdd(kept !== 0 ? table : passing, at, key, made);
  if (kept !== 0) results++;
  else full = true;
  return made;
}
