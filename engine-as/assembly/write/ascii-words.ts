/**
 * Fast tokenization of ASCII texts, if no tokenizer settings and no locales apply: one look-up per byte distinguishes words from
 * separators, and only words that may match are folded. The words are the same as those of text/stream.
 */
import { Buffer, bufferRoom } from '../runtime/buffer';
import { ASCII_HARD, ASCII_PAIR, ASCII_SOFT, ASCII_SPECIAL, ASCII_TABLE } from '../text/tables';
import { TOKEN_HARD, TOKEN_SOFT, TOKEN_WORD } from '../text/tokenizer';
import { mayStart, TermMatcher } from './term-matcher';
import { addCandidate, TextWords } from './text-words';

const BLANK: u32 = 0x20;

/** Longest text in bytes, so that there is room for a token per byte. */
export const MAX_ASCII_BYTES: u32 = 1 << 14;

/** Reads the words; false when a byte requires the stream, in which case the words are undefined. Parameters as for readWords. */
export function readAsciiWords(words: TextWords, text: usize, length: u32, matcher: TermMatcher | null, withTokens: bool): bool {
  const end = text + length;
  const tokens = withTokens ? bufferRoom(words.tokens, (<usize>length) << 2) : 0;
  let tokenCount: u32 = 0;
  let wordCount: u32 = 0;
  let at = text;
  while (at < end) {
    const start = at;
    const entry: u32 = load<u8>(ASCII_TABLE + load<u8>(at++));
    let kind = TOKEN_WORD;
    if (entry >= ASCII_SOFT) {
      if (entry === ASCII_SPECIAL) return false;
      kind = entry === ASCII_HARD ? TOKEN_HARD : TOKEN_SOFT;
      if (entry === ASCII_PAIR && at < end && load<u8>(at) === BLANK) {
        at++;
        kind = TOKEN_HARD;
      }
    } else {
      let second: u32 = 0;
      let next: u32 = ASCII_SOFT;
      if (at < end) {
        next = load<u8>(ASCII_TABLE + load<u8>(at));
        if (next < ASCII_SOFT) second = next;
      }
      while (next < ASCII_SOFT && ++at < end) next = load<u8>(ASCII_TABLE + load<u8>(at));
      if (next === ASCII_SPECIAL) return false;
      if (matcher !== null && mayStart(matcher, entry, second)) {
        words.tokenCount = tokenCount;
        words.wordCount = wordCount;
        addWord(words, text, start, at);
      }
      wordCount++;
    }
    if (withTokens) store<u32>(tokens + ((<usize>tokenCount) << 2), ((<u32>(at - text)) << 2) | kind);
    tokenCount++;
  }
  words.tokenCount = tokenCount;
  words.wordCount = wordCount;
  if (withTokens) changetype<Buffer>(words.tokens).length = (<usize>tokenCount) << 2;
  return true;
}

function addWord(words: TextWords, text: usize, start: usize, end: usize): void {
  const length = <u32>(end - start);
  const lemma = bufferRoom(words.lemmas, length);
  for (let i: u32 = 0; i < length; i++) store<u8>(lemma + i, load<u8>(ASCII_TABLE + load<u8>(start + i)));
  const candidate = addCandidate(words, length);
  candidate.start = <u32>(start - text);
  candidate.end = <u32>(end - text);
  // ASCII keeps its length when folded.
  candidate.script = 0;
  candidate.language = 0;
}
