/**
 * Finds the words of a dictionary within an edit distance of a query word: restricted Damerau-Levenshtein over code points (a
 * transposition of neighbours counts as one edit, and is not edited again). Words with the same first code point are found by walking the
 * dictionary (`trie-walk.ts`), with a budget of two typos by their letters (`letter-walk.ts`); others are looked up (`other-first.ts`).
 * The states are bit sets of `distance.ts`.
 */

import { prefixEnd, prefixStart } from '../dictionary/terms';
import { alloc } from '../runtime/arena';
import { SegmentView } from '../segment/view';
import { decode, decodedBytes } from './code-points';
import { queryCreate } from './distance';
import { walkLetters } from './letter-walk';
import { otherFirst } from './other-first';
import { mergeInto, newList, TermList } from './term-list';
import { walkTrie } from './trie-walk';
import { TypoSearch } from './typo-search';

/** The result of {@link typoTerms}: two ascending lists of term numbers. */
@unmanaged
export class TypoTerms {
  oneTerms: usize;
  oneCount: u32;
  twoTerms: usize;
  twoCount: u32;
}

/**
 * Typo derivations of a word in one segment. `typoBudget` is 1 or 2, `isPrefix`: the distance is that to the nearest prefix of a
 * dictionary word. `deleted`: bitmap of deleted documents, or 0; `fieldFlags`: ATTRIBUTE_ flags, u8 per field (see costs/sources), only read if
 * there are deleted documents. Returns the first `oneLimit` and `twoLimit` words in byte order: the address of {@link TypoTerms} in scratch
 * memory.
 */
export function typoTerms(
  segment: usize,
  deleted: usize,
  fieldFlags: usize,
  text: usize,
  length: u32,
  typoBudget: u32,
  isPrefix: bool,
  oneLimit: u32,
  twoLimit: u32,
): usize {
  const search = changetype<TypoSearch>(alloc(offsetof<TypoSearch>()));
  search.view = segment;
  search.tombstones = deleted;
  search.attributes = fieldFlags;
  search.text = text;
  search.length = length;
  search.budget = typoBudget;
  search.isPrefix = isPrefix;
  search.one = newList(oneLimit);
  search.two = newList(twoLimit);
  readQuery(search);
  const termCount = changetype<SegmentView>(segment).termCount;
  const from = prefixStart(segment, text, search.firstBytes, 0, termCount);
  const to = prefixEnd(segment, text, search.firstBytes, from, termCount);
  if (typoBudget === 2 && changetype<SegmentView>(segment).termLetters !== 0) walkLetters(search, from, to);
  else walkTrie(search, from, to);
  if (typoBudget === 2) mergeInto(search.two, otherFirst(search, twoLimit));
  const result = changetype<TypoTerms>(alloc(offsetof<TypoTerms>()));
  result.oneTerms = changetype<TermList>(search.one).terms;
  result.oneCount = changetype<TermList>(search.one).count;
  result.twoTerms = changetype<TermList>(search.two).terms;
  result.twoCount = changetype<TermList>(search.two).count;
  return changetype<usize>(result);
}

/** Reads the code points of the word. */
function readQuery(search: TypoSearch): void {
  search.query = queryCreate(search.length);
  search.queryLength = 0;
  search.firstBytes = 0;
  for (let at: u32 = 0; at < search.length; at += decodedBytes()) {
    store<u32>(search.query + ((<usize>search.queryLength) << 2), decode(search.text + at));
    if (search.queryLength === 0) search.firstBytes = decodedBytes();
    search.queryLength++;
  }
}
