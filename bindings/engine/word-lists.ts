import type { EngineInstance } from './instance.js';
import {
  bitOf,
  japaneseFor,
  LIST_NUMBERS,
  listsIn,
  mayBeGerman,
  mayBeJapanese,
  type WordList,
  type WordListBits,
} from './word-list-bits.js';

/**
 * Lets an instance use a word list that is in its memory, at a multiple of 8, and stays there. Several instances over one memory
 * may share it. Throws when the bytes are not a word list of this version.
 */
export function useWordList(instance: EngineInstance, list: WordList, pointer: number, length: number): void {
  if (!instance.exports.tokenizerLoadDictionary(LIST_NUMBERS[list], pointer, length)) {
    throw new Error(`the word list ${list} does not have the format of this engine`);
  }
  instance.wordLists |= bitOf(list);
}

/**
 * Copies a word list into scratch memory and uses it. To be called between jobs: scratch memory must not be released to an
 * earlier mark.
 */
export function loadWordList(instance: EngineInstance, list: WordList, bytes: Uint8Array): void {
  useWordList(instance, list, instance.put(bytes), bytes.length);
}

/**
 * Copies a word list into the persistent arena and uses it; may be called at any time. The arena must have room and must never be
 * cleared.
 */
export function keepWordList(instance: EngineInstance, list: WordList, bytes: Uint8Array): void {
  const at = instance.exports.allocPersistent(bytes.length);
  if (at === 0) throw new Error(`the persistent memory has no room for the word list ${list}`);
  instance.bytes.set(bytes, at);
  useWordList(instance, list, at, bytes.length);
}

/** The word lists of an instance. */
export function knownWordLists(instance: EngineInstance): WordList[] {
  return listsIn(instance.wordLists);
}

/**
 * The lists that texts needed since the last call and that the instance lacked. What was tokenized meanwhile must be tokenized
 * again.
 */
export function takeMissingWordLists(instance: EngineInstance): WordList[] {
  return listsIn(instance.exports.tokenizerTakeMissing());
}

/**
 * Loads the missing lists; true: what was tokenized meanwhile must be tokenized again. `read` returns the uncompressed list, or
 * null when there is none: such texts stay unsegmented. As with {@link loadWordList}, call it between jobs, and take new marks
 * afterwards.
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

/**
 * The lists that a text or JSON may need, judged by its letters, and German by the locales. At least what {@link
 * takeMissingWordLists} would return afterwards.
 */
export function wordListsFor(instance: EngineInstance, bytes: Uint8Array, locales: readonly string[] = []): WordList[] {
  let lists = instance.scoped(() => instance.exports.wordListsFor(instance.put(bytes), bytes.length)) as WordListBits;
  if (mayBeGerman(locales)) lists |= bitOf('german');
  if (mayBeJapanese(locales)) lists |= japaneseFor(lists);
  return listsIn(lists);
}
