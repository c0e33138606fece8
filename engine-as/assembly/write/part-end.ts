import { alloc, arenaMark, arenaReset } from '../runtime/arena';
import { foldToken, mapEnd } from '../text/letters';
import { MAX_FOLD_BYTES, MAX_FOLD_GROWTH } from '../text/tables';
import { isAscii } from '../text/utf8';
import { Candidate } from './text-words';

/** The end of the part of a word that became the first `folded` bytes of its normalised form; characters are never split. */
export function partEnd(word: Candidate, text: usize, folded: u32): u32 {
  const length = word.end - word.start;
  const start = text + word.start;
  if (word.lemmaLength === length && isAscii(start, length)) return word.start + folded;
  const mark = arenaMark();
  // A pair of bytes per code point: its length before and after normalisation.
  let map = alloc((<usize>length) << 1);
  foldToken(word.script, word.language, start, text + word.end, alloc(<usize>length * MAX_FOLD_GROWTH + MAX_FOLD_BYTES), map);
  let at = word.start;
  for (let became: u32 = 0; map < mapEnd && became < folded; map += 2) {
    at += load<u8>(map);
    became += load<u8>(map, 1);
  }
  arenaReset(mark);
  return at;
}
