/**
 * The words and sequences of a query, prepared for comparison with many words of texts: most are rejected by their first two
 * bytes, the others are looked up by hash.
 */
import { alloc, allocZeroed } from '../runtime/arena';
import { KnownWords } from './known-words';
import { MatchTerms, sequenceWord, WordRecord } from './terms';

const FNV_OFFSET: u32 = 0x811c9dc5;
const FNV_PRIME: u32 = 0x01000193;
/** One bit for each pair of bytes. */
const STARTS_BYTES: usize = 8192;

/** A word or sequence in a hash table, by its (first) word. */
@unmanaged
export class TermEntry {
  next: TermEntry | null;
  hash: u32;
  /** Number of the record. */
  index: u32;
}

@unmanaged
class TermTable {
  /** TermEntry[mask + 1] */
  buckets: usize;
  mask: u32;
}

@unmanaged
export class TermMatcher {
  terms: MatchTerms;
  /** Nothing can match. */
  empty: bool;
  /** Bitmap over the first two bytes of words that can match: bit `first | second << 8`; the second is 0 in words of one byte. */
  starts: usize;
  words: TermTable;
  /** u8[longestPrefix + 1]: 1 for every length of a text that words may start with */
  prefixLengths: usize;
  longestPrefix: u32;
  sequences: TermTable;
  /** Prefix matches must be words of the index; null: no such check. */
  known: KnownWords | null;
}

export function termMatcherCreate(terms: MatchTerms, known: KnownWords | null): TermMatcher {
  const matcher = changetype<TermMatcher>(allocZeroed(offsetof<TermMatcher>()));
  matcher.terms = terms;
  matcher.empty = terms.wordCount === 0 && terms.sequenceCount === 0;
  matcher.known = known;
  if (matcher.empty) return matcher;
  matcher.starts = allocZeroed(STARTS_BYTES);
  addWords(matcher, terms);
  addSequences(matcher, terms);
  return matcher;
}

function addWords(matcher: TermMatcher, terms: MatchTerms): void {
  for (let index: u32 = 0; index < terms.wordCount; index++) {
    const word = terms.word(index);
    if (word.matchedBytes > 0) matcher.longestPrefix = max<u32>(matcher.longestPrefix, word.length);
  }
  matcher.prefixLengths = allocZeroed(<usize>matcher.longestPrefix + 1);
  matcher.words = tableCreate(terms.wordCount);
  for (let index: u32 = 0; index < terms.wordCount; index++) {
    const word = terms.word(index);
    const text = word.text;
    const prefix = word.matchedBytes > 0;
    if (prefix) store<u8>(matcher.prefixLengths + word.length, 1);
    admit(matcher.starts, text, word.length, prefix);
    tableAdd(matcher.words, hashOf(text, word.length), index);
  }
}

function addSequences(matcher: TermMatcher, terms: MatchTerms): void {
  matcher.sequences = tableCreate(terms.sequenceCount);
  // The last ones first, so that entries of one bucket are found in their order.
  for (let index = terms.sequenceCount; index-- > 0; ) {
    const sequence = terms.sequence(index);
    for (let place: u32 = 0; place < sequence.wordCount; place++) {
      const word = sequenceWord(sequence, place);
      const text = word.text;
      admit(matcher.starts, text, word.length, false);
      if (place === 0) tableAdd(matcher.sequences, hashOf(text, word.length), index);
    }
  }
}

/** Registers words that equal this text, or start with it. */
function admit(starts: usize, text: usize, length: u32, prefix: bool): void {
  const first: u32 = load<u8>(text);
  const any = prefix && length === 1;
  const from: u32 = length > 1 ? load<u8>(text, 1) : 0;
  const to: u32 = any ? 255 : from;
  for (let second: u32 = any ? 0 : from; second <= to; second++) {
    const bit = first | (second << 8);
    const byte = starts + (bit >>> 3);
    store<u8>(byte, <u32>load<u8>(byte) | (1 << (bit & 7)));
  }
}

/** Whether a non-empty word may match, by its first two bytes. */
export function mayMatch(matcher: TermMatcher, word: usize, length: u32): bool {
  return mayStart(matcher, load<u8>(word), length > 1 ? load<u8>(word, 1) : 0);
}

/** Whether a word with these first two bytes may match. The second is 0 for words of one byte. */
export function mayStart(matcher: TermMatcher, first: u32, second: u32): bool {
  const bit = first | (second << 8);
  return ((load<u8>(matcher.starts + (bit >>> 3)) >>> (bit & 7)) & 1) !== 0;
}

function tableCreate(count: u32): TermTable {
  const table = changetype<TermTable>(alloc(offsetof<TermTable>()));
  let size: u32 = 4;
  while (size < count << 1) size <<= 1;
  table.mask = size - 1;
  table.buckets = allocZeroed((<usize>size) << 2);
  return table;
}

function tableAdd(table: TermTable, hash: u32, index: u32): void {
  const entry = changetype<TermEntry>(alloc(offsetof<TermEntry>()));
  const bucket = table.buckets + ((<usize>(hash & table.mask)) << 2);
  entry.next = changetype<TermEntry | null>(<usize>load<u32>(bucket));
  entry.hash = hash;
  entry.index = index;
  store<u32>(bucket, <u32>changetype<usize>(entry));
}

export function entriesOf(table: TermTable, hash: u32): TermEntry | null {
  return changetype<TermEntry | null>(<usize>load<u32>(table.buckets + ((<usize>(hash & table.mask)) << 2)));
}

/** FNV-1a */
export function hashOf(text: usize, length: u32): u32 {
  let hash = FNV_OFFSET;
  for (let i: u32 = 0; i < length; i++) hash = (hash ^ load<u8>(text + i)) * FNV_PRIME;
  return hash;
}

/** Number of the best record that equals this word, or is a prefix of it; the number of records when there is none. */
function bestWord(matcher: TermMatcher, hash: u32, word: usize, length: u32, prefix: bool, searchable: bool): u32 {
  const terms = matcher.terms;
  let best = terms.wordCount;
  let entry = entriesOf(matcher.words, hash);
  while (entry !== null) {
    if (entry.hash === hash && entry.index < best) {
      const record = terms.word(entry.index);
      const fits = record.length === length && record.matchedBytes > 0 === prefix && !(record.unknown && searchable);
      if (fits && memory.compare(record.text, word, length) === 0) best = entry.index;
    }
    entry = entry.next;
  }
  return best;
}

/** The best match of a word, or null. */
export function matchWord(matcher: TermMatcher, word: usize, length: u32, searchable: bool): WordRecord | null {
  const none = matcher.terms.wordCount;
  let started = none;
  let hash = FNV_OFFSET;
  for (let i: u32 = 0; i < length; i++) {
    hash = (hash ^ load<u8>(word + i)) * FNV_PRIME;
    if (i < matcher.longestPrefix && load<u8>(matcher.prefixLengths + i, 1)) {
      started = min<u32>(started, bestWord(matcher, hash, word, i + 1, true, searchable));
    }
  }
  const whole = bestWord(matcher, hash, word, length, false, searchable);
  const known = matcher.known;
  if (started < whole && searchable && known !== null && !known.has(hash, word, length)) started = none;
  const best = min<u32>(started, whole);
  return best === none ? null : matcher.terms.word(best);
}

/** The next sequence that begins with a word, from `entry` on; null: none. */
export function sequenceFrom(
  matcher: TermMatcher,
  entry: TermEntry | null,
  hash: u32,
  word: usize,
  length: u32,
): TermEntry | null {
  const terms = matcher.terms;
  let next = entry;
  while (next !== null) {
    if (next.hash === hash) {
      const first = sequenceWord(terms.sequence(next.index), 0);
      if (first.length === length && memory.compare(first.text, word, length) === 0) break;
    }
    next = next.next;
  }
  return next;
}
