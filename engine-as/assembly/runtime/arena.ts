/**
 * Memory of one engine instance: two bump arenas whose bounds the host hands over. Nothing is freed piece by piece.
 *
 *   start        persistentStart                persistentEnd = scratchStart                     scratchEnd
 *   | work block | tokenizers, caches of the instance | what one query or one build needs            |
 *
 * The bounds are instance globals (WebAssembly globals, not memory), so instances that share a memory do not disturb each other.
 * Running out of memory is a trap: the host replaces the instance and answers with an error.
 */

import { GUARD_BYTES, guardLift, guardPlace, guardsBegin, guardsRelease } from './guards';

const PAGE_BYTES: usize = 65536;
const ALIGNMENT_MASK: usize = 15;
/** Small buffers of the hot loops (the token being normalised): always there, so nothing has to be reserved per text. */
export const WORK_BYTES: usize = 262144;

let workStart: usize = 0;
let persistentStart: usize = 0;
let persistentTop: usize = 0;
let persistentEnd: usize = 0;
let scratchTop: usize = 0;
let scratchEnd: usize = 0;
let scratchGrows: bool = false;

/**
 * Sets the bounds (byte addresses, multiples of 16). `grows`: scratch is the end of a private memory and may grow it.
 */
export function arenaInit(start: usize, persistentBytes: usize, end: usize, grows: bool): void {
  workStart = start;
  persistentStart = start + WORK_BYTES;
  persistentTop = persistentStart;
  persistentEnd = persistentStart + persistentBytes;
  scratchTop = persistentEnd;
  scratchEnd = end;
  scratchGrows = grows;
  if (!ASC_NO_ASSERT) guardsBegin();
}

/** The {@link WORK_BYTES} bytes that belong to the instance; engine-as/assembly/text uses them. */
export function workBlock(): usize {
  return workStart;
}

/** Reserves `bytes` of scratch, aligned to 16, content undefined. */
export function alloc(bytes: usize): usize {
  const at = scratchTop;
  let top = (at + bytes + ALIGNMENT_MASK) & ~ALIGNMENT_MASK;
  if (!ASC_NO_ASSERT) top += GUARD_BYTES;
  if (top > scratchEnd) {
    if (!scratchGrows) unreachable();
    const missing = top - scratchEnd;
    // by a quarter of what is there, so that many small requests grow the memory rarely
    let pages = (missing + PAGE_BYTES - 1) / PAGE_BYTES;
    const quarter = (scratchEnd / PAGE_BYTES) >> 2;
    if (quarter > pages && memory.grow(<i32>quarter) >= 0) pages = quarter;
    else if (memory.grow(<i32>pages) < 0) unreachable();
    scratchEnd += pages * PAGE_BYTES;
  }
  scratchTop = top;
  if (!ASC_NO_ASSERT) guardPlace(at, bytes, top - GUARD_BYTES);
  return at;
}

/** Makes the piece that was reserved last `bytes` long, where it stands. */
export function allocMore(piece: usize, bytes: usize): void {
  if (!ASC_NO_ASSERT) guardLift(piece);
  scratchTop = piece;
  alloc(bytes);
}

/** Like {@link alloc}, filled with zeros. */
export function allocZeroed(bytes: usize): usize {
  const at = alloc(bytes);
  memory.fill(at, 0, bytes);
  return at;
}

/** Where scratch stands now; give it to {@link arenaReset} to release all that was reserved since. */
export function arenaMark(): usize {
  return scratchTop;
}

export function arenaReset(mark: usize): void {
  if (!ASC_NO_ASSERT) {
    assert(mark >= persistentEnd && mark <= scratchTop, 'scratch is reset to what it never was');
    guardsRelease(mark, scratchTop);
  }
  scratchTop = mark;
}

/** Reserves `bytes` that live until {@link persistentReset}; 0 when there is no room. */
export function allocPersistent(bytes: usize): usize {
  const at = persistentTop;
  const top = (at + bytes + ALIGNMENT_MASK) & ~ALIGNMENT_MASK;
  if (top > persistentEnd) return 0;
  persistentTop = top;
  return at;
}

/** Drops tokenizers and caches; whoever holds handles to them must make them anew. */
export function persistentReset(): void {
  persistentTop = persistentStart;
}

/** Bytes of the persistent arena, used or not. */
export function persistentRoom(): usize {
  return persistentEnd - persistentStart;
}

export function persistentLeft(): usize {
  return persistentEnd - persistentTop;
}
