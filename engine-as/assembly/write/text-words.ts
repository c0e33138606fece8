/** The words of a text that a query may match, and its tokens if they are needed for cropping. */
import { alloc } from '../runtime/arena';
import { Buffer, bufferCreate, bufferRoom } from '../runtime/buffer';

/** A word that may match. */
@unmanaged
export class Candidate {
  /** Number among the tokens, and among the words, of the text. */
  token: u32;
  word: u32;
  /** Byte range in the text. */
  start: u32;
  end: u32;
  /** Range of the normalised word in the lemmas. */
  lemma: u32;
  lemmaLength: u32;
  /** Parameters of its normalisation. */
  script: u32;
  language: u32;
}

@unmanaged
export class TextWords {
  /** Buffer of Candidate */
  candidates: usize;
  count: u32;
  /** Buffer of bytes */
  lemmas: usize;
  /** Buffer of u32, one per token: end in bytes << 2 | kind; each token begins where the one before ends */
  tokens: usize;
  tokenCount: u32;
  wordCount: u32;
}

export function textWordsCreate(): TextWords {
  const words = changetype<TextWords>(alloc(offsetof<TextWords>()));
  words.candidates = bufferCreate(32 * offsetof<Candidate>());
  words.lemmas = bufferCreate(512);
  words.tokens = bufferCreate(1024);
  return words;
}

/** Adds the next word as a candidate, whose lemma of `length` bytes is at the end of the lemmas; the caller fills in the rest. */
export function addCandidate(words: TextWords, length: u32): Candidate {
  const candidate = changetype<Candidate>(bufferRoom(words.candidates, offsetof<Candidate>()));
  changetype<Buffer>(words.candidates).length += offsetof<Candidate>();
  const lemmas = changetype<Buffer>(words.lemmas);
  candidate.token = words.tokenCount;
  candidate.word = words.wordCount;
  candidate.lemma = <u32>lemmas.length;
  candidate.lemmaLength = length;
  lemmas.length += length;
  words.count++;
  return candidate;
}

export function candidateAt(words: TextWords, index: u32): Candidate {
  return changetype<Candidate>(changetype<Buffer>(words.candidates).data + <usize>index * offsetof<Candidate>());
}

/** Address of the normalised word of a candidate. */
export function lemmaOf(words: TextWords, candidate: Candidate): usize {
  return changetype<Buffer>(words.lemmas).data + candidate.lemma;
}
