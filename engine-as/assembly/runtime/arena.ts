/**
 * Memory of one engine instance: bump arenas with bounds that the host assigns. Allocations are not freed individually.
 *
 *   start        persistentStart          cacheBottom        persistentEnd                                    end
 *   | work block | persistent ->     ...     <- cached results | scratch: memory of one query or one build ->   |
 *
 * When scratch memory is full, it continues in the memory after it, if that is private, or in chunks of the pool that instances
 * share:
 *
 *   | Chunk | allocations |      a chunk records the state of scratch memory before it
 *
 * The bounds are instance globals (WebAssembly globals, not memory), so instances that share a memory do not disturb each other.
 * When there is no memory left, or an instance has reached its limit, an import of the host is called, which throws. The scratch
 * memory of the aborted job is released by the function that had marked it.
 */
import { GUARD_BYTES, guardLift, guardPlace, guardsBegin, guardsRelease } from './guards';
import { scratchAlloc, scratchFree, scratchPoolInit } from './scratch-pool';

/** Imported as arena.scratchExhausted: throws. `isLimit`: the instance has reached its limit; otherwise the pool is exhausted. */
declare function scratchExhausted(bytes: usize, isLimit: bool): void;

const PAGE_BYTES: usize = 65536;
const ALIGNMENT_MASK: usize = 15;
/** Size of the buffers of hot loops (the token being normalised), which are always available, so that nothing is allocated per text. */
const WORK_BYTES: usize = 262144;

@unmanaged
class Chunk {
  bytes: usize;
  /** the chunk before, 0: scratch of the instance's own; its top and end */
  before: usize;
  top: usize;
  end: usize;
}

let workStart: usize = 0;
let persistentStart: usize = 0;
let persistentTop: usize = 0;
let cacheBottom: usize = 0;
let persistentEnd: usize = 0;
let scratchTop: usize = 0;
let scratchEnd: usize = 0;
let scratchGrows: bool = false;
/** The current chunk, and the size and limit of all chunks together. */
let chunk: usize = 0;
let chunkBytes: usize = 0;
let chunkLimit: usize = 0;
/**
 * The last released chunk, kept for the next one, because a loop may allocate and release at the boundary of a chunk. 0: none.
 */
let spare: usize = 0;

/** The memory of an instance, as set by the host when creating it. Addresses are in bytes, multiples of 16. */
@unmanaged
export class InstanceBounds {
  start: usize;
  persistentBytes: usize;
  end: usize;
  /** whether scratch memory is at the end of a private memory and may grow it; otherwise it may take `limit` bytes of the pool */
  grows: bool;
  limit: usize;
  /** see scratch-pool */
  poolTable: usize;
  poolUnits: usize;
  /** 0: there is no pool */
  poolCount: u32;
  /** identifies the instance among those over the memory, not 0 */
  poolOwner: u32;
}

/** Sets the bounds; `bounds` may be inside the memory that it describes. */
export function arenaInit(bounds: InstanceBounds): void {
  workStart = bounds.start;
  persistentStart = workStart + WORK_BYTES;
  persistentTop = persistentStart;
  persistentEnd = persistentStart + bounds.persistentBytes;
  cacheBottom = persistentEnd;
  scratchTop = persistentEnd;
  scratchEnd = bounds.end;
  scratchGrows = bounds.grows;
  chunk = 0;
  chunkBytes = 0;
  chunkLimit = bounds.limit;
  spare = 0;
  scratchPoolInit(bounds.poolTable, bounds.poolUnits, bounds.poolCount, bounds.poolOwner);
  if (!ASC_NO_ASSERT) guardsBegin();
}

/** The {@link WORK_BYTES} bytes of the instance; used by engine-as/assembly/text. */
export function workBlock(): usize {
  return workStart;
}

/** Allocates `bytes` of scratch memory, aligned to 16, content undefined. */
export function alloc(bytes: usize): usize {
  // The first comparison also handles sizes that would overflow.
  if (bytes > scratchEnd - scratchTop || topAfter(bytes) > scratchEnd) makeRoom(bytes);
  const at = scratchTop;
  scratchTop = topAfter(bytes);
  if (!ASC_NO_ASSERT) guardPlace(at, bytes, scratchTop - GUARD_BYTES);
  return at;
}

/** The top of scratch memory after an allocation. */
function topAfter(bytes: usize): usize {
  const top = (scratchTop + bytes + ALIGNMENT_MASK) & ~ALIGNMENT_MASK;
  return ASC_NO_ASSERT ? top : top + GUARD_BYTES;
}

/** Makes sure that `bytes` fit. */
function makeRoom(bytes: usize): void {
  if (scratchGrows) {
    if (topAfter(bytes) < scratchTop) scratchExhausted(bytes, false);
    growMemory(topAfter(bytes) - scratchEnd);
  } else {
    if (bytes > chunkLimit) scratchExhausted(bytes, true);
    takeChunk(bytes + ALIGNMENT_MASK + offsetof<Chunk>() + GUARD_BYTES);
  }
}

function growMemory(missing: usize): void {
  // Grows by a quarter, so that many small allocations rarely grow the memory.
  let pages = (missing + PAGE_BYTES - 1) / PAGE_BYTES;
  const quarter = (scratchEnd / PAGE_BYTES) >> 2;
  if (quarter > pages && memory.grow(<i32>quarter) >= 0) pages = quarter;
  else if (memory.grow(<i32>pages) < 0) scratchExhausted(missing, false);
  scratchEnd += pages * PAGE_BYTES;
}

/** Continues in a chunk of the pool, if possible as large as all chunks before it, so that there are few. */
function takeChunk(needed: usize): void {
  if (chunkBytes + needed > chunkLimit) scratchExhausted(needed, true);
  let bytes = max<usize>(needed, min<usize>(chunkBytes, chunkLimit - chunkBytes));
  let at: usize = 0;
  if (spare !== 0 && changetype<Chunk>(spare).bytes >= needed) {
    at = spare;
    bytes = changetype<Chunk>(spare).bytes;
    spare = 0;
  } else {
    freeSpare();
    at = scratchAlloc(bytes);
  }
  if (at === 0) {
    bytes = needed;
    at = scratchAlloc(bytes);
  }
  if (at === 0) scratchExhausted(needed, false);
  const fresh = changetype<Chunk>(at);
  fresh.bytes = bytes;
  fresh.before = chunk;
  fresh.top = scratchTop;
  fresh.end = scratchEnd;
  chunk = at;
  chunkBytes += bytes;
  scratchTop = at + offsetof<Chunk>();
  scratchEnd = at + bytes;
}

/** Returns to where scratch memory was before the chunk. */
function freeChunk(): void {
  const last = changetype<Chunk>(chunk);
  const at = chunk;
  scratchTop = last.top;
  scratchEnd = last.end;
  chunk = last.before;
  chunkBytes -= last.bytes;
  freeSpare();
  spare = at;
}

function freeSpare(): void {
  if (spare !== 0) scratchFree(spare, changetype<Chunk>(spare).bytes);
  spare = 0;
}

/** Grows the last allocation to `bytes`; returns its new address, with its content. */
export function allocMore(piece: usize, bytes: usize): usize {
  const held = scratchTop - piece;
  if (((piece + bytes + ALIGNMENT_MASK) & ~ALIGNMENT_MASK) + GUARD_BYTES <= scratchEnd || scratchGrows) {
    if (!ASC_NO_ASSERT) guardLift(piece);
    scratchTop = piece;
    return alloc(bytes);
  }
  const moved = alloc(bytes);
  memory.copy(moved, piece, min<usize>(held, bytes));
  return moved;
}

/** Like {@link alloc}, filled with zeros. */
export function allocZeroed(bytes: usize): usize {
  const at = alloc(bytes);
  memory.fill(at, 0, bytes);
  return at;
}

/** The top of scratch memory, for {@link arenaReset} to release everything allocated since. */
export function arenaMark(): usize {
  return scratchTop;
}

export function arenaReset(mark: usize): void {
  while (chunk !== 0 && !(mark > chunk && mark <= scratchEnd)) {
    if (!ASC_NO_ASSERT) guardsRelease(chunk + offsetof<Chunk>(), scratchTop);
    freeChunk();
  }
  if (!ASC_NO_ASSERT) {
    assert((chunk !== 0 || mark >= persistentEnd) && mark <= scratchTop, 'scratch memory is reset to a mark outside of it');
    guardsRelease(mark, scratchTop);
  }
  scratchTop = mark;
  // Far below the boundary of a chunk: the job is about to end.
  if (spare !== 0 && chunk === 0 && mark - persistentEnd < (scratchEnd - persistentEnd) >> 1) freeSpare();
}

/** Allocates `bytes` that live as long as the instance; 0 when there is no room. */
export function allocPersistent(bytes: usize): usize {
  const at = persistentTop;
  const top = (at + bytes + ALIGNMENT_MASK) & ~ALIGNMENT_MASK;
  if (top > cacheBottom) return 0;
  persistentTop = top;
  return at;
}

/** Bytes of persistent data and cached results together. */
export function persistentBytes(): usize {
  return persistentEnd - persistentStart;
}

/** Sixteenths of the persistent memory that cached results leave to other data, and of these the sixteenths that stay free in any case. */
const LEFT_TO_OTHERS: usize = 5;
const LEFT_IN_ANY_CASE: usize = 1;

/** Allocates `bytes`, aligned to 16, that live until {@link cacheReset}; 0 when there is no room. */
export function allocCache(bytes: usize): usize {
  if (bytes > cacheLeft()) return 0;
  cacheBottom = (cacheBottom - bytes) & ~ALIGNMENT_MASK;
  return cacheBottom;
}

/** Releases everything allocated by {@link allocCache}. */
export function cacheReset(): void {
  cacheBottom = persistentEnd;
}

/** Bytes that cached results may use. */
export function cacheRoom(): usize {
  const room = persistentEnd - persistentTop;
  const sixteenth = persistentBytes() >>> 4;
  const taken = persistentTop - persistentStart;
  const wanted = sixteenth * LEFT_TO_OTHERS;
  const left = max<usize>(sixteenth * LEFT_IN_ANY_CASE, wanted > taken ? wanted - taken : 0);
  return room > left ? room - left : 0;
}

export function cacheLeft(): usize {
  const used = persistentEnd - cacheBottom;
  const room = cacheRoom();
  return room > used + ALIGNMENT_MASK ? room - used - ALIGNMENT_MASK : 0;
}
