/** A search for the words of a dictionary within an edit distance of a query word, and what it has found. */
import { termIsTolerant } from '../dictionary/sides';
import { Level } from './distance';
import { isFull, TermList } from './term-list';

/** At least the bytes, and so the code points, of the longest word (250). */
export const MAX_WORD: u32 = 256;

@unmanaged
export class TypoSearch {
  /** SegmentView */
  view: usize;
  /** bitmap of deleted documents, or 0 */
  tombstones: usize;
  /** ATTRIBUTE_ flags, u8 per field; only read where there are tombstones */
  attributes: usize;
  /** the word, UTF-8, the bytes of its first code point, and its code points as in `distance.ts` */
  text: usize;
  length: u32;
  firstBytes: u32;
  query: usize;
  queryLength: u32;
  /** 1 or 2 */
  budget: u32;
  /** whether the distance is that to the nearest prefix of a dictionary word */
  isPrefix: bool;
  /** TermList of the words with one and with two typos */
  one: usize;
  two: usize;
}

/** Adds a term, unless the list is full or no live document has it as a dictionary word. */
export function addTerm(search: TypoSearch, list: usize, term: u32): void {
  const target = changetype<TermList>(list);
  if (target.count >= target.limit) return;
  if (!termIsTolerant(search.view, term, search.tombstones, search.attributes)) return;
  store<u32>(target.terms + ((<usize>target.count) << 2), term);
  target.count++;
}

/** Adds a term at a distance, unless it is none or beyond the budget. */
export function addAt(search: TypoSearch, term: u32, distance: u32): void {
  if (distance === 1) addTerm(search, search.one, term);
  else if (distance === 2 && search.budget === 2) addTerm(search, search.two, term);
}

/** Whether nothing can be added any more. */
export function isFilled(search: TypoSearch): bool {
  return isFull(search.one) && (search.budget === 1 || isFull(search.two));
}

/** Whether some prefix of what was read is a typo of the query. */
export function isWithin(search: TypoSearch, level: Level): bool {
  return level.best > 0 && level.best <= search.budget;
}
