/** Leaf filters: which documents of a segment have a value that a condition selects. All of them only add to the bitmap. */
import { COLUMN_SINGLE_NUMBER, COLUMN_SINGLE_STRING, ColumnHeader } from '../segment/layout';
import { bitmapAdd, bitmapHas, bitmapSetRange } from '../sets/bitmap';

/** Adds the documents (local numbers) that have a number whose ordinal lies in [from, end). */
export function columnSelectNumbers(column: usize, docCount: u32, from: u32, end: u32, bitmap: usize): void {
  const header = changetype<ColumnHeader>(column);
  const documents = column + header.numberDocsOffset;
  if (header.flags & COLUMN_SINGLE_NUMBER) selectSingle(documents, docCount, from, end, bitmap);
  else selectMany(documents, column + header.numberValuesOffset, docCount, from, end, bitmap);
}

/** Adds the documents that have a string whose ordinal among the originals lies in [from, end). */
export function columnSelectStrings(column: usize, docCount: u32, from: u32, end: u32, bitmap: usize): void {
  const header = changetype<ColumnHeader>(column);
  const documents = column + header.stringDocsOffset;
  if (header.flags & COLUMN_SINGLE_STRING) selectSingle(documents, docCount, from, end, bitmap);
  else selectMany(documents, column + header.stringValuesOffset, docCount, from, end, bitmap);
}

/** One ordinal a document (NONE is in no range): a bit each, 8 documents a step. */
function selectSingle(ordinals: usize, docCount: u32, from: u32, end: u32, bitmap: usize): void {
  if (from >= end) return;
  const size = end - from;
  const low = i32x4.splat(<i32>from);
  const width = i32x4.splat(<i32>size);
  const steps = docCount >>> 3;
  for (let step: u32 = 0; step < steps; step++) {
    const at = ordinals + ((<usize>step) << 5);
    const first = i32x4.bitmask(i32x4.lt_u(i32x4.sub(v128.load(at), low), width));
    const second = i32x4.bitmask(i32x4.lt_u(i32x4.sub(v128.load(at, 16), low), width));
    const target = bitmap + step;
    store<u8>(target, load<u8>(target) | <u8>(first | (second << 4)));
  }
  for (let local = steps << 3; local < docCount; local++) {
    if (load<u32>(ordinals + ((<usize>local) << 2)) - from < size) bitmapAdd(bitmap, local);
  }
}

function selectMany(starts: usize, values: usize, docCount: u32, from: u32, end: u32, bitmap: usize): void {
  if (from >= end) return;
  const size = end - from;
  let value = values + ((<usize>load<u32>(starts)) << 2);
  for (let local: u32 = 0; local < docCount; local++) {
    const last = values + ((<usize>load<u32>(starts + ((<usize>local) << 2), 4)) << 2);
    for (; value < last; value += 4) {
      if (load<u32>(value) - from < size) {
        bitmapAdd(bitmap, local);
        value = last;
        break;
      }
    }
  }
}

/** Adds the documents that have a number whose ordinal is a member of the bitmap `ordinals`. */
export function columnSelectNumberSet(column: usize, docCount: u32, ordinals: usize, bitmap: usize): void {
  const header = changetype<ColumnHeader>(column);
  const single = (header.flags & COLUMN_SINGLE_NUMBER) !== 0;
  selectSet(
    column + header.numberDocsOffset,
    column + header.numberValuesOffset,
    single,
    header.numberCount,
    docCount,
    ordinals,
    bitmap,
  );
}

/** Adds the documents that have a string whose ordinal among the originals is a member of the bitmap `ordinals`. */
export function columnSelectStringSet(column: usize, docCount: u32, ordinals: usize, bitmap: usize): void {
  const header = changetype<ColumnHeader>(column);
  const single = (header.flags & COLUMN_SINGLE_STRING) !== 0;
  selectSet(
    column + header.stringDocsOffset,
    column + header.stringValuesOffset,
    single,
    header.stringCount,
    docCount,
    ordinals,
    bitmap,
  );
}

function selectSet(
  documents: usize,
  values: usize,
  single: bool,
  valueCount: u32,
  docCount: u32,
  ordinals: usize,
  bitmap: usize,
): void {
  if (single) {
    for (let local: u32 = 0; local < docCount; local++) {
      const ordinal = load<u32>(documents + ((<usize>local) << 2));
      if (ordinal < valueCount && bitmapHas(ordinals, ordinal)) bitmapAdd(bitmap, local);
    }
    return;
  }
  let value = values + ((<usize>load<u32>(documents)) << 2);
  for (let local: u32 = 0; local < docCount; local++) {
    const last = values + ((<usize>load<u32>(documents + ((<usize>local) << 2), 4)) << 2);
    for (; value < last; value += 4) {
      if (bitmapHas(ordinals, load<u32>(value))) {
        bitmapAdd(bitmap, local);
        value = last;
        break;
      }
    }
  }
}

/** Adds the ordinals of the originals whose normalized text contains a text (at least one byte) to the bitmap `ordinals`. */
export function columnContaining(column: usize, text: usize, length: u32, ordinals: usize): void {
  const header = changetype<ColumnHeader>(column);
  const starts = column + header.normalizedOffset;
  const bytes = column + header.normalizedBytesOffset;
  const normalizedOf = column + header.normalizedOfOffset;
  let original: u32 = 0;
  for (let normalized: u32 = 0; normalized < header.normalizedCount; normalized++) {
    const first = original;
    while (original < header.stringCount && load<u32>(normalizedOf + ((<usize>original) << 2)) === normalized) original++;
    const from = load<u32>(starts + ((<usize>normalized) << 2));
    const end = load<u32>(starts + ((<usize>normalized) << 2), 4);
    if (contains(bytes + from, bytes + end, text, length)) bitmapSetRange(ordinals, first, original);
  }
}

function contains(start: usize, end: usize, text: usize, length: u32): bool {
  if (<u32>(end - start) < length) return false;
  const first = load<u8>(text);
  const last = end - length;
  for (let at = start; at <= last; at++) {
    if (load<u8>(at) === first && memory.compare(at, text, length) === 0) return true;
  }
  return false;
}
