/** Writes the texts of a column: the distinct texts, their normalized forms, and the ordinals of those of each document. */

import { COLUMN_SINGLE_STRING } from '../columns/layout';
import { ordinalSet, ordinalShift, stringWidthFlag } from '../columns/ordinals';
import { alloc } from '../runtime/arena';
import { Buffer, bufferPushBytes } from '../runtime/buffer';
import { sameText } from '../runtime/text-bytes';
import { sortTexts, TextEntry, textEntrySet } from '../segment/sort';
import { at, docCount, header, isSingle, reserve, reserveOrdinals, section } from './column-section';
import { ColumnValues } from './column-values';
import { Text, textNormalize } from './texts';

export function writeStrings(column: ColumnValues): void {
  const documents = changetype<Buffer>(column.stringDocs);
  const count = <u32>(documents.length >> 2);
  if (count === 0) return;
  const texts = changetype<Buffer>(column.strings).data;
  const entries = alloc(<usize>count * offsetof<TextEntry>());
  const distinct = collectTexts(texts, count, entries, column.field + 1);
  writeTexts(entries, distinct, sortOriginals(entries, distinct));
  header().stringCount = distinct;
  if (isSingle(documents)) {
    const shift = ordinalShift(distinct);
    header().flags |= COLUMN_SINGLE_STRING | stringWidthFlag(shift);
    const offset = reserveOrdinals(shift);
    for (let i: u32 = 0; i < count; i++) {
      ordinalSet(at(offset), shift, load<u32>(documents.data + ((<usize>i) << 2)), ordinalOf(texts, i));
    }
    header().stringDocsOffset = offset;
    return;
  }
  const starts = reserve((<usize>docCount + 1) << 2, 4);
  const values = reserve((<usize>count) << 2, 4);
  let next: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const document = load<u32>(documents.data + ((<usize>i) << 2));
    for (; next <= document; next++) store<u32>(at(starts) + ((<usize>next) << 2), i);
    store<u32>(at(values) + ((<usize>i) << 2), ordinalOf(texts, i));
  }
  for (; next <= docCount; next++) store<u32>(at(starts) + ((<usize>next) << 2), count);
  header().stringDocsOffset = starts;
  header().stringValuesOffset = values;
}

function textAt(texts: usize, index: u32): Text {
  return changetype<Text>(<usize>load<u32>(texts + ((<usize>index) << 2)));
}

function ordinalOf(texts: usize, index: u32): u32 {
  return textAt(texts, index).ordinal;
}

/** Fills entries of the distinct texts of a column with their normalized forms. Returns their number. */
function collectTexts(texts: usize, count: u32, entries: usize, mark: u32): u32 {
  let distinct: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const text = textAt(texts, i);
    if (text.column === mark) continue;
    text.column = mark;
    textNormalize(text);
    const entry = entries + <usize>distinct * offsetof<TextEntry>();
    textEntrySet(entry, text.normalized, text.normalizedLength, <u32>changetype<usize>(text));
    distinct++;
  }
  return distinct;
}

function entryAt(entries: usize, index: u32): TextEntry {
  return changetype<TextEntry>(entries + <usize>index * offsetof<TextEntry>());
}

function entryText(entries: usize, index: u32): Text {
  return changetype<Text>(<usize>entryAt(entries, index).value);
}

function sameNormalized(a: Text, b: Text): bool {
  return a.normalizedLength === b.normalizedLength && sameText(a.normalized, b.normalized, a.normalizedLength);
}

/** Sorts by normalized form, then by text, and numbers the normalized forms. Returns their number. */
function sortOriginals(entries: usize, count: u32): u32 {
  sortTexts(entries, count);
  let distinct: u32 = 0;
  let from: u32 = 0;
  while (from < count) {
    const first = entryText(entries, from);
    let to = from + 1;
    while (to < count && sameNormalized(first, entryText(entries, to))) to++;
    if (to - from > 1) {
      for (let i = from; i < to; i++) {
        const text = entryText(entries, i);
        textEntrySet(entries + <usize>i * offsetof<TextEntry>(), text.bytes, text.length, <u32>changetype<usize>(text));
      }
      sortTexts(entries + <usize>from * offsetof<TextEntry>(), to - from);
    }
    for (; from < to; from++) entryAt(entries, from).group = distinct;
    distinct++;
  }
  return distinct;
}

/** Writes the texts in order, assigns their ordinals, and writes the `distinct` normalized forms. */
function writeTexts(entries: usize, count: u32, distinct: u32): void {
  const starts = reserve((<usize>count + 1) << 2, 4);
  const normalizedOf = reserve((<usize>count) << 2, 4);
  const bytes = <u32>changetype<Buffer>(section).length;
  for (let i: u32 = 0; i < count; i++) {
    const text = entryText(entries, i);
    text.ordinal = i;
    store<u32>(at(starts) + ((<usize>i) << 2), <u32>changetype<Buffer>(section).length - bytes);
    store<u32>(at(normalizedOf) + ((<usize>i) << 2), entryAt(entries, i).group);
    bufferPushBytes(section, text.bytes, text.length);
  }
  store<u32>(at(starts) + ((<usize>count) << 2), <u32>changetype<Buffer>(section).length - bytes);
  header().stringsOffset = starts;
  header().stringBytesOffset = bytes;
  header().normalizedOfOffset = normalizedOf;
  header().normalizedCount = distinct;
  if (distinct === count && areNormalized(entries, count)) {
    header().normalizedOffset = starts;
    header().normalizedBytesOffset = bytes;
  } else {
    writeNormalized(entries, count, distinct);
  }
}

/** Whether all texts are their own normalized forms: then these need not be written again. */
function areNormalized(entries: usize, count: u32): bool {
  for (let i: u32 = 0; i < count; i++) {
    const text = entryText(entries, i);
    if (text.normalized !== text.bytes) return false;
  }
  return true;
}

function writeNormalized(entries: usize, count: u32, distinct: u32): void {
  const starts = reserve((<usize>distinct + 1) << 2, 4);
  const bytes = <u32>changetype<Buffer>(section).length;
  let ordinal: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    if (entryAt(entries, i).group !== ordinal) continue;
    const text = entryText(entries, i);
    store<u32>(at(starts) + ((<usize>ordinal) << 2), <u32>changetype<Buffer>(section).length - bytes);
    ordinal++;
    bufferPushBytes(section, text.normalized, text.normalizedLength);
  }
  store<u32>(at(starts) + ((<usize>distinct) << 2), <u32>changetype<Buffer>(section).length - bytes);
  header().normalizedOffset = starts;
  header().normalizedBytesOffset = bytes;
}
