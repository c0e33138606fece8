/** The terms of a finished builder by their numbers: in the segment (in the order of texts), and while it was filled. */
import { alloc, arenaMark, arenaReset } from '../runtime/arena';
import { sortTexts, TextEntry, textEntrySet } from '../segment/sort';
import { Term, termText } from './term';
import { wordAt, wordCount, wordSlots } from './word-table';

/** What is read for each word of a document. */
@unmanaged
export class NumberedTerm {
  /** number in the segment */
  index: u32;
  docFreq: u32;
}

/** u32[wordCount()]: addresses of the terms in the order of texts */
let sorted: usize = 0;
/** NumberedTerm[wordCount()] */
let numbered: usize = 0;

export function sortTerms(): void {
  const count = wordCount();
  sorted = alloc(((<usize>count) << 2) + 4);
  numbered = alloc(<usize>count * offsetof<NumberedTerm>() + 4);
  const mark = arenaMark();
  const entries = alloc(<usize>count * offsetof<TextEntry>());
  let next = entries;
  for (let slot: u32 = 0; slot < wordSlots(); slot++) {
    const pointer = wordAt(slot);
    if (!pointer) continue;
    const term = changetype<Term>(pointer);
    textEntrySet(next, termText(term), term.length, <u32>pointer);
    next += offsetof<TextEntry>();
  }
  sortTexts(entries, count);
  for (let i: u32 = 0; i < count; i++) {
    store<u32>(sorted + ((<usize>i) << 2), changetype<TextEntry>(entries + <usize>i * offsetof<TextEntry>()).value);
  }
  arenaReset(mark);
}

/** The term with a number in the segment. */
export function sortedTerm(index: u32): Term {
  return changetype<Term>(<usize>load<u32>(sorted + ((<usize>index) << 2)));
}

export function numberedTerm(number: u32): NumberedTerm {
  return changetype<NumberedTerm>(numbered + <usize>number * offsetof<NumberedTerm>());
}

/** The term with a number in the order of first occurrences. */
export function termOfNumber(number: u32): Term {
  return sortedTerm(numberedTerm(number).index);
}
