import { propertiesOf, scriptIn } from './properties';
import { SCRIPT_HAN, SCRIPT_HANGUL, SCRIPT_HIRAGANA, SCRIPT_KATAKANA } from './tables';

/*
 * Without their dictionaries Japanese and Korean are divided where the class of characters changes: ideographs, syllables,
 * full-width letters, digits. Consecutive words of one class are not divided.
 */

const OTHER: u32 = 0;
const IDEOGRAPHS: u32 = 1;
const HIRAGANA: u32 = 2;
const KATAKANA: u32 = 3;
const HANGUL: u32 = 4;
const DIGITS: u32 = 5;
const LETTERS: u32 = 6;
/** Belongs to the word before it. */
export const CONTINUES: u32 = 7;

const LONG_MARK: u32 = 0x30fc;
/** Combining voiced sound marks of kana. */
const VOICED: u32 = 0x3099;
const HALF_VOICED: u32 = 0x309a;

function isDigit(point: u32): bool {
  return point - 0x30 < 10 || point - 0xff10 < 10;
}

export function japaneseClass(point: u32): u32 {
  if (isDigit(point)) return DIGITS;
  if (point === LONG_MARK || point === VOICED || point === HALF_VOICED) return CONTINUES;
  const script = scriptIn(propertiesOf(point));
  if (script === SCRIPT_HAN) return IDEOGRAPHS;
  if (script === SCRIPT_HIRAGANA) return HIRAGANA;
  return script === SCRIPT_KATAKANA ? KATAKANA : OTHER;
}

/** Syllables and letters of Hangul, without the full-width forms and signs of its script. */
export function isHangulLetter(point: u32): bool {
  if (point < 0x3130) return point - 0x1100 < 0x100;
  return point <= 0x318f || point - 0xa960 < 0x20 || point - 0xac00 < 0x2c00;
}

export function koreanClass(point: u32): u32 {
  if (isDigit(point)) return DIGITS;
  // Full-width letters and half-width kana have the same script number as Hangul.
  if (point - 0xff21 < 26 || point - 0xff41 < 26) return LETTERS;
  if (point >= 0xff66 && point <= 0xff9f) return KATAKANA;
  return scriptIn(propertiesOf(point)) === SCRIPT_HANGUL ? HANGUL : OTHER;
}
