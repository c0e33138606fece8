/** The matches in a text, ascending and not overlapping. */
import { Buffer, bufferRoom } from '../runtime/buffer';
import { partEnd } from './part-end';
import { entriesOf, hashOf, matchWord, sequenceFrom, TermMatcher } from './term-matcher';
import { SequenceRecord, sequenceWord } from './terms';
import { Candidate, candidateAt, lemmaOf, TextWords } from './text-words';

@unmanaged
export class Match {
  firstToken: u32;
  lastToken: u32;
  /** Range of its words among the words of the text. */
  firstWord: u32;
  lastWord: u32;
  /** Range of the query words that it stands for: see WordRecord. */
  firstPosition: u32;
  lastPosition: u32;
  /** Bytes of the text that are highlighted. */
  from: u32;
  to: u32;
}

const NOT_FOUND: i32 = -1;

/**
 * Finds the matches among the candidates of a text.
 * @param text its address
 * @param out Buffer of Match, which they replace
 */
export function findMatches(matcher: TermMatcher, words: TextWords, text: usize, searchable: bool, out: usize): void {
  changetype<Buffer>(out).length = 0;
  for (let index: u32 = 0; index < words.count; ) {
    const last = sequenceAt(matcher, words, index, out);
    let lastWord: u32;
    if (last !== NOT_FOUND) lastWord = candidateAt(words, last).word;
    else if (wordAt(matcher, words, index, text, searchable, out)) lastWord = candidateAt(words, index).word;
    else {
      index++;
      continue;
    }
    index++;
    while (index < words.count && candidateAt(words, index).word <= lastWord) index++;
  }
}

function addMatch(out: usize, first: Candidate, last: Candidate, firstPosition: u32, lastPosition: u32, to: u32): void {
  const match = changetype<Match>(bufferRoom(out, offsetof<Match>()));
  changetype<Buffer>(out).length += offsetof<Match>();
  match.firstToken = first.token;
  match.lastToken = last.token;
  match.firstWord = first.word;
  match.lastWord = last.word;
  match.firstPosition = firstPosition;
  match.lastPosition = lastPosition;
  match.from = first.start;
  match.to = to;
}

/** Adds the match of the first sequence that begins at a candidate and is complete; returns the candidate that ends it. */
function sequenceAt(matcher: TermMatcher, words: TextWords, index: u32, out: usize): i32 {
  if (matcher.terms.sequenceCount === 0) return NOT_FOUND;
  const first = candidateAt(words, index);
  const lemma = lemmaOf(words, first);
  const hash = hashOf(lemma, first.lemmaLength);
  let entry = sequenceFrom(matcher, entriesOf(matcher.sequences, hash), hash, lemma, first.lemmaLength);
  while (entry !== null) {
    const sequence = matcher.terms.sequence(entry.index);
    const last = completes(words, sequence, 1, index, first.word + 1);
    if (last !== NOT_FOUND) {
      const end = candidateAt(words, last);
      addMatch(out, first, end, sequence.firstPosition, sequence.lastPosition, end.end);
      return last;
    }
    entry = sequenceFrom(matcher, entry.next, hash, lemma, first.lemmaLength);
  }
  return NOT_FOUND;
}

/**
 * The candidate that ends a sequence whose words before `place` end before word number `number`, the last one being candidate
 * `index`. Of several ways to fill its gaps the first one is taken, more words before fewer.
 */
function completes(words: TextWords, sequence: SequenceRecord, place: u32, index: u32, number: u32): i32 {
  if (place === sequence.wordCount) return <i32>index;
  const expected = sequenceWord(sequence, place);
  for (let skipped = <i32>expected.gap; skipped >= 0; skipped--) {
    const wanted = number + skipped;
    let next = index + 1;
    while (next < words.count && candidateAt(words, next).word < wanted) next++;
    if (next >= words.count) continue;
    const candidate = candidateAt(words, next);
    if (candidate.word !== wanted || candidate.lemmaLength !== expected.length) continue;
    if (memory.compare(expected.text, lemmaOf(words, candidate), expected.length) !== 0) continue;
    const last = completes(words, sequence, place + 1, next, wanted + 1);
    if (last !== NOT_FOUND) return last;
  }
  return NOT_FOUND;
}

/** Adds the match of a single candidate, if there is one. */
function wordAt(matcher: TermMatcher, words: TextWords, index: u32, text: usize, searchable: bool, out: usize): bool {
  const candidate = candidateAt(words, index);
  const found = matchWord(matcher, lemmaOf(words, candidate), candidate.lemmaLength, searchable);
  if (found === null) return false;
  const to = found.matchedBytes === 0 ? candidate.end : partEnd(candidate, text, found.matchedBytes);
  addMatch(out, candidate, candidate, found.firstPosition, found.lastPosition, to);
  return true;
}
