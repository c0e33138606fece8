/**
 * The cache of results between searches. Results are derived from postings, and segments never change, so results stay valid.
 * Admission by ski rental: a result is cached once searches have spent as much without it as making it costs. So all searches
 * together spend at most twice the optimum.
 * Eviction: when the cache is full and its results have been read often enough, all are dropped at once. Until then new results
 * go to an overflow area, which is cleared whenever it is full, so that a search can always cache its own results.
 */
import { allocCache, cacheLeft, cacheReset, cacheRoom } from '../runtime/arena';
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
const OVERFLOW_SHARE: usize = 4;
const ALIGNMENT_MASK: usize = 15;
/** Number of results with an account of what is spent without them, a power of two. Results with the same hash replace each other's account. */
const ACCOUNTS: u32 = 4096;

/** What searches have spent without a result, in postings read. */
@unmanaged
class Account {
  spent: f64;
  /** hash of the key of the result */
  hash: u32;
}

// State of this instance, which ranks one search at a time.
let table: usize = 0;
let accounts: usize = 0;
let results: u32 = 0;
let reads: u32 = 0;
/** whether an allocation has failed */
let full: bool = false;
/** The overflow area: its table (0: no memory for it), its free memory, and whether an allocation there has failed. */
let overflow: usize = 0;
let overflowTop: usize = 0;
let overflowEnd: usize = 0;
let overflowFull: bool = false;
/** incremented whenever the cache is cleared */
let generation: u32 = 0;

/** To be called at the start of a search, never during one: clears the cache when it is full and was read often enough. */
export function cacheBegin(): void {
  if (overflowFull && table !== 0) clearOverflow();
  if (table !== 0 && !(full && reads >= results * READS_BEFORE_DROP)) return;
  cacheReset();
  generation++;
  results = 0;
  reads = 0;
  full = false;
  table = allocCache(TABLE_BYTES);
  accounts = table === 0 ? 0 : allocCache(<usize>ACCOUNTS * offsetof<Account>());
  if (accounts === 0) {
    table = 0;
    return;
  }
  const overflowBytes = cacheRoom() / OVERFLOW_SHARE;
  overflow = overflowBytes > TABLE_BYTES ? allocCache(overflowBytes) : 0;
  overflowEnd = overflow + overflowBytes;
  clearOverflow();
  tableClear(table);
  memory.fill(accounts, 0, <usize>ACCOUNTS * offsetof<Account>());
}

function clearOverflow(): void {
  overflowFull = false;
  overflowTop = overflow + TABLE_BYTES;
  if (overflow !== 0) tableClear(overflow);
}

/** Clears the cache; to be called between two searches. */
export function cacheClear(): void {
  table = 0;
}

/** The generation of the cache: results of another generation are no longer in memory. */
export function cacheGeneration(): u32 {
  return generation;
}

function accountOf(key: usize): Account {
  const hash = keyHash(changetype<Buffer>(key).data, changetype<Buffer>(key).length);
  const account = changetype<Account>(accounts + <usize>(hash & (ACCOUNTS - 1)) * offsetof<Account>());
  if (account.hash !== hash) {
    account.hash = hash;
    account.spent = 0;
  }
  return account;
}

function find(key: usize): usize {
  if (table === 0) return 0;
  const found = tableFind(table, key);
  return found !== 0 || overflow === 0 ? found : tableFind(overflow, key);
}

/** The cached result of a key (a Buffer), or 0. */
export function cacheFind(key: usize): usize {
  const found = find(key);
  if (found !== 0) reads++;
  return found;
}

/** The same of a result that every search reads: it does not count as a read, so it says nothing about the use of the others. */
export function cacheFindCommon(key: usize): usize {
  return find(key);
}

/** Whether a result is cached. Does not count as a read. */
export function isCached(key: usize): bool {
  return find(key) !== 0;
}

/** Records what a search spends without a result, in postings read. Returns the sum of all searches. */
export function cacheSpend(key: usize, spending: f64): f64 {
  if (table === 0) return 0;
  const account = accountOf(key);
  account.spent += spending;
  return account.spent;
}

/** What searches have spent so far without a result, in postings read. */
export function cacheSpent(key: usize): f64 {
  return table === 0 ? 0 : accountOf(key).spent;
}

/** Whether there is room for a result of about `bytes` bytes. */
export function cacheAdmits(key: usize, bytes: usize): bool {
  if (table === 0 || bytes > cacheRoom() / MAX_RESULT_SHARE) return false;
  const needed = bytes + entryBytes(key);
  if (needed <= cacheLeft()) return true;
  full = true;
  if (overflow !== 0 && needed <= overflowEnd - overflowTop) return true;
  overflowFull = true;
  accountOf(key).spent = 0;
  return false;
}

/** Reserves memory for a result or a part of it, aligned to 16 bytes; 0 when there is none. */
export function cacheAlloc(bytes: usize): usize {
  const at = allocCache(bytes);
  if (at !== 0) return at;
  full = true;
  return allocOverflow(bytes);
}

function allocOverflow(bytes: usize): usize {
  const at = (overflowTop + ALIGNMENT_MASK) & ~ALIGNMENT_MASK;
  if (overflow === 0 || at > overflowEnd || bytes > overflowEnd - at) {
    overflowFull = true;
    return 0;
  }
  overflowTop = at + bytes;
  return at;
}

/** Adds a result in memory from {@link cacheAlloc} and returns it; 0 when there was no memory for it. */
export function cacheAdd(key: usize, made: usize): usize {
  accountOf(key).spent = 0;
  if (made === 0) return 0;
  const isOverflow = overflow !== 0 && made >= overflow && made < overflowEnd;
  const entry = isOverflow ? <usize>0 : allocCache(entryBytes(key));
  const at = entry !== 0 ? entry : allocOverflow(entryBytes(key));
  if (at === 0) return 0;
  tableAdd(entry !== 0 ? table : overflow, at, key, made);
  if (entry !== 0) results++;
  else full = true;
  return made;
}
