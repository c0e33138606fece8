/**
 * Memory of one engine instance: bump arenas whose bounds the host hands over. Nothing is freed piece by piece.
 *
 *   start        persistentStart          keptBottom       persistentEnd                                    end
 *   | work block | persistent ->     ...     <- kept results | scratch: what one query or one build needs -> |
 *
 * Scratch that needs more goes on in the memory behind it, where that is private, or in chunks of the pool that instances share:
 *
 *   | Chunk | pieces |      a chunk knows where scratch stood before it
 *
 * The bounds are instance globals (WebAssembly globals, not memory), so instances that share a memory do not disturb each other.
 * Where there is no memory left, or an instance has taken its limit, the host is told, whose import throws: what ran is left, and
 * whoever reserved scratch releases it on the way out.
 */
import { GUARD_BYTES, guardLift, guardPlace, guardsBegin, guardsRelease } from './guards';
import { scratchGive, scratchPoolInit, scratchTake } from './scratch-pool';

/** Imported as arena.scratchExhausted: throws. `isLimit`: the instance has taken its limit; otherwise nothing is left for anyone. */
declare function scratchExhausted(bytes: usize, isLimit: bool): void;

const PAGE_BYTES: usize = 65536;
const ALIGNMENT_MASK: usize = 15;
/** Small buffers of the hot loops (the token being normalised): always there, so nothing has to be reserved per text. */
export const WORK_BYTES: usize = 262144;

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
let keptBottom: usize = 0;
let persistentEnd: usize = 0;
let scratchTop: usize = 0;
let scratchEnd: usize = 0;
let scratchGrows: bool = false;
/** The chunk in which scratch stands, and what all chunks take and may take together. */
let chunk: usize = 0;
let chunkBytes: usize = 0;
let chunkLimit: usize = 0;
/** A chunk that was left, kept for the next one: a loop may reserve and release where a chunk begins. 0: none. */
let spare: usize = 0;

/** Where an instance works, as the host says when it makes it. Addresses are bytes, multiples of 16. */
@unmanaged
export class InstanceBounds {
  start: usize;
  persistentBytes: usize;
  end: usize;
  /** scratch is the end of a private memory and may grow it; otherwise it may take `limit` bytes of the pool */
  grows: bool;
  limit: usize;
  /** see scratch-pool */
  poolTable: usize;
  poolUnits: usize;
  /** 0: there is no pool */
  poolCount: u32;
  /** tells the instance from others over the memory, not 0 */
  poolOwner: u32;
}

/** Sets the bounds; they may stand in what they describe. */
export function arenaInit(bounds: InstanceBounds): void {
  workStart = bounds.start;
  persistentStart = workStart + WORK_BYTES;
  persistentTop = persistentStart;
  persistentEnd = persistentStart + bounds.persistentBytes;
  keptBottom = persistentEnd;
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

/** The {@link WORK_BYTES} bytes that belong to the instance; engine-as/assembly/text uses them. */
export function workBlock(): usize {
  return workStart;
}

/** Reserves `bytes` of scratch, aligned to 16, content undefined. */
export function alloc(bytes: usize): usize {
  // the first comparison also holds for sizes that would wrap round
  if (bytes > scratchEnd - scratchTop || topAfter(bytes) > scratchEnd) makeRoom(bytes);
  const at = scratchTop;
  scratchTop = topAfter(bytes);
  if (!ASC_NO_ASSERT) guardPlace(at, bytes, scratchTop - GUARD_BYTES);
  return at;
}

/** Where scratch stands after a piece. */
function topAfter(bytes: usize): usize {
  const top = (scratchTop + bytes + ALIGNMENT_MASK) & ~ALIGNMENT_MASK;
  return ASC_NO_ASSERT ? top : top + GUARD_BYTES;
}

/** Sees to it that `bytes` fit. */
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
  // by a quarter of what is there, so that many small requests grow the memory rarely
  let pages = (missing + PAGE_BYTES - 1) / PAGE_BYTES;
  const quarter = (scratchEnd / PAGE_BYTES) >> 2;
  if (quarter > pages && memory.grow(<i32>quarter) >= 0) pages = quarter;
  else if (memory.grow(<i32>pages) < 0) scratchExhausted(missing, false);
  scratchEnd += pages * PAGE_BYTES;
}

/** Goes on in a chunk of the pool, as large as all before it where that is to be had, so that there are few. */
function takeChunk(needed: usize): void {
  if (chunkBytes + needed > chunkLimit) scratchExhausted(needed, true);
  let bytes = max<usize>(needed, min<usize>(chunkBytes, chunkLimit - chunkBytes));
  let at: usize = 0;
  if (spare !== 0 && changetype<Chunk>(spare).bytes >= needed) {
    at = spare;
    bytes = changetype<Chunk>(spare).bytes;
    spare = 0;
  } else {
    giveSpare();
    at = scratchTake(bytes);
  }
  if (at === 0) {
    bytes = needed;
    at = scratchTake(bytes);
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

/** Goes back to where scratch stood before the chunk. */
function giveChunk(): void {
  const last = changetype<Chunk>(chunk);
  const at = chunk;
  scratchTop = last.top;
  scratchEnd = last.end;
  chunk = last.before;
  chunkBytes -= last.bytes;
  giveSpare();
  spare = at;
}

function giveSpare(): void {
  if (spare !== 0) scratchGive(spare, changetype<Chunk>(spare).bytes);
  spare = 0;
}

/** Makes the piece that was reserved last `bytes` long; answers where it stands now, with what it held. */
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

/** Where scratch stands now; give it to {@link arenaReset} to release all that was reserved since. */
export function arenaMark(): usize {
  return scratchTop;
}

export function arenaReset(mark: usize): void {
  while (chunk !== 0 && !(mark > chunk && mark <= scratchEnd)) {
    if (!ASC_NO_ASSERT) guardsRelease(chunk + offsetof<Chunk>(), scratchTop);
    giveChunk();
  }
  if (!ASC_NO_ASSERT) {
    assert((chunk !== 0 || mark >= persistentEnd) && mark <= scratchTop, 'scratch is reset to what it never was');
    guardsRelease(mark, scratchTop);
  }
  scratchTop = mark;
  // far from where a chunk would begin: the job is about to end
  if (spare !== 0 && chunk === 0 && mark - persistentEnd < (scratchEnd - persistentEnd) >> 1) giveSpare();
}

/** Reserves `bytes` that live as long as the instance; 0 when there is no room. */
export function allocPersistent(bytes: usize): usize {
  const at = persistentTop;
  const top = (at + bytes + ALIGNMENT_MASK) & ~ALIGNMENT_MASK;
  if (top > keptBottom) return 0;
  persistentTop = top;
  return at;
}

/** Bytes that what lives as long as the instance and kept results have together. */
export function persistentBytes(): usize {
  return persistentEnd - persistentStart;
}

/** Of the persistent memory, in sixteenths: what kept results leave to what lives longer, and what of that is left in any case. */
const LEFT_TO_OTHERS: usize = 5;
const LEFT_IN_ANY_CASE: usize = 1;

/** Reserves `bytes`, aligned to 16, that live until {@link keptReset}; 0 when there is no room. */
export function allocKept(bytes: usize): usize {
  if (bytes > keptLeft()) return 0;
  keptBottom = (keptBottom - bytes) & ~ALIGNMENT_MASK;
  return keptBottom;
}

/** Releases all that {@link allocKept} reserved. */
export function keptReset(): void {
  keptBottom = persistentEnd;
}

/** Bytes that kept results may take, used or not. */
export function keptRoom(): usize {
  const room = persistentEnd - persistentTop;
  const sixteenth = persistentBytes() >>> 4;
  const taken = persistentTop - persistentStart;
  const wanted = sixteenth * LEFT_TO_OTHERS;
  const left = max<usize>(sixteenth * LEFT_IN_ANY_CASE, wanted > taken ? wanted - taken : 0);
  return room > left ? room - left : 0;
}

export function keptLeft(): usize {
  const used = persistentEnd - keptBottom;
  const room = keptRoom();
  return room > used + ALIGNMENT_MASK ? room - used - ALIGNMENT_MASK : 0;
}
