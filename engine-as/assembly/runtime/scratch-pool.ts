/**
 * Scratch memory beyond an instance's own: runs of units shared by the instances over one memory. A table has the owner of each
 * unit, so that the units of an instance that ended can be freed.
 *
 *   table: u32[count], 0: free, else its owner      units: count × UNIT_BYTES
 *
 * Units are claimed one by one with compare-and-exchange, without a lock that a terminated thread could leave held.
 */
export const UNIT_BYTES: usize = 262144;

let table: usize = 0;
let units: usize = 0;
let count: u32 = 0;
let owner: u32 = 0;

/**
 * `tableAt` and `unitsAt`: addresses; `unitCount` 0: there is no pool. Frees units that an earlier instance of this owner (not 0)
 * held.
 */
export function scratchPoolInit(tableAt: usize, unitsAt: usize, unitCount: u32, ownerNumber: u32): void {
  table = tableAt;
  units = unitsAt;
  count = unitCount;
  owner = ownerNumber;
  for (let unit: u32 = 0; unit < count; unit++) {
    if (load<u32>(entryOf(unit)) === owner) freeUnit(unit);
  }
}

function entryOf(unit: u32): usize {
  return table + ((<usize>unit) << 2);
}

function claim(unit: u32): bool {
  const entry = entryOf(unit);
  if (load<u32>(entry) !== 0) return false;
  if (ASC_FEATURE_THREADS) return atomic.cmpxchg<u32>(entry, 0, owner) === 0;
  store<u32>(entry, owner);
  return true;
}

function freeUnit(unit: u32): void {
  if (ASC_FEATURE_THREADS) atomic.store<u32>(entryOf(unit), 0);
  else store<u32>(entryOf(unit), 0);
}

/** Address of the lowest free run of at least `bytes`, 0 when there is none. */
export function scratchAlloc(bytes: usize): usize {
  const wanted = unitsFor(bytes);
  let first: u32 = 0;
  while (first + wanted <= count) {
    let taken: u32 = 0;
    while (taken < wanted && claim(first + taken)) taken++;
    if (taken === wanted) return units + <usize>first * UNIT_BYTES;
    const next = first + taken + 1;
    for (; taken > 0; taken--) freeUnit(first + taken - 1);
    first = next;
  }
  return 0;
}

/** Frees a run of at least `bytes`. */
export function scratchFree(at: usize, bytes: usize): void {
  const first = <u32>((at - units) / UNIT_BYTES);
  for (let unit = first + unitsFor(bytes); unit > first; unit--) freeUnit(unit - 1);
}

function unitsFor(bytes: usize): u32 {
  return <u32>((bytes + UNIT_BYTES - 1) / UNIT_BYTES);
}
