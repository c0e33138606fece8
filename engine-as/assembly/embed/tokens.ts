import { alloc } from '../runtime/arena';
import { Buffer, bufferCreate, bufferPushBytes } from '../runtime/buffer';
import { keepTokens, keptTokens } from './kept-words';
import { MAX_WORD_BYTES, mergeWord } from './merges';
import { CUTS_AT_BLANKS, StaticModel } from './model';
import { isPlainWord, splitPlainWord } from './word-piece';

const BLANK: u8 = 0x20;
const TAB: u8 = 0x09;
const LINE_FEED: u8 = 0x0a;
const RETURN: u8 = 0x0d;

/** Bytes of the tokens of a text before their room grows. */
const FIRST_BYTES: usize = 4096;

/** A text on its way to its tokens, in scratch. */
@unmanaged
export class Tokens {
  /** what is left of the text, UTF-8 */
  at: usize;
  end: usize;
  /** Buffer of u32: the tokens so far */
  buffer: usize;
  /** in the end: u32[count] */
  data: usize;
  count: u32;
  /** the word that the host is asked for; it ends at `at` */
  word: usize;
}

/** Begins with a text; of {@link CUTS_AT_BLANKS} a blank stands before it. */
export function tokensCreate(text: usize, length: usize): Tokens {
  const tokens = changetype<Tokens>(alloc(offsetof<Tokens>()));
  tokens.at = text;
  tokens.end = text + length;
  tokens.buffer = bufferCreate(FIRST_BYTES);
  return tokens;
}

/** Goes on with a text; false: it has stopped at a word whose tokens only the host knows: see {@link tokensGive}. */
export function tokensNext(model: StaticModel, text: Tokens): bool {
  while (text.at < text.end) {
    const word = model.cuts === CUTS_AT_BLANKS ? nextAfterBlanks(text) : nextBetweenSpace(text);
    const length = <u32>(text.at - word);
    if (length === 0 || keptTokens(model.words, word, length, text.buffer)) continue;
    const before = changetype<Buffer>(text.buffer).length;
    if (length > MAX_WORD_BYTES || (model.cuts !== CUTS_AT_BLANKS && !isPlainWord(word, length))) {
      text.word = word;
      return false;
    }
    if (model.cuts === CUTS_AT_BLANKS) mergeWord(model, word, length, text.buffer);
    else splitPlainWord(model, word, length, text.buffer);
    const tokens = changetype<Buffer>(text.buffer);
    keepTokens(model.words, word, length, tokens.data + before, <u32>(tokens.length - before) >> 2);
  }
  const found = changetype<Buffer>(text.buffer);
  text.data = found.data;
  text.count = <u32>(found.length >> 2);
  return true;
}

/** The tokens of the word at which {@link tokensNext} has stopped: u32[count]. */
export function tokensGive(model: StaticModel, text: Tokens, tokens: usize, count: u32): void {
  keepTokens(model.words, text.word, <u32>(text.at - text.word), tokens, count);
  bufferPushBytes(text.buffer, tokens, (<usize>count) << 2);
}

/** Blanks and what follows them up to the next blank: answers where that begins. */
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

/** Other white space than that of ASCII is for the host to see. */
function nextBetweenSpace(text: Tokens): usize {
  const end = text.end;
  let at = text.at;
  while (at < end && isSpace(load<u8>(at))) at++;
  const start = at;
  while (at < end && !isSpace(load<u8>(at))) at++;
  text.at = at;
  return start;
}
