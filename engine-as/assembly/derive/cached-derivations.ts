/** A cache of derivations between searches, by word and state of the index, in its own part of the memory of the cache. */
import { cacheGeneration } from '../cache/cache';
import { allocCache, cacheRoom } from '../runtime/arena';
import { entryBytes, TABLE_BYTES, tableAdd, tableClear, tableFind } from '../runtime/key-table';
import { Derivations } from './derivations';
import { copyRuns, runsBytes } from './runs';

/** Share of the memory of the cache for derivations, as 1/n. */
const SHARE: usize = 8;
const ALIGNMENT_MASK: usize = 15;

// Valid in one generation of the memory of the cache.
let generation: u32 = 0;
let start: usize = 0;
let top: usize = 0;
let end: usize = 0;
let full: bool = false;

/** To be called at the start of a search, never during one: clears the cache when it has become full. */
export function cachedDerivationsBegin(): void {
  if (generation !== cacheGeneration()) {
    generation = cacheGeneration();
    const bytes = cacheRoom() / SHARE;
    start = bytes > TABLE_BYTES ? allocCache(bytes) : 0;
    end = start + bytes;
    full = true;
  }
  if (start === 0 || !full) return;
  tableClear(start);
  top = start + TABLE_BYTES;
  full = false;
}

/** Derivations by key; 0 when they are not cached. */
export function cachedDerivations(key: usize): usize {
  return start === 0 ? 0 : tableFind(start, key);
}

function reserve(bytes: usize): usize {
  const at = top;
  const next = (at + bytes + ALIGNMENT_MASK) & ~ALIGNMENT_MASK;
  if (next > end) return 0;
  top = next;
  return at;
}

export function cacheDerivations(key: usize, derivations: Derivations): void {
  if (start === 0) return;
  const at = reserve(bytesOf(derivations));
  const entry = at === 0 ? <usize>0 : reserve(entryBytes(key));
  if (entry === 0) {
    full = true;
    return;
  }
  const copy = changetype<Derivations>(at);
  memory.copy(at, changetype<usize>(derivations), offsetof<Derivations>());
  let runs = at + offsetof<Derivations>();
  copy.exact = copyRuns(derivations.exact, runs);
  runs += runsBytes(derivations.exact);
  copy.prefixes = copyRuns(derivations.prefixes, runs);
  runs += runsBytes(derivations.prefixes);
  copy.one = copyRuns(derivations.one, runs);
  runs += runsBytes(derivations.one);
  copy.two = copyRuns(derivations.two, runs);
  // Belongs to the search that found it.
  copy.splitDocuments = 0;
  tableAdd(start, entry, key, at);
}

function bytesOf(derivations: Derivations): usize {
  return (
    offsetof<Derivations>() +
    runsBytes(derivations.exact) +
    runsBytes(derivations.prefixes) +
    runsBytes(derivations.one) +
    runsBytes(derivations.two)
  );
}
