/**
 * What a query looks for in texts, as the host encodes it (bindings/format/term-records.ts): words of four bytes, then texts. Offsets
 * count from the beginning of the terms.
 *
 *   MatchTerms · WordRecord[wordCount], the preferred ones first · SequenceRecord[sequenceCount] · SequenceWord[] · texts
 */

/** First query word of what stands for none: stop words. */
export const NO_POSITION: u32 = 0xffffffff;

@unmanaged
export class MatchTerms {
  wordCount: u32;
  sequenceCount: u32;
  /** More than the greatest number of a query word. */
  positionCount: u32;
  /** Words that only start like the query count if the index knows them, which the host is asked. */
  asks: u32;
}

/** What a text word can be. */
@unmanaged
export class WordRecord {
  text: u32;
  length: u32;
  /** Bytes of a text word that starts with the text, which count as matched; 0: the text is the whole word. */
  matchedBytes: u32;
  /** Does not count in attributes that are searchable. */
  unknown: u32;
  /** The query words it stands for, or {@link NO_POSITION}. */
  firstPosition: u32;
  lastPosition: u32;
}

/** Words that have to follow each other. */
@unmanaged
export class SequenceRecord {
  /** Offset and number of its {@link SequenceWord}s. */
  words: u32;
  wordCount: u32;
  firstPosition: u32;
  lastPosition: u32;
}

@unmanaged
export class SequenceWord {
  text: u32;
  length: u32;
  /** So many other words may stand before it. */
  gap: u32;
}

export function wordRecord(terms: MatchTerms, index: u32): WordRecord {
  return changetype<WordRecord>(changetype<usize>(terms) + offsetof<MatchTerms>() + <usize>index * offsetof<WordRecord>());
}

export function sequenceRecord(terms: MatchTerms, index: u32): SequenceRecord {
  const records = changetype<usize>(terms) + offsetof<MatchTerms>() + <usize>terms.wordCount * offsetof<WordRecord>();
  return changetype<SequenceRecord>(records + <usize>index * offsetof<SequenceRecord>());
}

export function sequenceWord(terms: MatchTerms, sequence: SequenceRecord, index: u32): SequenceWord {
  return changetype<SequenceWord>(changetype<usize>(terms) + sequence.words + <usize>index * offsetof<SequenceWord>());
}
