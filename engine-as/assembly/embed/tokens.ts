import { Buffer, bufferCreate, bufferPushBytes } from '../runtime/buffer';
import { cachedTokens, cacheTokens } from './cached-words';
import { MAX_WORD_BYTES, mergeWord } from './merges';
import { StaticModel, TOKENIZER_BYTE_PAIR } from './model';
import { isPlainWord, splitPlainWord } from './word-piece';

const BLANK: u8 = 0x20;
const TAB: u8 = 0x09;
const LINE_FEED: u8 = 0x0a;
const RETURN: u8 = 0x0d;

/** Initial bytes for the tokens of a text. */
const FIRST_BYTES: usize = 4096;

/** A text that is being tokenized; for {@link TOKENIZER_BYTE_PAIR} with a space before it. */
@unmanaged
export class Tokens {
  /** rest of the text, UTF-8 */
  at: usize;
  end: usize;
  /** the word that the host must tokenize, which ends at `at`; 0: none */
  word: usize;
  /** from the host: the tokens of that word, or of the whole text if there is no such word; u32[givenCount] */
  given: usize;
  givenCount: u32;
  /** Buffer of u32: the tokens so far; 0: a new one */
  buffer: usize;
  /** at the end: u32[count] */
  data: usize;
  count: u32;
}

/** Takes over the tokens from the host, then continues. Returns false at the next word that the host must tokenize. */
export function findTokens(model: StaticModel, text: Tokens): bool {
  if (text.buffer === 0) text.buffer = bufferCreate(FIRST_BYTES);
  if (text.word !== 0) cacheTokens(model.words, text.word, <u32>(text.at - text.word), text.given, text.givenCount);
  bufferPushBytes(text.buffer, text.given, (<usize>text.givenCount) << 2);
  text.word = 0;
  text.givenCount = 0;
  while (text.at < text.end) {
    const word = model.tokenizer === TOKENIZER_BYTE_PAIR ? nextAfterBlanks(text) : nextBetweenSpace(text);
    const length = <u32>(text.at - word);
    if (length === 0 || cachedTokens(model.words, word, length, text.buffer)) continue;
    const before = changetype<Buffer>(text.buffer).length;
    if (length > MAX_WORD_BYTES || (model.tokenizer !== TOKENIZER_BYTE_PAIR && !isPlainWord(word, length))) {
      text.word = word;
      return false;
    }
    if (model.tokenizer === TOKENIZER_BYTE_PAIR) mergeWord(model, word, length, text.buffer);
    else splitPlainWord(model, word, length, text.buffer);
    const tokens = changetype<Buffer>(text.buffer);
    cacheTokens(model.words, word, length, tokens.data + before, <u32>(tokens.length - before) >> 2);
  }
  const found = changetype<Buffer>(text.buffer);
  text.data = found.data;
  text.count = <u32>(found.length >> 2);
  return true;
}

/** Finds the end of a run of blanks and the text up to the next blank. */
function nextAfterBlanks(text: Tokens): usize {
  const end = text.end;
  const start = text.at;
  let at = start;
  while (at < end && load<u8>(at) === BLANK) at++;
  while (at < end && load<u8>(at) !== BLANK) at++;
  text.at = at;
  return start;
}

function isSpace(byte: u8): bool {
  return byte === BLANK || byte === LINE_FEED || byte === TAB || byte === RETURN;
}

/** White space outside ASCII is processed by the host. */
function nextBetweenSpace(text: Tokens): usize {
  const end = text.end;
  let at = text.at;
  while (at < end && isSpace(load<u8>(at))) at++;
  const start = at;
  while (at < end && !isSpace(load<u8>(at))) at++;
  text.at = at;
  return start;
}
