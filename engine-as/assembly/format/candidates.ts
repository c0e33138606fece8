import { alloc } from '../runtime/arena';
import { streamBegin, streamEnd, streamKind, streamLemma, streamLemmaLength, streamNext, streamStart } from '../text/stream';
import { TOKEN_SOFT } from '../text/tokenizer';

/**
 * Words of a text that a query may match, for highlighting: most words are refused by the first two bytes of their lemma, the host
 * looks at the others only.
 */

/** A word that was not refused. */
@unmanaged
export class Candidate {
  /** Number among the tokens, and among the words, of the text. */
  token: u32;
  word: u32;
  /** Byte offsets in the text. */
  start: u32;
  end: u32;
  /** Pointer and length (bytes) of the normalised word. */
  lemma: u32;
  lemmaLength: u32;
}

const CANDIDATE_BYTES: usize = offsetof<Candidate>();
const FIRST_CAPACITY: u32 = 16;

let candidates: usize = 0;
let capacity: u32 = 0;
let tokens: usize = 0;
let tokenTotal: u32 = 0;
let wordTotal: u32 = 0;

function roomFor(count: u32): void {
  if (count < capacity) return;
  const larger = alloc(<usize>(capacity << 1) * CANDIDATE_BYTES);
  memory.copy(larger, candidates, <usize>capacity * CANDIDATE_BYTES);
  candidates = larger;
  capacity <<= 1;
}

/** First two bytes of a lemma; a lemma of one byte counts as followed by 0. */
function startOf(lemma: usize, length: u32): u32 {
  const first = <u32>load<u8>(lemma);
  return length > 1 ? first | ((<u32>load<u8>(lemma, 1)) << 8) : first;
}

function addCandidate(position: u32, lemma: usize, length: u32): void {
  roomFor(position);
  const candidate = changetype<Candidate>(candidates + <usize>position * CANDIDATE_BYTES);
  candidate.token = tokenTotal;
  candidate.word = wordTotal;
  candidate.start = streamStart();
  candidate.end = streamEnd();
  const copy = alloc(length);
  memory.copy(copy, lemma, length);
  candidate.lemma = <u32>copy;
  candidate.lemmaLength = length;
}

/**
 * Finds the candidates of a text and returns their number; they are at {@link candidatesPointer}, in scratch.
 * @param tokenizer, text, length, locales as for streamBegin
 * @param starts bitmap over the first two bytes of lemmas (8 KiB): whose words are candidates
 * @param withTokens whether {@link textTokens} is filled
 */
export function findCandidates(tokenizer: usize, text: usize, length: u32, locales: usize, starts: usize, withTokens: bool): u32 {
  capacity = FIRST_CAPACITY;
  candidates = alloc(<usize>FIRST_CAPACITY * CANDIDATE_BYTES);
  // a token has at least one byte
  tokens = withTokens ? alloc((<usize>length) << 2) : 0;
  tokenTotal = 0;
  wordTotal = 0;
  let found: u32 = 0;
  streamBegin(tokenizer, text, length, locales);
  while (streamNext()) {
    const kind = streamKind();
    if (withTokens) store<u32>(tokens + ((<usize>tokenTotal) << 2), (streamEnd() << 2) | kind);
    if (kind < TOKEN_SOFT) {
      const lemmaLength = streamLemmaLength();
      if (lemmaLength > 0) {
        const lemma = streamLemma();
        const start = startOf(lemma, lemmaLength);
        if ((load<u8>(starts + (start >> 3)) >> <u8>(start & 7)) & 1) addCandidate(found++, lemma, lemmaLength);
      }
      wordTotal++;
    }
    tokenTotal++;
  }
  return found;
}

export function candidatesPointer(): usize {
  return candidates;
}

/** Tokens of the text, one u32 each: end in bytes << 2 | kind; each token begins where the one before ends. */
export function textTokens(): usize {
  return tokens;
}

export function textTokenCount(): u32 {
  return tokenTotal;
}

export function textWordCount(): u32 {
  return wordTotal;
}
