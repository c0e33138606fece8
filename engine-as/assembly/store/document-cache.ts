/**
 * A cache of recently read documents in persistent memory, written as a ring buffer. Each document has one possible slot in a
 * table, where it replaces another one.
 */
import { allocPersistent, persistentBytes } from '../runtime/arena';

/** Share of the persistent memory for the cache, as 1/n, and its maximum in bytes. */
const PERSISTENT_SHARE: usize = 4;
const MAX_CACHE_BYTES: usize = 16 << 20;
/** Bytes of the cache per slot of the table: a short document. */
const BYTES_PER_PLACE: usize = 512;
/** Documents that would take a larger share of the cache, as 1/n, are not cached. */
const MAX_DOCUMENT_SHARE: usize = 64;
const NO_SEGMENT: u32 = 0xffffffff;

@unmanaged
class Place {
  segment: u32;
  local: u32;
  length: u32;
  reserved: u32;
  /** number of bytes written before the document */
  start: u64;
}

let tried: bool = false;
/** Place[mask + 1]; 0: there is no memory for a cache. */
let places: usize = 0;
let mask: u32 = 0;
let bytes: usize = 0;
let capacity: usize = 0;
/** bytes written so far */
let written: u64 = 0;

function begin(): void {
  tried = true;
  capacity = min<usize>(MAX_CACHE_BYTES, persistentBytes() / PERSISTENT_SHARE) & ~15;
  let count: u32 = 1;
  while (<usize>count * BYTES_PER_PLACE < capacity) count <<= 1;
  const table = <usize>count * offsetof<Place>();
  bytes = capacity === 0 ? 0 : allocPersistent(capacity + table);
  if (bytes === 0) return;
  places = bytes + capacity;
  mask = count - 1;
  for (let i: u32 = 0; i < count; i++) changetype<Place>(places + <usize>i * offsetof<Place>()).segment = NO_SEGMENT;
}

function placeOf(segment: u32, local: u32): Place {
  return changetype<Place>(places + <usize>((segment * 0x9e3779b1 + local) & mask) * offsetof<Place>());
}

let foundLength: u32 = 0;

/** Bytes of the document that {@link cachedDocument} found last. */
export function cachedLength(): u32 {
  return foundLength;
}

/** Address of a document, valid until the next one is cached; 0: it is not cached. `segment`: unique among those ever opened. */
export function cachedDocument(segment: u32, local: u32): usize {
  if (!tried) begin();
  if (places === 0) return 0;
  const place = placeOf(segment, local);
  if (place.segment !== segment || place.local !== local || place.start + capacity < written) return 0;
  foundLength = place.length;
  return bytes + <usize>(place.start % capacity);
}

export function keepDocument(segment: u32, local: u32, json: usize, length: u32): void {
  if (places === 0 || <usize>length > capacity / MAX_DOCUMENT_SHARE) return;
  const left = capacity - <usize>(written % capacity);
  if (<usize>length > left) written += left;
  const place = placeOf(segment, local);
  place.segment = segment;
  place.local = local;
  place.length = length;
  place.start = written;
  memory.copy(bytes + <usize>(written % capacity), json, length);
  written += length;
}
