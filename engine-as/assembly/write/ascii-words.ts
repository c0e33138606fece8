/**
 * The words of a text of ASCII that no setting and no locale touches, which most texts are: one look-up a byte tells words from
 * separators, and only words that may match are folded. They are those of the stream (text/stream).
 */
import { bufferRoom } from '../runtime/buffer';
import { ASCII_HARD, ASCII_PAIR, ASCII_SOFT, ASCII_SPECIAL, ASCII_TABLE } from '../text/tables';
import { TOKEN_HARD, TOKEN_SOFT, TOKEN_WORD } from '../text/tokenizer';
import { mayStart, TermMatcher } from './term-matcher';
import { addCandidate, addToken, TextWords } from './text-words';

const BLANK: u32 = 0x20;

/** Reads the words; false when a byte needs the stream, and nothing is said of the words then. Parameters as of readWords. */
export function readAsciiWords(words: TextWords, text: usize, length: u32, matcher: TermMatcher | null, withTokens: bool): bool {
  const end = text + length;
  let at = text;
  while (at < end) {
    const start = at;
    const entry: u32 = load<u8>(ASCII_TABLE + load<u8>(at++));
    if (entry >= ASCII_SOFT) {
      if (entry === ASCII_SPECIAL) return false;
      let kind = entry === ASCII_HARD ? TOKEN_HARD : TOKEN_SOFT;
      if (entry === ASCII_PAIR && at < end && load<u8>(at) === BLANK) {
        at++;
        kind = TOKEN_HARD;
      }
      if (withTokens) addToken(words, <u32>(at - text), kind);
      words.tokenCount++;
      continue;
    }
    let next: u32 = ASCII_SOFT;
    while (at < end) {
      next = load<u8>(ASCII_TABLE + load<u8>(at));
      if (next >= ASCII_SOFT) break;
      at++;
    }
    if (next === ASCII_SPECIAL) return false;
    const second: u32 = at - start > 1 ? load<u8>(ASCII_TABLE + load<u8>(start, 1)) : 0;
    if (matcher !== null && mayStart(matcher, entry, second)) addWord(words, text, start, at);
    if (withTokens) addToken(words, <u32>(at - text), TOKEN_WORD);
    words.tokenCount++;
    words.wordCount++;
  }
  return true;
}

function addWord(words: TextWords, text: usize, start: usize, end: usize): void {
  const length = <u32>(end - start);
  const lemma = bufferRoom(words.lemmas, length);
  for (let i: u32 = 0; i < length; i++) store<u8>(lemma + i, load<u8>(ASCII_TABLE + load<u8>(start + i)));
  const candidate = addCandidate(words, length);
  candidate.start = <u32>(start - text);
  candidate.end = <u32>(end - text);
  // text of ASCII keeps its length however it is folded
  candidate.script = 0;
  candidate.language = 0;
}
