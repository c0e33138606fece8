import { LIST_CHINESE, LIST_GERMAN, LIST_JAPANESE, LIST_KHMER, LIST_KOREAN, LIST_THAI } from './exports.js';
import type { EngineInstance } from './instance.js';

/** Lists of words that some scripts need, and the engine's number of each. Files: `<name>.words`, packed with gzip. */
const NUMBERS = {
  thai: LIST_THAI,
  khmer: LIST_KHMER,
  german: LIST_GERMAN,
  chinese: LIST_CHINESE,
  japanese: LIST_JAPANESE,
  korean: LIST_KOREAN,
};
export type WordList = keyof typeof NUMBERS;
/** By their numbers. */
export const WORD_LISTS = (Object.keys(NUMBERS) as WordList[]).sort((a, b) => NUMBERS[a] - NUMBERS[b]);

/** Lists as bits, the way the engine names them: bit n is list n. */
export type WordListBits = number;

export const listsIn = (bits: WordListBits): WordList[] =>
  bits === 0 ? [] : WORD_LISTS.filter((list) => (bits & bitOf(list)) !== 0);
export const bitOf = (list: WordList): WordListBits => 1 << NUMBERS[list];

/**
 * Lets an instance use a list of words that lies in its memory at a multiple of 8 and stays there; several instances over one memory may
 * share it. Throws when the bytes are no word list of this version.
 */
export function useWordList(instance: EngineInstance, list: WordList, pointer: number, length: number): void {
  if (!instance.exports.tokenizerLoadDictionary(NUMBERS[list], pointer, length)) {
    throw new Error(`the word list ${list} does not have the format of this engine`);
  }
}

/** Copies a list of words into scratch and uses it. Call it between jobs: scratch must not be reset to a mark from before. */
export function loadWordList(instance: EngineInstance, list: WordList, bytes: Uint8Array): void {
  useWordList(instance, list, instance.put(bytes), bytes.length);
}

/** Copies a list into the persistent arena and uses it, at any time. The arena must have room and never be emptied. */
export function keepWordList(instance: EngineInstance, list: WordList, bytes: Uint8Array): void {
  const at = instance.exports.allocPersistent(bytes.length);
  if (at === 0) throw new Error(`the persistent memory has no room for the word list ${list}`);
  instance.bytes.set(bytes, at);
  useWordList(instance, list, at, bytes.length);
}

/** The lists that an instance has. */
export function knownWordLists(instance: EngineInstance): WordList[] {
  return listsIn(instance.exports.loadedWordLists());
}

/**
 * The lists that texts needed since the last call but that the instance did not have. What was tokenized meanwhile has to be tokenized
 * again with them.
 */
export function takeMissingWordLists(instance: EngineInstance): WordList[] {
  return listsIn(instance.exports.tokenizerTakeMissing());
}

/**
 * Loads the lists that were missing; true: what was tokenized meanwhile has to be done again. `read` gives the unpacked bytes of a list,
 * null when there are none: such texts stay uncut. As for {@link loadWordList}, call it between jobs, and take new marks afterwards.
 */
export function completeWordLists(instance: EngineInstance, read: (list: WordList) => Uint8Array | null): boolean {
  let loaded = false;
  for (const list of takeMissingWordLists(instance)) {
    const bytes = read(list);
    if (bytes === null) continue;
    loadWordList(instance, list, bytes);
    loaded = true;
  }
  return loaded;
}

/** Whether locales in force may make texts German, which their letters do not show. */
export function mayBeGerman(locales: readonly string[]): boolean {
  return locales.some((locale) => locale === 'deu' || locale === 'de');
}

/** Whether locales in force may make a text Japanese that has ideographs but no kana, which its letters do not show. */
export function mayBeJapanese(locales: readonly string[]): boolean {
  const [first, ...others] = locales;
  if (others.length === 0) return first === 'jpn' || first === 'ja';
  return !locales.some((locale) => locale === 'cmn' || locale === 'zho' || locale === 'zh');
}

/**
 * The lists that a text or a piece of JSON may need, by its letters; the German one only by the locales that are in force. At least
 * what {@link takeMissingWordLists} would name afterwards.
 */
export function wordListsFor(instance: EngineInstance, bytes: Uint8Array, locales: readonly string[] = []): WordList[] {
  let lists = instance.scoped(() => instance.exports.wordListsFor(instance.put(bytes), bytes.length)) as WordListBits;
  if (mayBeGerman(locales)) lists |= bitOf('german');
  if (mayBeJapanese(locales)) lists |= japaneseFor(lists);
  return listsIn(lists);
}

/** The Japanese list where ideographs may be Japanese. */
export const japaneseFor = (byLetters: WordListBits): WordListBits => (byLetters & bitOf('chinese') ? bitOf('japanese') : 0);
