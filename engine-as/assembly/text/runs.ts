import { propertiesOf, scriptIn } from './properties';
import { SCRIPT_HAN, SCRIPT_HANGUL, SCRIPT_HIRAGANA, SCRIPT_KATAKANA } from './tables';

/*
 * Without their dictionary Japanese and Korean are cut where the kind of letters changes: Chinese characters, syllables, full-width
 * letters, digits. Words of one kind that follow each other stay together.
 */

const OTHER: u32 = 0;
const IDEOGRAPHS: u32 = 1;
const HIRAGANA: u32 = 2;
const KATAKANA: u32 = 3;
const HANGUL: u32 = 4;
const DIGITS: u32 = 5;
const LETTERS: u32 = 6;
/** Belongs to whatever stands before it. */
export const CONTINUES: u32 = 7;

const LONG_MARK: u32 = 0x30fc;
/** Marks of voiced kana, as code points of their own. */
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

/** Syllables and letters of Hangul; its script has full-width forms and signs, too. */
export function isHangulLetter(point: u32): bool {
  if (point < 0x3130) return point - 0x1100 < 0x100;
  return point <= 0x318f || point - 0xa960 < 0x20 || point - 0xac00 < 0x2c00;
}

export function koreanClass(point: u32): u32 {
  if (isDigit(point)) return DIGITS;
  // full-width letters and half-width kana belong to the same script as Hangul
  if (point - 0xff21 < 26 || point - 0xff41 < 26) return LETTERS;
  if (point >= 0xff66 && point <= 0xff9f) return KATAKANA;
  return scriptIn(propertiesOf(point)) === SCRIPT_HANGUL ? HANGUL : OTHER;
}
