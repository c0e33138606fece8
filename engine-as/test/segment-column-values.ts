import type { SegmentBytes } from './segment-bytes.js';

export interface FileColumn {
  exists: number[];
  nulls: number[];
  empties: number[];
  singleNumber: boolean;
  singleString: boolean;
  numbers: number[];
  numbersOf: number[][];
  strings: string[];
  normalized: string[];
  normalizedOf: number[];
  stringsOf: number[][];
}

/** The documents of each value of a column. */
export interface FileValueDocuments {
  numbers: number[][];
  normalized: number[][];
  /** Number of these that are stored as bitmaps. */
  bitmaps: number;
}

type Six = [number, number, number, number, number, number];

export function valueDocuments(file: SegmentBytes, field: number): FileValueDocuments | null {
  const section = file.optional(16, field);
  const stored = column(file, field);
  if (!section || !stored) return null;
  const at = section.offset;
  const width = file.u32(at);
  const document = (place: number) => Number(file.view.getBigUint64(place, true) & ((1n << BigInt(8 * width)) - 1n));
  let bitmaps = 0;
  const lists = (head: number, ordinalsOf: readonly number[][]): number[][] => {
    const [valueCount, entryCount, startsOffset, documentsOffset, frequentCount, frequentOffset] = file.u32s(head, 6) as Six;
    const entries = Array.from({ length: entryCount }, (_, i) => document(at + documentsOffset + width * i));
    const starts = startsOffset === 0 ? null : file.u32s(at + startsOffset, valueCount + 1);
    const values = Array.from({ length: valueCount }, (_, ordinal) =>
      starts ? entries.slice(starts[ordinal], starts[ordinal + 1]) : entries.filter((doc) => ordinalsOf[doc]?.[0] === ordinal),
    );
    if (!starts && String(values.flat()) !== String(entries)) throw new Error('lists without starts are out of order');
    for (let i = 0; i < frequentCount; i++) {
      const [ordinal, count, offset] = file.u32s(at + frequentOffset + 12 * i, 3) as [number, number, number];
      values[ordinal] = file.bits(at + offset);
      if (values[ordinal]?.length !== count) throw new Error(`a bitmap of ${count} has other members`);
      bitmaps++;
    }
    return values;
  };
  const normalizedOf = stored.stringsOf.map((list) => list.map((original) => stored.normalizedOf[original] as number));
  const numbers = lists(at + 8, stored.numbersOf);
  return { numbers, normalized: lists(at + 32, normalizedOf), bitmaps };
}

export function column(file: SegmentBytes, field: number): FileColumn | null {
  const section = file.optional(6, field);
  if (!section) return null;
  const at = section.offset;
  const word = (i: number) => file.u32(at + 4 * i);
  const [flags, numberCount, stringCount, normalizedCount] = [word(1), word(2), word(3), word(4)];
  const only = (place: number, width: number): number[] => {
    const ordinal = width === 1 ? file.view.getUint8(place) : width === 2 ? file.view.getUint16(place, true) : file.u32(place);
    return ordinal === 2 ** (8 * width) - 1 ? [] : [ordinal];
  };
  const lists = (isSingle: number, width: number, docs: number, values: number, count: number): number[][] => {
    if (count === 0) return Array.from({ length: file.docCount }, () => []);
    if (isSingle) return Array.from({ length: file.docCount }, (_, i) => only(at + docs + width * i, width));
    const starts = file.u32s(at + docs, file.docCount + 1);
    return starts.slice(1).map((end, i) => file.u32s(at + values + 4 * (starts[i] as number), end - (starts[i] as number)));
  };
  return {
    exists: file.bits(at + word(5)),
    nulls: file.bits(at + word(6)),
    empties: file.bits(at + word(7)),
    singleNumber: (flags & 1) !== 0,
    singleString: (flags & 2) !== 0,
    numbers: Array.from({ length: numberCount }, (_, i) => file.view.getFloat64(at + word(8) + 8 * i, true)),
    numbersOf: lists(flags & 1, (flags >> 8) & 7, word(9), word(10), numberCount),
    strings: stringCount ? file.texts(at + word(11), at + word(12), stringCount) : [],
    normalizedOf: stringCount ? file.u32s(at + word(13), stringCount) : [],
    normalized: stringCount ? file.texts(at + word(14), at + word(15), normalizedCount) : [],
    stringsOf: lists(flags & 2, (flags >> 12) & 7, word(16), word(17), stringCount),
  };
}
