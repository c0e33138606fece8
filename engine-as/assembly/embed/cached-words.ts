/** A cache of the tokens of words, because most words of a text are repetitions. When it is full everything is dropped. */
import { alloc, allocZeroed } from '../runtime/arena';
import { Buffer, bufferRoom } from '../runtime/buffer';
import { keyHash } from '../runtime/key-table';

const SLOTS: u32 = 1 << 19;
/** Capacity of the cache in words: at most half of the slots, so that probing stays short. */
const MAX_CACHED_WORDS: u32 = SLOTS >> 1;
/** Bytes for words and their tokens: enough for {@link MAX_CACHED_WORDS} ordinary ones. */
const ROOM_BYTES: u32 = 16 << 20;
/** Longer words, in bytes, are rarely repeated. */
const MAX_CACHED_WORD_BYTES: u32 = 64;

@unmanaged
class CachedWords {
  /** u32[SLOTS]: addresses of CachedWord, 0: none */
  slots: usize;
  count: u32;
  room: usize;
  top: usize;
}

@unmanaged
class CachedWord {
  hash: u32;
  bytes: u32;
  tokens: u32;
  // u32[tokens] follow, then the bytes
}

export function cachedWordsCreate(): usize {
  const words = changetype<CachedWords>(alloc(offsetof<CachedWords>()));
  words.slots = allocZeroed((<usize>SLOTS) << 2);
  words.count = 0;
  words.room = alloc(ROOM_BYTES);
  words.top = words.room;
  return changetype<usize>(words);
}

/** Address of the slot of a word, or of the slot where it would be added. */
function slotOf(words: CachedWords, word: usize, length: u32, hash: u32): usize {
  let place = hash & (SLOTS - 1);
  while (!isSlotOf(words.slots + ((<usize>place) << 2), word, length, hash)) place = (place + 1) & (SLOTS - 1);
  return words.slots + ((<usize>place) << 2);
}

/** Whether a slot is free or contains the word. */
function isSlotOf(slot: usize, word: usize, length: u32, hash: u32): bool {
  const at: usize = load<u32>(slot);
  if (at === 0) return true;
  const cached = changetype<CachedWord>(at);
  if (cached.hash !== hash || cached.bytes !== length) return false;
  return memory.compare(at + offsetof<CachedWord>() + ((<usize>cached.tokens) << 2), word, length) === 0;
}

/** Appends the tokens of a word to a Buffer; false when they are not cached. */
export function cachedTokens(pointer: usize, word: usize, length: u32, out: usize): bool {
  const words = changetype<CachedWords>(pointer);
  const at: usize = load<u32>(slotOf(words, word, length, keyHash(word, length)));
  if (at === 0) return false;
  const bytes = (<usize>changetype<CachedWord>(at).tokens) << 2;
  memory.copy(bufferRoom(out, bytes), at + offsetof<CachedWord>(), bytes);
  changetype<Buffer>(out).length += bytes;
  return true;
}

/** Caches the tokens of a new word: u32[count]. */
export function cacheTokens(pointer: usize, word: usize, length: u32, tokens: usize, count: u32): void {
  const words = changetype<CachedWords>(pointer);
  const needed = (offsetof<CachedWord>() + ((<usize>count) << 2) + length + 3) & ~3;
  if (length > MAX_CACHED_WORD_BYTES || needed > ROOM_BYTES) return;
  if (words.count === MAX_CACHED_WORDS || words.top + needed > words.room + ROOM_BYTES) {
    memory.fill(words.slots, 0, (<usize>SLOTS) << 2);
    words.count = 0;
    words.top = words.room;
  }
  const hash = keyHash(word, length);
  const cached = changetype<CachedWord>(words.top);
  cached.hash = hash;
  cached.bytes = length;
  cached.tokens = count;
  const bytes = words.top + offsetof<CachedWord>() + ((<usize>count) << 2);
  memory.copy(words.top + offsetof<CachedWord>(), tokens, (<usize>count) << 2);
  memory.copy(bytes, word, length);
  store<u32>(slotOf(words, word, length, hash), <u32>words.top);
  words.top += needed;
  words.count++;
}
