import { alloc, arenaMark, arenaReset } from '../runtime/arena';
import { foldToken, mapEnd } from './letters';
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
  streamWholeLemmas,
} from './stream';
import { MAX_FOLD_BYTES, MAX_FOLD_GROWTH } from './tables';
import { isAscii } from './utf8';

/** A token of a text in memory: for queries and for highlighting. */
@unmanaged
export class Token {
  /** byte offsets in the text */
  start: u32;
  end: u32;
  /** address and length in bytes of the normalized text */
  lemma: u32;
  lemmaLength: u32;
  /**
   * address of a pair of bytes per code point of the text: its bytes and its normalized bytes. 0: no code point changed its
   * length, or no maps were requested
   */
  map: u32;
  /** number of pairs */
  mapLength: u32;
  /** TOKEN_WORD, TOKEN_STOP, TOKEN_SOFT or TOKEN_HARD */
  kind: u8;
  script: u8;
  language: u8;
  reserved: u8;
}

/** The tokens of a text. */
@unmanaged
export class TextTokens {
  /** Token[] */
  list: usize;
  count: u32;

  at(position: u32): Token {
    return changetype<Token>(this.list + <usize>position * TOKEN_BYTES);
  }
}

const TOKEN_BYTES: u32 = <u32>offsetof<Token>();
const FIRST_CAPACITY: u32 = 16;
/** Lemmas and maps are allocated in blocks of this size, in bytes. */
const BLOCK_BYTES: u32 = 4096;

let tokens: usize = 0;
let capacity: u32 = 0;
let block: usize = 0;
let blockLeft: u32 = 0;

/** Memory for the next {@link Token}; moves the array when it is full. */
function nextToken(position: u32): usize {
  if (position === capacity) {
    const larger = alloc(<usize>(capacity << 1) * TOKEN_BYTES);
    memory.copy(larger, tokens, <usize>capacity * TOKEN_BYTES);
    tokens = larger;
    capacity <<= 1;
  }
  return tokens + <usize>position * TOKEN_BYTES;
}

/** Allocates `bytes` bytes in scratch memory. */
function take(bytes: u32): usize {
  if (bytes > blockLeft) {
    blockLeft = max(bytes, BLOCK_BYTES);
    block = alloc(blockLeft);
  }
  const at = block;
  block += bytes;
  blockLeft -= bytes;
  return at;
}

/** Whether some code point has changed its length. */
function changesLengths(map: usize, end: usize): bool {
  for (; map < end; map += 2) {
    if (load<u8>(map) !== load<u8>(map, 1)) return true;
  }
  return false;
}

function addMap(token: Token, text: usize): void {
  const length = token.end - token.start;
  const start = text + token.start;
  if (token.lemmaLength === length && isAscii(start, length)) return;
  const map = take(length << 1);
  const mark = arenaMark();
  foldToken(token.script, token.language, start, text + token.end, alloc(length * MAX_FOLD_GROWTH + MAX_FOLD_BYTES), map);
  arenaReset(mark);
  if (!changesLengths(map, mapEnd)) return;
  token.map = <u32>map;
  token.mapLength = <u32>(mapEnd - map) >> 1;
}

/**
 * Tokenizes a text into records in scratch memory. `locales`: a list of locales or 0. The text must stay at its address as long
 * as the records are used.
 */
export function tokenize(tokenizer: usize, text: usize, length: u32, locales: usize, withMaps: bool): TextTokens {
  capacity = FIRST_CAPACITY;
  tokens = alloc(FIRST_CAPACITY * TOKEN_BYTES);
  blockLeft = 0;
  streamBegin(tokenizer, text, length, locales);
  streamWholeLemmas();
  let count: u32 = 0;
  while (streamNext()) {
    const token = changetype<Token>(nextToken(count));
    count++;
    token.start = streamStart();
    token.end = streamEnd();
    token.lemmaLength = streamLemmaLength();
    const lemma = take(token.lemmaLength);
    memory.copy(lemma, streamLemma(), token.lemmaLength);
    token.lemma = <u32>lemma;
    token.map = 0;
    token.mapLength = 0;
    token.kind = <u8>streamKind();
    token.script = <u8>streamScript();
    token.language = <u8>streamLanguage();
    if (withMaps) addMap(token, text);
  }
  const all = changetype<TextTokens>(alloc(offsetof<TextTokens>()));
  all.list = tokens;
  all.count = count;
  return all;
}
