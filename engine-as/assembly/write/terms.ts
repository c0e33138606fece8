/** What a query matches in texts: words and sequences, in order of preference. */
import { QuerySequence, QueryTerms, QueryWord, Word } from '../plan/plan';
import { alloc } from '../runtime/arena';
import { Buffer, bufferCreate, bufferRoom } from '../runtime/buffer';

/** Position for matches that stand for no query word: stop words. */
export const NO_POSITION: u32 = 0xffffffff;

/** A word that texts can contain. */
@unmanaged
export class WordRecord {
  text: usize;
  length: u32;
  /** Bytes of a text word beginning with the text that count as matched; 0: the text must be the whole word. */
  matchedBytes: u32;
  /** Does not match in searchable attributes. */
  unknown: bool;
  /** The query words it stands for, or {@link NO_POSITION}. */
  firstPosition: u32;
  lastPosition: u32;
}

/** A sequence of words. */
@unmanaged
export class SequenceRecord {
  /** SequenceWord[] */
  words: usize;
  wordCount: u32;
  firstPosition: u32;
  lastPosition: u32;
}

@unmanaged
export class SequenceWord {
  text: usize;
  length: u32;
  /** Number of other words that may precede it. */
  gap: u32;
}

@unmanaged
export class MatchTerms {
  /** WordRecord[] */
  words: usize;
  wordCount: u32;
  /** SequenceRecord[] */
  sequences: usize;
  sequenceCount: u32;
  /** More than the greatest number of a query word. */
  positionCount: u32;

  word(index: u32): WordRecord {
    return changetype<WordRecord>(this.words + <usize>index * offsetof<WordRecord>());
  }

  sequence(index: u32): SequenceRecord {
    return changetype<SequenceRecord>(this.sequences + <usize>index * offsetof<SequenceRecord>());
  }
}

export function sequenceWord(sequence: SequenceRecord, index: u32): SequenceWord {
  return changetype<SequenceWord>(sequence.words + <usize>index * offsetof<SequenceWord>());
}

/**
 * Whole words come before prefixes, and joined words before the last one alone.
 * @param query null: nothing is matched
 */
export function matchTermsOf(query: QueryTerms | null): MatchTerms {
  const terms = changetype<MatchTerms>(alloc(offsetof<MatchTerms>()));
  memory.fill(changetype<usize>(terms), 0, offsetof<MatchTerms>());
  if (query === null) return terms;
  const words = bufferCreate(8 * offsetof<WordRecord>());
  let longest: u32 = 0;
  for (let i: u32 = 0; i < query.wordCount; i++) {
    const word = queryWord(query, i);
    terms.positionCount = max<u32>(terms.positionCount, word.end + 1);
    longest = max<u32>(longest, word.end - word.start + 1);
    if (!word.prefix) addWord(words, word);
  }
  addStopWords(words, query);
  for (let joined = longest; joined > 0; joined--) {
    for (let i: u32 = 0; i < query.wordCount; i++) {
      const word = queryWord(query, i);
      if (word.prefix && word.end - word.start + 1 === joined) addWord(words, word);
    }
  }
  terms.words = changetype<Buffer>(words).data;
  terms.wordCount = <u32>(changetype<Buffer>(words).length / offsetof<WordRecord>());
  addSequences(terms, query);
  return terms;
}

function queryWord(query: QueryTerms, index: u32): QueryWord {
  return changetype<QueryWord>(query.words + <usize>index * offsetof<QueryWord>());
}

function wordAt(words: usize, index: u32): Word {
  return changetype<Word>(words + <usize>index * offsetof<Word>());
}

function push(words: usize, text: usize, length: u32): WordRecord {
  const record = changetype<WordRecord>(bufferRoom(words, offsetof<WordRecord>()));
  changetype<Buffer>(words).length += offsetof<WordRecord>();
  record.text = text;
  record.length = length;
  record.matchedBytes = 0;
  record.unknown = false;
  record.firstPosition = NO_POSITION;
  record.lastPosition = NO_POSITION;
  return record;
}

/** Adds a word, then its typos. */
function addWord(words: usize, word: QueryWord): void {
  for (let place: i32 = -1; place < <i32>word.typoCount; place++) {
    const typed = place < 0;
    const text = typed ? word.text : wordAt(word.typos, place).text;
    const length = typed ? word.length : wordAt(word.typos, place).length;
    if (length === 0) continue;
    const record = push(words, text, length);
    if (word.prefix) record.matchedBytes = matchedBytes(text, length, word);
    record.unknown = typed && !word.known;
    record.firstPosition = word.start;
    record.lastPosition = word.end;
  }
}

/** Adds stop words that are not also words of the query. */
function addStopWords(words: usize, query: QueryTerms): void {
  for (let i: u32 = 0; i < query.stopWordCount; i++) {
    const stop = wordAt(query.stopWords, i);
    let typed = stop.length === 0;
    for (let k: u32 = 0; k < query.wordCount && !typed; k++) {
      const word = queryWord(query, k);
      typed = word.length === stop.length && memory.compare(word.text, stop.text, stop.length) === 0;
    }
    if (!typed) push(words, stop.text, stop.length);
  }
}

/** Bytes of as many characters of a text as were typed. */
function matchedBytes(text: usize, length: u32, typed: QueryWord): u32 {
  let letters: u32 = 0;
  for (let i: u32 = 0; i < typed.length; i++) if (beginsLetter(typed.text + i)) letters++;
  let at: u32 = 0;
  for (; at < length; at++) {
    if (!beginsLetter(text + at)) continue;
    if (letters === 0) return at;
    letters--;
  }
  return length;
}

function beginsLetter(at: usize): bool {
  return (load<u8>(at) & 0xc0) !== 0x80;
}

function addSequences(terms: MatchTerms, query: QueryTerms): void {
  terms.sequenceCount = query.sequenceCount;
  terms.sequences = alloc(<usize>query.sequenceCount * offsetof<SequenceRecord>());
  for (let i: u32 = 0; i < query.sequenceCount; i++) {
    const from = changetype<QuerySequence>(query.sequences + <usize>i * offsetof<QuerySequence>());
    const record = terms.sequence(i);
    record.words = alloc(<usize>from.count * offsetof<SequenceWord>());
    record.wordCount = 0;
    record.firstPosition = from.start;
    record.lastPosition = from.end;
    terms.positionCount = max<u32>(terms.positionCount, from.end + 1);
    let gap: u32 = 0;
    for (let k: u32 = 0; k < from.count; k++) {
      const word = wordAt(from.words, k);
      if (word.text === 0) {
        gap++;
        continue;
      }
      const own = sequenceWord(record, record.wordCount++);
      own.text = word.text;
      own.length = word.length;
      own.gap = gap;
      gap = 0;
    }
  }
}
