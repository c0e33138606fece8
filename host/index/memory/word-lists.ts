import fs from 'node:fs';
import { WORD_LISTS, type WordList } from '../../../bindings/engine/word-list-bits.js';

/** Where the build puts the word lists, beside the engine. */
const FOLDER = new URL('../../../engine/words/', import.meta.url);

const fileOf = (list: WordList): URL => new URL(`${list}.words`, FOLDER);

/** The bytes of a word list (1 to 17 MB); null when this installation lacks it. */
export function readWordList(list: WordList): Uint8Array | null {
  const file = fileOf(list);
  return fs.existsSync(file) ? fs.readFileSync(file) : null;
}

/** Sizes of all word lists, in the order of {@link WORD_LISTS}; 0 when this installation lacks a list. */
export function wordListSizes(): number[] {
  return WORD_LISTS.map((list) => fs.statSync(fileOf(list), { throwIfNoEntry: false })?.size ?? 0);
}
