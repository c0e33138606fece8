/** Divides a text into words, and selects those that a query may match. */
import { Buffer, bufferPush32, bufferRoom } from '../runtime/buffer';
import {
  streamBegin,
  streamEnd,
  streamKind,
  streamLanguage,
  streamLemma,
  streamLemmaLength,
  streamNext,
  streamScript,
  streamStart,
} from '../text/stream';
import { TOKEN_SOFT } from '../text/tokenizer';
import { isAscii } from '../text/utf8';
import { MAX_ASCII_BYTES, readAsciiWords } from './ascii-words';
import { mayMatch, TermMatcher } from './term-matcher';
import { addCandidate, TextWords } from './text-words';

/**
 * Divides a text into words.
 * @param tokenizer, text, length, locales as for streamBegin
 * @param matcher null: no word is a candidate
 * @param withTokens whether the tokens are kept
 */
export function readWords(
  words: TextWords,
  tokenizer: usize,
  text: usize,
  length: u32,
  locales: usize,
  matcher: TermMatcher | null,
  withTokens: bool,
): void {
  begin(words);
  if (tokenizer === 0 && locales === 0 && length <= MAX_ASCII_BYTES && isAscii(text, length)) {
    if (readAsciiWords(words, text, length, matcher, withTokens)) return;
    begin(words);
  }
  streamBegin(tokenizer, text, length, locales);
  while (streamNext()) {
    const kind = streamKind();
    if (withTokens) bufferPush32(words.tokens, (streamEnd() << 2) | kind);
    if (kind < TOKEN_SOFT) {
      const lemmaLength = streamLemmaLength();
      if (matcher !== null && lemmaLength > 0 && mayMatch(matcher, streamLemma(), lemmaLength)) addStreamed(words);
      words.wordCount++;
    }
    words.tokenCount++;
  }
}

function begin(words: TextWords): void {
  changetype<Buffer>(words.candidates).length = 0;
  changetype<Buffer>(words.lemmas).length = 0;
  changetype<Buffer>(words.tokens).length = 0;
  words.count = 0;
  words.tokenCount = 0;
  words.wordCount = 0;
}

function addStreamed(words: TextWords): void {
  const length = streamLemmaLength();
  memory.copy(bufferRoom(words.lemmas, length), streamLemma(), length);
  const candidate = addCandidate(words, length);
  candidate.start = streamStart();
  candidate.end = streamEnd();
  candidate.script = streamScript();
  candidate.language = streamLanguage();
}
