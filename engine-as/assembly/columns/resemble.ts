/** Finds texts of a column that begin with a word, except for some typos: for facet search. */
import { alloc, arenaMark, arenaReset } from '../runtime/arena';
import { bitmapAdd } from '../sets/bitmap';
import { ColumnHeader } from './layout';

/**
 * Classifies the normalized texts of a column, by ordinal. The bitmap `matches` gets ASCII texts with a prefix within `typos`
 * edits (a transposition counts as one) of a word of `count` code points (u32). The bitmap `others` gets texts with other
 * characters, whose folded form must be compared.
 */
export function columnResembling(column: usize, word: usize, count: u32, typos: u32, matches: usize, others: usize): void {
  const header = changetype<ColumnHeader>(column);
  const starts = column + header.normalizedOffset;
  const bytes = column + header.normalizedBytesOffset;
  const mark = arenaMark();
  const rows = alloc(3 * (<usize>count + 1));
  for (let ordinal: u32 = 0; ordinal < header.normalizedCount; ordinal++) {
    const from = load<u32>(starts + ((<usize>ordinal) << 2));
    const length = load<u32>(starts + ((<usize>ordinal) << 2), 4) - from;
    if (!isAscii(bytes + from, length)) bitmapAdd(others, ordinal);
    else if (beginsLike<u8>(bytes + from, length, word, count, typos, rows)) bitmapAdd(matches, ordinal);
  }
  arenaReset(mark);
}

function letterAt<Letter>(text: usize, index: u32): u32 {
  return <u32>load<Letter>(text + <usize>index * sizeof<Letter>());
}

function isAscii(text: usize, length: u32): bool {
  let seen: u8 = 0;
  for (let i: u32 = 0; i < length; i++) seen |= load<u8>(text + i);
  return seen < 0x80;
}

/**
 * Whether a prefix of a text (one byte or one u32 per code point) is within `typos` edits of a word: optimal string alignment,
 * with one row of u8 costs per code point of the text. `rows`: memory for three rows of count + 1.
 */
export function beginsLike<Letter>(text: usize, length: u32, word: usize, count: u32, typos: u32, rows: usize): bool {
  if (count <= typos) return true;
  let before = rows;
  let row = rows + count + 1;
  let next = row + count + 1;
  for (let i: u32 = 0; i <= count; i++) store<u8>(row + i, <u8>min<u32>(i, 0xff));
  const end = min(length, count + typos);
  for (let j: u32 = 1; j <= end; j++) {
    const letter = letterAt<Letter>(text, j - 1);
    let smallest: u32 = j;
    store<u8>(next, <u8>min<u32>(j, 0xff));
    for (let i: u32 = 1; i <= count; i++) {
      const wanted = load<u32>(word + ((<usize>i - 1) << 2));
      let cost = min<u32>(load<u8>(row + i), load<u8>(next + i - 1)) + 1;
      cost = min<u32>(cost, <u32>load<u8>(row + i - 1) + (wanted === letter ? 0 : 1));
      if (i > 1 && j > 1 && wanted === letterAt<Letter>(text, j - 2) && load<u32>(word + ((<usize>i - 2) << 2)) === letter) {
        cost = min<u32>(cost, <u32>load<u8>(before + i - 2) + 1);
      }
      store<u8>(next + i, <u8>min<u32>(cost, 0xff));
      smallest = min(smallest, cost);
    }
    if (<u32>load<u8>(next + count) <= typos) return true;
    if (smallest > typos) return false;
    const spare = before;
    before = row;
    row = next;
    next = spare;
  }
  return false;
}
