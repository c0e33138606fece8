import type { SegmentBytes } from './segment-bytes.js';
import { terms } from './segment-terms.js';

/** The documents of a run of terms. */
export interface FileLongRun {
  from: number;
  to: number;
  sides: number;
  /** `form`: 0 a bitmap, 1 a list, 2 a list of the documents of the run without the attribute. */
  attributes: { attribute: number; form: number; docs: number[] }[];
  /** By document: 0 without the run, else 1 + the cost of its first position. Null when the run is not whole. */
  places: number[] | null;
}

/** The terms beside a frequent one, before or after it, each with its documents. */
export interface FileFrequent {
  term: number;
  adjacent: { term: number; docs: number[] }[];
}

/** A term that is the text of two terms which stand side by side in documents. */
export interface FileSplit {
  term: number;
  leftBytes: number;
  docs: number[];
}

type Six = [number, number, number, number, number, number];

const NONE = 0xffffffff;

export function longRuns(file: SegmentBytes): FileLongRun[] {
  const section = file.optional(19);
  if (!section) return [];
  const all = terms(file);
  const [count, runs, sets] = [0, 4, 8].map((at) => file.u32(section.offset + at)) as [number, number, number];
  const start = section.offset + sets;
  const bitmapBytes = 16 * Math.ceil(file.docCount / 128);
  return Array.from({ length: count }, (_, i) => {
    const [from, to, sides, parts, attributesAt, placesAt] = file.u32s(section.offset + runs + 24 * i, 6) as Six;
    const documents = () => new Set(all.slice(from, to).flatMap(({ postings }) => postings.map(({ doc }) => doc)));
    const attributes = Array.from({ length: parts }, (_, k) => {
      const [attribute, form, at, length] = file.u32s(start + attributesAt + 16 * k, 4) as [number, number, number, number];
      if (form === 0) return { attribute, form, docs: file.bits(start + at) };
      const listed = file.deltas(start + at, start + at + length);
      if (form === 1) return { attribute, form, docs: listed };
      return { attribute, form, docs: [...documents()].filter((doc) => !listed.includes(doc)).sort((a, b) => a - b) };
    });
    if (placesAt === NONE) return { from, to, sides, attributes, places: null };
    const places = new Array<number>(file.docCount).fill(0);
    for (let bit = 0; bit < 4; bit++) {
      for (const doc of file.bits(start + placesAt + bit * bitmapBytes)) (places[doc] as number) += 1 << bit;
    }
    return { from, to, sides, attributes, places };
  });
}

/** @param kind section 15: terms that follow; 27: terms that precede */
export function frequent(file: SegmentBytes, kind: 15 | 27): FileFrequent[] {
  const section = file.optional(kind);
  if (!section) return [];
  const [count, terms] = file.u32s(section.offset, 2) as [number, number];
  return Array.from({ length: count }, (_, i) => {
    const at = section.offset + terms + 16 * i;
    const [term, size, adjacentAt, documentsAt] = file.u32s(at, 4) as [number, number, number, number];
    const adjacent = Array.from({ length: size }, (_, k) => {
      const [own, from, , to] = file.u32s(section.offset + adjacentAt + 8 * k, 4) as [number, number, number, number];
      return { term: own, docs: file.deltas(section.offset + documentsAt + from, section.offset + documentsAt + to) };
    });
    return { term, adjacent };
  });
}

/** Null: the file does not say. */
export function splits(file: SegmentBytes): FileSplit[] | null {
  const section = file.optional(22);
  if (!section) return null;
  const [count, documentsAt] = file.u32s(section.offset, 2) as [number, number];
  return Array.from({ length: count }, (_, i) => {
    const [term, leftBytes, from, , , to] = file.u32s(section.offset + 8 + 12 * i, 6) as Six;
    return { term, leftBytes, docs: file.deltas(section.offset + documentsAt + from, section.offset + documentsAt + to) };
  });
}
