/** WordPiece: splits a word greedily into the longest tokens that match, from left to right. */
import { Buffer, bufferPush32 } from '../runtime/buffer';
import { StaticModel } from './model';
import { NO_TOKEN, tokenOf, Vocabulary } from './vocabulary';

const UPPER_A: u8 = 0x41;
const UPPER_Z: u8 = 0x5a;
const SMALLER: u8 = 0x20;

/** Whether a word consists of printable ASCII characters. Others require Unicode tables. */
export function isPlainWord(word: usize, length: u32): bool {
  for (const end = word + length; word < end; word++) {
    const byte = load<u8>(word);
    if (byte <= 0x20 || byte >= 0x7f) return false;
  }
  return true;
}

function isPunctuation(byte: u8): bool {
  return byte < 0x30 || (byte > 0x39 && byte < 0x41) || (byte > 0x5a && byte < 0x61) || byte > 0x7a;
}

/** Appends the tokens of a word for which {@link isPlainWord} holds, of at most MAX_WORD_BYTES bytes, to a Buffer. */
export function splitPlainWord(model: StaticModel, word: usize, length: u32, out: usize): void {
  const letters = model.work;
  for (let i: u32 = 0; i < length; i++) {
    const byte = load<u8>(word + i);
    const isUpper = model.lowercase !== 0 && byte >= UPPER_A && byte <= UPPER_Z;
    store<u8>(letters + i, isUpper ? byte + SMALLER : byte);
  }
  for (let from: u32 = 0; from < length; ) {
    let to = from + 1;
    if (!isPunctuation(load<u8>(letters + from))) {
      while (to < length && !isPunctuation(load<u8>(letters + to))) to++;
    }
    pieces(model, letters + from, to - from, out);
    from = to;
  }
}

function pieces(model: StaticModel, word: usize, length: u32, out: usize): void {
  const tokens = changetype<Buffer>(out);
  const before = tokens.length;
  if (length > model.longestWord) {
    bufferPush32(out, model.unknown);
    return;
  }
  const longest = changetype<Vocabulary>(model.vocabulary).longest;
  for (let from: u32 = 0; from < length; ) {
    const prefix: u32 = from > 0 ? model.prefixLength : 0;
    const rest = length - from;
    let bytes = word + from;
    if (from > 0) {
      memory.copy(model.piece + prefix, bytes, rest);
      bytes = model.piece;
    }
    let size = min<u32>(rest, longest);
    let token = NO_TOKEN;
    for (; size > 0; size--) {
      token = tokenOf(model.vocabulary, bytes, prefix + size);
      if (token !== NO_TOKEN) break;
    }
    if (token === NO_TOKEN) {
      tokens.length = before;
      bufferPush32(out, model.unknown);
      return;
    }
    bufferPush32(out, token);
    from += size;
  }
}
