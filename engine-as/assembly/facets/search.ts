/** Facet search: the texts of a column that start with a word, with typos, or that equal it, when both are folded. */

import { ColumnHeader } from '../columns/layout';
import { beginsLike, columnResembling } from '../columns/resemble';
import { alloc, allocZeroed, arenaMark, arenaReset } from '../runtime/arena';
import { poolBegin, poolCopy } from '../runtime/pool';
import { bitmapBytes } from '../segment/layout';
import { bitmapHas } from '../sets/bitmap';
import { FACET_BYTES, foldFacetInto } from '../text/facet';
import { MAX_FOLD_GROWTH } from '../text/tables';
import { utf8Decode, utf8Length } from '../text/utf8';
import { FacetSearch } from './plan';
import { FacetText } from './values';

/** A search over the texts of one column. */
@unmanaged
export class FacetMatcher {
  search: FacetSearch;
  /** bitmaps over ordinals of normalized texts: see {@link columnResembling} */
  matches: usize;
  others: usize;
  /** memory for the folded form of one text */
  room: usize;
}

export function matcherCreate(search: FacetSearch, column: usize): FacetMatcher {
  poolBegin();
  const matcher = changetype<FacetMatcher>(alloc(offsetof<FacetMatcher>()));
  const bytes = bitmapBytes(changetype<ColumnHeader>(column).normalizedCount);
  matcher.search = search;
  matcher.matches = allocZeroed(bytes);
  matcher.others = allocZeroed(bytes);
  matcher.room = alloc(FACET_BYTES * MAX_FOLD_GROWTH);
  columnResembling(column, search.address(search.letters), search.letterCount, search.typos, matcher.matches, matcher.others);
  return matcher;
}

/** Whether a text matches. If so its folded form is stored. */
export function matchText(matcher: FacetMatcher, ordinal: u32, text: FacetText): bool {
  const search = matcher.search;
  const isOther = bitmapHas(matcher.others, ordinal);
  if (!isOther && !bitmapHas(matcher.matches, ordinal)) return false;
  const folded = isOther ? matcher.room : text.text;
  const length = isOther ? foldFacetInto(text.text, text.length, localesOf(search), folded) : text.length;
  if (search.whole) {
    if (length !== search.length || memory.compare(folded, search.address(search.query), length) !== 0) return false;
  } else if (isOther && !foldedBeginsLike(search, folded, length)) {
    return false;
  }
  text.folded = isOther ? poolCopy(folded, length) : folded;
  text.foldedLength = length;
  return true;
}

function localesOf(search: FacetSearch): usize {
  return search.locales === 0 ? 0 : search.address(search.locales);
}

function foldedBeginsLike(search: FacetSearch, folded: usize, length: u32): bool {
  const mark = arenaMark();
  const letters = alloc((<usize>length) << 2);
  const end = folded + length;
  let count: u32 = 0;
  for (let at = folded; at < end; at += utf8Length(<u32>load<u8>(at))) {
    store<u32>(letters + ((<usize>count) << 2), utf8Decode(at));
    count++;
  }
  const rows = alloc(3 * (<usize>search.letterCount + 1));
  const found = beginsLike<u32>(letters, count, search.address(search.letters), search.letterCount, search.typos, rows);
  arenaReset(mark);
  return found;
}
