import { workBlock } from '../runtime/arena';
import { foldPoint } from './fold';
import { LANGUAGE_CMN, LANGUAGE_JPN, LANGUAGE_NONE, LANGUAGE_PES, LANGUAGE_SWE, LANGUAGE_ZHO } from './languages';
import {
  FOLD_ARABIC,
  FOLD_LATIN,
  FOLD_OF_SCRIPT,
  FOLD_PLAIN,
  SCRIPT_ARABIC,
  SCRIPT_GREEK,
  SCRIPT_HAN,
  SCRIPT_LATIN,
} from './tables';
import { utf8Decode, utf8Encode, utf8Length } from './utf8';
import { VARIANT_COUNT, VARIANTS } from './variants';

/** Number of the fold table of a script. */
export function foldOfScript(script: u32): u32 {
  return load<u8>(FOLD_OF_SCRIPT + script);
}

/** Whether folding changes decomposed code points one by one, depending on the language. */
function hasSteps(script: u32, language: u32): bool {
  if (script === SCRIPT_LATIN) return language === LANGUAGE_SWE;
  if (script === SCRIPT_ARABIC) return language === LANGUAGE_PES;
  return script === SCRIPT_HAN && (language === LANGUAGE_NONE || language === LANGUAGE_CMN || language === LANGUAGE_ZHO);
}

/** Whether folding a token takes more than the fold table of its script (and, in Greek, the final sigma). */
export function needsSteps(script: u32, language: u32): bool {
  return script === SCRIPT_HAN || hasSteps(script, language);
}

const RING_ABOVE: u32 = 0x30a;
const DIAERESIS: u32 = 0x308;

/** Code point of å, ä or ö for a letter and the mark that follows it; otherwise 0. */
function swedishLetter(letter: u32, mark: u32): u32 {
  const lower = letter | 0x20;
  if (mark === RING_ABOVE && lower === 0x61) return 0xe5;
  if (mark !== DIAERESIS) return 0;
  return lower === 0x61 ? 0xe4 : lower === 0x6f ? 0xf6 : 0;
}

const REMOVED: u32 = u32.MAX_VALUE;

/** Persian and Arabic keyboards write the same letters with different code points: maps them to one. */
function persianLetter(point: u32): u32 {
  if (point === 0x64a || point === 0x649 || point === 0x6c0) return 0x6cc;
  if (point === 0x643) return 0x6a9;
  if (point >= 0x6f0 && point <= 0x6f9) return point - 0x6f0 + 0x30;
  if (point === 0x60c) return 0x2c;
  if (point === 0x61f) return 0x3f;
  return point === 0x200c ? REMOVED : point;
}

/** Maps simplified, old and erroneous Chinese characters to their standard forms; other code points are unchanged. */
function standardForm(point: u32): u32 {
  if (point < load<u32>(VARIANTS)) return point;
  let low: u32 = 0;
  let high = VARIANT_COUNT;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (load<u32>(VARIANTS + ((<usize>middle) << 3)) < point) low = middle + 1;
    else high = middle;
  }
  const found = low < VARIANT_COUNT && load<u32>(VARIANTS + ((<usize>low) << 3)) === point;
  return found ? load<u32>(VARIANTS + ((<usize>low) << 3), 4) : point;
}

/**
 * Folds a token by decomposing it and changing the code points one by one, depending on the language. Parameters as in {@link
 * foldToken}.
 */
function foldBySteps(script: u32, text: usize, end: usize, out: usize, map: usize): u32 {
  const plain = workBlock();
  let length: u32 = 0;
  // the last decomposed letter, the address where it was written, and its entry in the map
  let letter: u32 = 0;
  let letterAt: u32 = 0;
  let letterMap: usize = 0;
  for (let at = text; at < end; ) {
    const bytes = utf8Length(load<u8>(at));
    const before = length;
    const plainEnd = plain + foldPoint(FOLD_PLAIN, utf8Decode(at), plain);
    let joined = false;
    for (let part = plain; part < plainEnd; part += utf8Length(load<u8>(part))) {
      let point = utf8Decode(part);
      if (script === SCRIPT_LATIN) {
        const recomposed = swedishLetter(letter, point);
        if (recomposed !== 0) {
          length = letterAt + utf8Encode(recomposed, out + letterAt);
          joined = letterAt < before;
          letter = 0;
          continue;
        }
        letter = point;
        letterAt = length;
        length += foldPoint(FOLD_LATIN, point, out + length);
      } else if (script === SCRIPT_HAN) {
        length += utf8Encode(standardForm(point), out + length);
      } else {
        point = persianLetter(point);
        if (point !== REMOVED) length += foldPoint(FOLD_ARABIC, point, out + length);
      }
    }
    if (map !== 0) {
      if (joined) {
        // A combining mark shares the map entry of its letter.
        store<u8>(letterMap, <u32>load<u8>(letterMap) + bytes);
        store<u8>(letterMap, <u32>load<u8>(letterMap, 1) + length - before, 1);
      } else {
        store<u8>(map, bytes);
        store<u8>(map, length - before, 1);
        if (letter !== 0 && letterAt >= before) letterMap = map;
        map += 2;
      }
    }
    at += bytes;
  }
  mapEnd = map;
  return length;
}

const KATAKANA_FIRST: u32 = 0x30a1;
const KATAKANA_LAST: u32 = 0x30fa;
const HIRAGANA_FIRST: u32 = 0x3041;
const TO_HIRAGANA: u32 = 0x60;
const SMALL_KA: u32 = 0x30f5;
const SMALL_KE: u32 = 0x30f6;
const MIDDLE_DOT: u32 = 0x30fb;
const LONG_MARK: u32 = 0x30fc;
/** For each hiragana from U+3041 on, the vowel that a long vowel mark stands for: あ い う え, none after ん; a long o is written with う. */
const A: u16 = 0x3042;
const I: u16 = 0x3044;
const U: u16 = 0x3046;
const E: u16 = 0x3048;
// biome-ignore format: a row per consonant
const LONG_VOWELS: usize = memory.data<u16>([
  A, A, I, I, U, U, E, E, U, U,
  A, A, I, I, U, U, E, E, U, U,
  A, A, I, I, U, U, E, E, U, U,
  A, A, I, I, U, U, U, E, E, U, U,
  A, I, U, E, U,
  A, A, A, I, I, I, U, U, U, E, E, E, U, U, U,
  A, I, U, E, U,
  A, A, U, U, U, U,
  A, I, U, E, U,
  A, A, I, E, U, 0, U, A, E, U, U, U, U,
]);

/** Converts katakana to hiragana in place. Returns the new length. */
function foldKana(text: usize, length: u32): u32 {
  const end = text + length;
  let out = text;
  let previous: u32 = 0;
  for (let at = text; at < end; ) {
    const bytes = utf8Length(load<u8>(at));
    let point = utf8Decode(at);
    if (point === LONG_MARK && previous !== 0) {
      point = load<u16>(LONG_VOWELS + ((previous - HIRAGANA_FIRST) << 1));
      if (point !== 0) out += utf8Encode(point, out);
    } else if (point === SMALL_KA || point === SMALL_KE || point === MIDDLE_DOT) {
      out += utf8Encode(point, out);
    } else if (point >= KATAKANA_FIRST && point <= KATAKANA_LAST) {
      previous = point - TO_HIRAGANA;
      out += utf8Encode(previous, out);
    } else {
      previous = 0;
      out += utf8Encode(point, out);
    }
    at += bytes;
  }
  return <u32>(out - text);
}

/** Replaces ς at the end of a Greek word by σ. */
export function foldFinalSigma(text: usize, length: u32): void {
  if (length >= 2 && load<u8>(text + length - 2) === 0xcf && load<u8>(text + length - 1) === 0x82)
    store<u8>(text + length - 1, 0x83);
}

/** End of the map that {@link foldToken} wrote last. */
export let mapEnd: usize = 0;

/**
 * Writes the normal form of a token (a byte range) to `out`, which has MAX_FOLD_BYTES bytes per code point. Different texts may
 * have the same normal form. `map` (0: none) receives a pair of bytes per code point: its original bytes and its normalized
 * bytes. Returns the bytes written.
 */
export function foldToken(script: u32, language: u32, text: usize, end: usize, out: usize, map: usize): u32 {
  if (hasSteps(script, language)) {
    const written = foldBySteps(script, text, end, out, map);
    return script === SCRIPT_HAN && language === LANGUAGE_NONE ? foldKana(out, written) : written;
  }
  const fold = foldOfScript(script);
  let length: u32 = 0;
  for (let at = text; at < end; ) {
    const bytes = utf8Length(load<u8>(at));
    const written = foldPoint(fold, utf8Decode(at), out + length);
    if (map !== 0) {
      store<u8>(map, bytes);
      store<u8>(map, written, 1);
      map += 2;
    }
    length += written;
    at += bytes;
  }
  mapEnd = map;
  if (script === SCRIPT_GREEK) foldFinalSigma(out, length);
  return script === SCRIPT_HAN && language === LANGUAGE_JPN ? foldKana(out, length) : length;
}
