import { LIST_CHINESE, LIST_GERMAN, LIST_JAPANESE, LIST_KHMER, LIST_KOREAN, LIST_THAI } from './exports.js';

/** Word lists for segmenting some languages, with the engine's number of each. Files: `<name>.words`, gzipped. */
export const LIST_NUMBERS = {
  thai: LIST_THAI,
  khmer: LIST_KHMER,
  german: LIST_GERMAN,
  chinese: LIST_CHINESE,
  japanese: LIST_JAPANESE,
  korean: LIST_KOREAN,
};
export type WordList = keyof typeof LIST_NUMBERS;
/** Ordered by number. */
export const WORD_LISTS = (Object.keys(LIST_NUMBERS) as WordList[]).sort((a, b) => LIST_NUMBERS[a] - LIST_NUMBERS[b]);

/** A set of lists in the engine's form: bit n is list n. */
export type WordListBits = number;

export const listsIn = (bits: WordListBits): WordList[] =>
  bits === 0 ? [] : WORD_LISTS.filter((list) => (bits & bitOf(list)) !== 0);
export const bitOf = (list: WordList): WordListBits => 1 << LIST_NUMBERS[list];

/** Whether these locales allow German, which cannot be recognised by letters. */
export function mayBeGerman(locales: readonly string[]): boolean {
  return locales.some((locale) => locale === 'deu' || locale === 'de');
}

/** Whether these locales allow Japanese texts with ideographs but no kana, which cannot be recognised by letters. */
export function mayBeJapanese(locales: readonly string[]): boolean {
  const [first, ...others] = locales;
  if (others.length === 0) return first === 'jpn' || first === 'ja';
  return !locales.some((locale) => locale === 'cmn' || locale === 'zho' || locale === 'zh');
}

/** Adds the Japanese list where ideographs may be Japanese. */
export const japaneseFor = (byLetters: WordListBits): WordListBits => (byLetters & bitOf('chinese') ? bitOf('japanese') : 0);
