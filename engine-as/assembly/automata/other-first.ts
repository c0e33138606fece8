/**
 * Words with typos that begin with another code point than the query: exactly one edit at the beginning. The first code point is replaced,
 * deleted, preceded by another one, or transposed with the second.
 */
import { filterHasKey, KeyFilter } from '../dictionary/key-filter';
import { firstAt, KEY_BYTES, textKey } from '../dictionary/samples';
import { prefixEnd, prefixStart, termBegin, termLength } from '../dictionary/terms';
import { alloc } from '../runtime/arena';
import { Samples } from '../segment/layout';
import { SegmentView } from '../segment/view';
import { charAfter, decodedBytes } from './code-points';
import { isFull, newList, sortTail, TermList } from './term-list';
import { addTerm, TypoSearch } from './typo-search';

/** A list of at most `limit` or a few more of these words, ascending. */
export function otherFirst(search: TypoSearch, limit: u32): usize {
  const segment = changetype<SegmentView>(search.view);
  // The list may have almost `limit` terms when up to `limit` of each of the four kinds are added.
  const found = newList(limit * 5);
  const firstBytes = search.firstBytes;
  const rest = search.text + firstBytes;
  const restLength = search.length - firstBytes;
  const pattern = alloc(<usize>(search.length + KEY_BYTES));
  const first = load<u32>(search.query);
  const samples = changetype<Samples>(segment.samples);
  const isSampled = changetype<usize>(samples) !== 0;
  let index: u32 = 0;
  let term: u32 = 0;
  while (term < segment.termCount) {
    index++;
    const char = charAfter(segment, term, 0, load<u8>(segment.termLcp + term));
    const charBytes = decodedBytes();
    if (charBytes === 0) {
      term++;
      continue;
    }
    let end = segment.termCount;
    if (!isSampled) end = prefixEnd(search.view, termBegin(search.view, term), charBytes, term, end);
    else if (index < samples.firstCount) end = firstAt(samples, index);
    if (char !== first) {
      const before = changetype<TermList>(found).count;
      addPreceded(search, found, char, charBytes, rest, restLength, term, end, limit); // replaced
      addPreceded(search, found, char, charBytes, search.text, search.length, term, end, limit); // preceded
      if (search.queryLength > 1 && char === load<u32>(search.query, 4)) {
        addMatching(search, found, rest, restLength, term, end, limit); // dropped
        memory.copy(pattern, rest, charBytes);
        memory.copy(pattern + charBytes, search.text, firstBytes);
        memory.copy(pattern + charBytes + firstBytes, rest + charBytes, restLength - charBytes);
        addMatching(search, found, pattern, search.length, term, end, limit); // swapped
      }
      sortTail(found, before);
      if (changetype<TermList>(found).count >= limit) return found;
    }
    term = end;
  }
  return found;
}

/** Adds the terms of [from, to), which begin with a code point, that consist of it and a text. */
function addPreceded(
  search: TypoSearch,
  list: usize,
  char: u32,
  charBytes: u32,
  text: usize,
  length: u32,
  from: u32,
  to: u32,
  limit: u32,
): void {
  const key =
    (charBytes === 1 ? (<u64>char) << 56 : textKey(termBegin(search.view, from), charBytes)) |
    (textKey(text, length) >>> (charBytes << 3));
  if (!mayMatch(search, key, charBytes + length)) return;
  const pattern = alloc(<usize>(charBytes + length + KEY_BYTES));
  memory.copy(pattern, termBegin(search.view, from), charBytes);
  memory.copy(pattern + charBytes, text, length);
  addMatching(search, list, pattern, charBytes + length, from, to, limit);
}

/** Whether the dictionary may have terms that match a text with this key: false is certain. */
function mayMatch(search: TypoSearch, key: u64, length: u32): bool {
  const filter = changetype<SegmentView>(search.view).keyFilter;
  if (filter === 0 || (search.isPrefix && length < KEY_BYTES)) return true;
  return filterHasKey(changetype<KeyFilter>(filter), key);
}

/** Adds the first `limit` terms that equal a text, or start with it in prefix mode. */
function addMatching(search: TypoSearch, list: usize, text: usize, length: u32, from: u32, to: u32, limit: u32): void {
  changetype<TermList>(list).limit = changetype<TermList>(list).count + limit;
  if (!mayMatch(search, textKey(text, length), length)) return;
  const view = search.view;
  const first = prefixStart(view, text, length, from, to);
  if (search.isPrefix) {
    const last = prefixEnd(view, text, length, first, to);
    for (let term = first; term < last && !isFull(list); term++) addTerm(search, list, term);
  } else if (first < to && termLength(view, first) === length) {
    if (memory.compare(termBegin(view, first), text, length) === 0) addTerm(search, list, first);
  }
}
