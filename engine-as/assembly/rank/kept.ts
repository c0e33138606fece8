/**
 * The cache of results between searches. Results are derived from postings, and segments never change, so results stay valid.
 * Admission by ski rental: a result is cached once searches have spent as much without it as making it costs. So all searches
 * together spend at most twice the optimum.
 * Eviction: when the cache is full and its results have been read often enough, all are dropped at once. Until then new results
 * go to an overflow area, which is cleared whenever it is full, so that a search can always cache its own results.
 */
import { allocKept, keptLeft, keptReset, keptRoom } from '../runtime/arena';
import { Buffer } from '../runtime/buffer';
import { entryBytes, keyHash, TABLE_BYTES, tableAdd, tableClear, tableFind } from '../runtime/key-table';

/** Largest share of the memory for one result, as 1/n. */
const MAX_RESULT_SHARE: usize = 8;
/**
 * Reads per cached result before the cache may be cleared. If it was cleared earlier, making the results would cost more than
 * they saved.
 */
const READS_BEFORE_DROP: u32 = 4;
/** Share of the memory for the overflow area, as 1/n. */
const PASSING_PART: usize = 4;
const ALIGNMENT_MASK: usize = 15;
/** Number of results whose spending is recorded, a power of two. A result that hashes to the same entry resets the spending. */
const SAVINGS: u32 = 4096;

/** What searches have spent without a result. */
@unmanaged
class Saving {
  spent: f64;
  /** hash of the key of the result */
  hash: u32;
}

// State of this instance, which ranks one search at a time.
let table: usize = 0;
let savings: usize = 0;
let results: u32 = 0;
let reads: u32 = 0;
/** whether an allocation has failed */
let full: bool = false;
/** The overflow area: its table (0: no memory for it), its free memory, and whether an allocation there has failed. */
let passing: usize = 0;
let passingTop: usize = 0;
let passingEnd: usize = 0;
let passingFull: bool = false;
/** incremented whenever the cache is cleared */
let generation: u32 = 0;

/** To be called at the start of a search, never during one: clears the cache when it is full and was read often enough. */
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

/** Clears the cache; to be called between two searches. */
export function keptForget(): void {
  table = 0;
}

/** The generation of the cache: results of another generation are no longer in memory. */
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

/** The cached result of a key (a Buffer), or 0. */
export function keptFind(key: usize): usize {
  const found = find(key);
  if (found !== 0) reads++;
  return found;
}

/** Whether a result is cached. Does not count as a read. */
export function isKept(key: usize): bool {
  return find(key) !== 0;
}

/** Records what a search spends without a result. Returns the sum of all searches. */
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

/** Reserves memory for a result or a part of it, aligned to 16 bytes; 0 when there is none. */
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

/** Adds a result in memory from {@link keptAlloc} and returns it; 0 when there was no memory for it. */
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
