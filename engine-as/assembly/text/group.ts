import { workBlock } from '../runtime/arena';
import { detectArabic, detectLatin } from './detect';
import {
  hasLocale,
  LANGUAGE_ARA,
  LANGUAGE_CMN,
  LANGUAGE_DEU,
  LANGUAGE_JPN,
  LANGUAGE_NONE,
  LANGUAGE_PES,
  LANGUAGE_ZHO,
  localeAt,
  localeCount,
} from './languages';
import { propertiesOf, scriptIn } from './properties';
import {
  SCRIPT_ARABIC,
  SCRIPT_ARMENIAN,
  SCRIPT_COUNT,
  SCRIPT_HAN,
  SCRIPT_HANGUL,
  SCRIPT_HIRAGANA,
  SCRIPT_KATAKANA,
  SCRIPT_KHMER,
  SCRIPT_LATIN,
  SCRIPT_OTHER,
  SCRIPT_THAI,
} from './tables';
import { utf8Decode, utf8Length } from './utf8';

/*
 * Divides a text into groups of one script each. Han, hiragana and katakana count as one script, stored as Han. Digits, white
 * space and signs (OTHER) do not end a group.
 */

/** Segmenters: how the text between two separators is divided into words. */
export const SEGMENT_WHOLE: u32 = 0;
export const SEGMENT_ARABIC: u32 = 1;
export const SEGMENT_THAI: u32 = 2;
export const SEGMENT_KHMER: u32 = 3;
export const SEGMENT_GERMAN: u32 = 4;
export const SEGMENT_CHINESE: u32 = 5;
export const SEGMENT_JAPANESE: u32 = 6;
export const SEGMENT_KOREAN: u32 = 7;

/** Results of {@link scanGroup}, valid until the next call. */
export let groupEnd: usize = 0;
export let groupScript: u32 = 0;
export let groupLanguage: u32 = 0;
export let groupSegmenter: u32 = 0;

let armenianCount: u32 = 0;
let hanCount: u32 = 0;
let hiraganaCount: u32 = 0;
let katakanaCount: u32 = 0;
let mainCount: u32 = 0;
/** whether an Armenian letter came before all letters of other scripts */
let armenianFirst: bool = false;

export function isAsciiLetter(byte: u32): bool {
  return (byte | 0x20) - 0x61 < 26;
}

function familyOf(script: u32): u32 {
  return script === SCRIPT_HIRAGANA || script === SCRIPT_KATAKANA ? SCRIPT_HAN : script;
}

/** Finds the end of the group that begins at `start` and counts its code points. Returns the script that delimits it. */
function measure(start: usize, end: usize): u32 {
  armenianCount = hanCount = hiraganaCount = katakanaCount = mainCount = 0;
  armenianFirst = false;
  let current = SCRIPT_OTHER;
  let at = start;
  while (at < end) {
    const byte = <u32>load<u8>(at);
    if (byte < 0x80) {
      if (isAsciiLetter(byte)) {
        if (current === SCRIPT_LATIN) {
          mainCount++;
        } else if (current === SCRIPT_OTHER) {
          current = SCRIPT_LATIN;
          mainCount++;
        } else break;
      }
      at++;
      continue;
    }
    const script = scriptIn(propertiesOf(utf8Decode(at)));
    if (script === SCRIPT_ARMENIAN) {
      if (mainCount === 0) armenianFirst = true;
      armenianCount++;
    } else if (script !== SCRIPT_OTHER) {
      const family = familyOf(script);
      if (current !== SCRIPT_OTHER && family !== current) break;
      current = family;
      mainCount++;
      if (script === SCRIPT_HAN) hanCount++;
      else if (script === SCRIPT_HIRAGANA) hiraganaCount++;
      else if (script === SCRIPT_KATAKANA) katakanaCount++;
    }
    at += utf8Length(byte);
  }
  groupEnd = at;
  return current;
}

/** Text in Han and kana is Japanese if more than a twentieth of it is kana. */
function detectHan(locales: usize): u32 {
  const kana = hiraganaCount + katakanaCount;
  if (hiraganaCount > hanCount || katakanaCount > hanCount) return LANGUAGE_JPN;
  if (localeCount(locales) !== 0 && !hasLocale(locales, LANGUAGE_CMN) && !hasLocale(locales, LANGUAGE_ZHO)) return LANGUAGE_JPN;
  return kana * 20 > kana + hanCount ? LANGUAGE_JPN : LANGUAGE_CMN;
}

function languageOf(script: u32, locales: usize, start: usize): u32 {
  if (script !== SCRIPT_LATIN && script !== SCRIPT_HAN && script !== SCRIPT_ARABIC) return LANGUAGE_NONE;
  const count = localeCount(locales);
  if (count === 1) return localeAt(locales, 0);
  if (script === SCRIPT_HAN) return detectHan(locales);
  if (script === SCRIPT_ARABIC) return detectArabic(start, groupEnd, locales);
  return count === 0 ? LANGUAGE_NONE : detectLatin(start, groupEnd, locales);
}

function segmenterOf(script: u32, language: u32): u32 {
  if (script === SCRIPT_LATIN) return language === LANGUAGE_DEU ? SEGMENT_GERMAN : SEGMENT_WHOLE;
  if (script === SCRIPT_HAN) {
    if (language === LANGUAGE_CMN || language === LANGUAGE_ZHO) return SEGMENT_CHINESE;
    return language === LANGUAGE_JPN ? SEGMENT_JAPANESE : SEGMENT_WHOLE;
  }
  if (script === SCRIPT_ARABIC) return language === LANGUAGE_ARA || language === LANGUAGE_PES ? SEGMENT_ARABIC : SEGMENT_WHOLE;
  if (script === SCRIPT_HANGUL) return SEGMENT_KOREAN;
  if (script === SCRIPT_THAI) return SEGMENT_THAI;
  return script === SCRIPT_KHMER ? SEGMENT_KHMER : SEGMENT_WHOLE;
}

/** The script that most code points of a text have, across all groups; the first one among equals. */
export function scriptOfText(start: usize, end: usize): u32 {
  const counts = workBlock();
  memory.fill(counts, 0, SCRIPT_COUNT << 2);
  let best = SCRIPT_OTHER;
  for (let at = start; at < end; at += utf8Length(load<u8>(at))) {
    const script = scriptIn(propertiesOf(utf8Decode(at)));
    if (script === SCRIPT_OTHER) continue;
    const slot = counts + (script << 2);
    store<u32>(slot, load<u32>(slot) + 1);
    if (best === SCRIPT_OTHER) best = script;
  }
  // `best` is the first script in the text, so others need a greater count.
  for (let script: u32 = 1; script < SCRIPT_COUNT; script++) {
    if (load<u32>(counts + (script << 2)) > load<u32>(counts + (best << 2))) best = script;
  }
  hanCount = load<u32>(counts + (SCRIPT_HAN << 2));
  hiraganaCount = load<u32>(counts + (SCRIPT_HIRAGANA << 2));
  katakanaCount = load<u32>(counts + (SCRIPT_KATAKANA << 2));
  groupEnd = end;
  return familyOf(best);
}

/**
 * The language of a whole text of one script; LANGUAGE_NONE unless locales are given. {@link scriptOfText} must have been called
 * before.
 */
export function languageOfText(script: u32, start: usize, locales: usize): u32 {
  const count = localeCount(locales);
  return count === 0 ? LANGUAGE_NONE : count === 1 ? localeAt(locales, 0) : languageOf(script, locales, start);
}

/** Finds the group that begins at `start`, and its language and segmenter. `locales`: the languages that are allowed. */
export function scanGroup(start: usize, end: usize, locales: usize): void {
  let script = measure(start, end);
  if (armenianCount !== 0) {
    const other = script === SCRIPT_HAN ? max(hanCount, max(hiraganaCount, katakanaCount)) : mainCount;
    if (armenianCount > other || (armenianCount === other && armenianFirst)) script = SCRIPT_ARMENIAN;
  }
  groupScript = script;
  groupLanguage = languageOf(script, locales, start);
  groupSegmenter = segmenterOf(script, groupLanguage);
}

/** The same for a group that consists of ASCII only. */
export function scanAsciiGroup(start: usize, end: usize, locales: usize): void {
  groupEnd = end;
  groupScript = SCRIPT_OTHER;
  for (let at = start; at < end; at++) {
    if (isAsciiLetter(load<u8>(at))) {
      groupScript = SCRIPT_LATIN;
      break;
    }
  }
  groupLanguage = languageOf(groupScript, locales, start);
  groupSegmenter = segmenterOf(groupScript, groupLanguage);
}
