/**
 * Debug builds only: every allocation in scratch memory is followed by a guard, which is checked when the memory is released, to
 * detect writes beyond the allocation. Released memory is overwritten, to detect reads after release.
 *
 *   | piece | 0xa5 … up to a multiple of 16 | Guard |
 */
const FILL: u8 = 0xa5;
const RELEASED: u8 = 0xdd;
const MAGIC: u32 = 0x6a5d6a5d;

@unmanaged
class Guard {
  magic: u32;
  /** the piece and its bytes */
  piece: usize;
  bytes: usize;
  /** the guard before, 0: none */
  before: usize;
}

/** A multiple of the alignment of allocations. */
export const GUARD_BYTES: usize = offsetof<Guard>();

let last: usize = 0;

/** To be called when scratch memory is empty. */
export function guardsBegin(): void {
  last = 0;
}

/** Places the guard of an allocation, and fills the gap before it. */
export function guardPlace(piece: usize, bytes: usize, at: usize): void {
  memory.fill(piece + bytes, FILL, at - piece - bytes);
  const guard = changetype<Guard>(at);
  guard.magic = MAGIC;
  guard.piece = piece;
  guard.bytes = bytes;
  guard.before = last;
  last = at;
}

/** Removes the guard of the last allocation, which is about to grow. */
export function guardLift(piece: usize): void {
  const guard = changetype<Guard>(last);
  assert(guard.magic === MAGIC && guard.piece === piece, 'only the last allocation can grow');
  last = guard.before;
}

/** Checks the guards of the allocations from `mark` on, and overwrites these up to `top`. */
export function guardsRelease(mark: usize, top: usize): void {
  while (last >= mark && last < top) {
    const guard = changetype<Guard>(last);
    assert(guard.magic === MAGIC, 'a guard of scratch memory was overwritten');
    for (let at = guard.piece + guard.bytes; at < last; at++)
      assert(load<u8>(at) === FILL, 'scratch memory was written beyond the end of an allocation');
    last = guard.before;
  }
  if (top > mark) memory.fill(mark, RELEASED, top - mark);
}
