import { IndexPlan, Word } from '../plan/plan';
import { inIndex } from '../plan/search';
import { compareBytes } from './word-lists';

/** Number of typos (0, 1 or 2) that a word of the query may have, or an n-gram of `wordCount` words. */
export function typoBudget(index: IndexPlan, text: usize, length: u32, wordCount: u32): u32 {
  if (!index.typosEnabled || isException(index, text, length)) return 0;
  let characters: u32 = 0;
  for (let at: u32 = 0; at < length; at++) if ((<u32>load<u8>(text + at) & 0xc0) !== 0x80) characters++;
  if (characters < index.oneTypo) return 0;
  const budget: u32 = characters < index.twoTypos ? 1 : 2;
  return budget > wordCount - 1 ? budget - (wordCount - 1) : 0;
}

/** Whether the word is excluded from typo tolerance. */
function isException(index: IndexPlan, text: usize, length: u32): bool {
  let low: u32 = 0;
  let high = index.exceptionCount;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const word = changetype<Word>(inIndex(index, index.exceptions) + <usize>middle * offsetof<Word>());
    const order = compareBytes(inIndex(index, word.text), word.length, text, length);
    if (order === 0) return true;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return false;
}
