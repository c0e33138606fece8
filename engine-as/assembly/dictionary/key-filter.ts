/**
 * A Bloom filter of the keys of a dictionary's terms (their first eight bytes, see `samples.ts`), SECTION_KEY_FILTER of a segment. Most texts
 * that are looked up are no terms: halves of words, words joined, words with another first letter. One read tells so for almost all of them,
 * where a binary search misses the caches several times. Each key sets four bits of one word of 64. The word is chosen by the bytes after the
 * first one: the walk for typos looks a text up with every other first letter, and then reads the same word.
 */
import { alloc } from '../runtime/arena';
import { textKey } from './samples';

/** Bits per term. With 12, about 2 % of the keys that no term has pass. */
const BITS_PER_TERM: u32 = 12;
/** Bits of a hash that choose a bit of a word. */
const BIT_BITS: u32 = 6;
/** An odd number with irregular bits (2^64 divided by the golden ratio). */
const MULTIPLIER: u64 = 0x9e3779b97f4a7c15;

/** SECTION_KEY_FILTER */
@unmanaged
export class KeyFilter {
  /** number of words that follow, u64 each; at least 1 */
  words: u32;
  reserved: u32;
}

function hashOf(key: u64): u64 {
  const product = key * MULTIPLIER;
  return (product ^ (product >>> 32)) * MULTIPLIER;
}

/** The four bits of a key within its word. */
function bitsOf(key: u64): u64 {
  const hash = hashOf(key) >>> (64 - 4 * BIT_BITS);
  const one: u64 = 1;
  return (
    (one << (hash & 63)) |
    (one << ((hash >>> BIT_BITS) & 63)) |
    (one << ((hash >>> (2 * BIT_BITS)) & 63)) |
    (one << ((hash >>> (3 * BIT_BITS)) & 63))
  );
}

/** Address of the word of a key. */
function wordOf(filter: KeyFilter, key: u64): usize {
  const index = <usize>(((hashOf(key << 8) >>> 32) * <u64>filter.words) >>> 32);
  return changetype<usize>(filter) + offsetof<KeyFilter>() + (index << 3);
}

/** An empty filter for a number of terms. */
export function keyFilterCreate(terms: u32): KeyFilter {
  const words = (terms * BITS_PER_TERM) / 64 + 1;
  const filter = changetype<KeyFilter>(alloc(keyFilterBytes(words)));
  memory.fill(changetype<usize>(filter), 0, keyFilterBytes(words));
  filter.words = words;
  return filter;
}

export function keyFilterBytes(words: u32): usize {
  return offsetof<KeyFilter>() + ((<usize>words) << 3);
}

/** Adds a term; 8 bytes of its text may be read. */
export function keyFilterAdd(filter: KeyFilter, text: usize, length: u32): void {
  filterAddKey(filter, textKey(text, length));
}

/** Adds a key that need not be that of a text. */
export function filterAddKey(filter: KeyFilter, key: u64): void {
  const at = wordOf(filter, key);
  store<u64>(at, load<u64>(at) | bitsOf(key));
}

/** Whether a filter may have a key: false is certain. */
export function filterHasKey(filter: KeyFilter, key: u64): bool {
  const bits = bitsOf(key);
  return (load<u64>(wordOf(filter, key)) & bits) === bits;
}

/** Whether a dictionary may have a text as a term: false is certain. `filter`: 0 if the segment has none. 8 bytes may be read. */
export function mayHaveTerm(filter: usize, text: usize, length: u32): bool {
  return filter === 0 || filterHasKey(changetype<KeyFilter>(filter), textKey(text, length));
}
