/** Derivations are kept from search to search, by words and the state of the index: in a part of the kept memory of their own. */
import { keptGeneration } from '../rank/kept';
import { allocKept, keptRoom } from '../runtime/arena';
import { entryBytes, TABLE_BYTES, tableAdd, tableClear, tableFind } from '../runtime/key-table';
import { Derivations } from './derivations';
import { copyRuns, runsBytes } from './runs';

/** The part of the kept memory that derivations may take. */
const SHARE: usize = 8;
const ALIGNMENT_MASK: usize = 15;

// of the instance, valid in one generation of the kept memory
let generation: u32 = 0;
let start: usize = 0;
let top: usize = 0;
let end: usize = 0;
let full: bool = false;

/** At the start of a search, never within one: forgets everything when there was no room for more. */
export function keptDerivationsBegin(): void {
  if (generation !== keptGeneration()) {
    generation = keptGeneration();
    const bytes = keptRoom() / SHARE;
    start = bytes > TABLE_BYTES ? allocKept(bytes) : 0;
    end = start + bytes;
    full = true;
  }
  if (start === 0 || !full) return;
  tableClear(start);
  top = start + TABLE_BYTES;
  full = false;
}

/** Derivations by their key, 0 when they are not there. */
export function keptDerivations(key: usize): usize {
  return start === 0 ? 0 : tableFind(start, key);
}

function reserve(bytes: usize): usize {
  const at = top;
  const next = (at + bytes + ALIGNMENT_MASK) & ~ALIGNMENT_MASK;
  if (next > end) return 0;
  top = next;
  return at;
}

export function keepDerivations(key: usize, derivations: Derivations): void {
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
