import type { SegmentBytes } from './segment-bytes.js';

export interface FilePosting {
  doc: number;
  /** attribute * 65536 + position, ascending */
  codes: number[];
}

export interface FileTerm {
  text: string;
  flags: number;
  lcp: number;
  /** The first byte in which it differs from the term before, and the one after that, 0 at its end. */
  branch: [number, number];
  postings: FilePosting[];
  /** documents of the bitmap, when there is one */
  bitmap: number[] | null;
}

/** Samples of the dictionary. */
export interface FileSamples {
  /** The first eight bytes of each 64th term, padded with zeros. */
  keys: string[];
  /** Terms that begin with another character than the one before. */
  firsts: number[];
}

const BITMAP_FLAG = 4;

export function terms(file: SegmentBytes): FileTerm[] {
  const at = file.section(3).offset;
  const count = file.u32(at);
  const texts = file.texts(at + file.u32(at + 4), at + file.u32(at + 8), count);
  return texts.map((text, i) => {
    const flags = file.bytes[at + file.u32(at + 20) + i] as number;
    const start = file.section(4).offset + 4 * file.u32(at + file.u32(at + 24) + 4 * i);
    const docFreq = file.u32(at + file.u32(at + 16) + 4 * i);
    const lcp = file.bytes[at + file.u32(at + 12) + i] as number;
    const branches = at + file.u32(at + 28) + i;
    const branch = [file.bytes[branches], file.bytes[branches + count]] as [number, number];
    const bitmap = flags & BITMAP_FLAG ? file.bits(start) : null;
    const blocks = bitmap ? start + 16 * Math.ceil(file.docCount / 128) : start;
    return { text, flags, lcp, branch, postings: postings(file, blocks, docFreq), bitmap };
  });
}

function postings(file: SegmentBytes, start: number, docFreq: number): FilePosting[] {
  const postings: FilePosting[] = [];
  let doc = -1;
  for (let block = 0; block < Math.ceil(docFreq / 128); block++) {
    let at = start + file.u32(start + 8 * block + 4);
    const width = file.bytes[at] as number;
    const count = (file.bytes[at + 1] as number) + 1;
    if (count !== Math.min(128, docFreq - 128 * block)) throw new Error('a block of another size');
    at += 2;
    const docs: number[] = [];
    for (let i = 0; i < count; i++, at += width) {
      doc += width === 1 ? file.view.getUint8(at) : width === 2 ? file.view.getUint16(at, true) : file.u32(at);
      docs.push(doc);
    }
    if (file.u32(start + 8 * block) !== doc) throw new Error('another last document');
    const lengths = [...file.bytes.subarray(at, at + count)];
    at += count;
    for (const [i, short] of lengths.entries()) {
      let length = short;
      if (length === 255) {
        length = file.u32(at);
        at += 4;
      }
      postings.push({ doc: docs[i] as number, codes: codes(file, at, at + length) });
      at += length;
    }
  }
  return postings;
}

function codes(file: SegmentBytes, from: number, to: number): number[] {
  const codes: number[] = [];
  let at = from;
  const varint = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = file.bytes[at++] as number;
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < to) {
    const head = file.bytes[at++] as number;
    const attribute = head >> 3 === 31 ? varint() : head >> 3;
    const count = (head & 7) === 0 ? varint() : head & 7;
    let position = 0;
    for (let i = 0; i < count; i++) {
      position += varint();
      codes.push(attribute * 65536 + position);
    }
  }
  if (at !== to) throw new Error('positions of another length');
  return codes;
}

export function documentTerms(file: SegmentBytes): { term: number; codes: number[] }[][] | null {
  const section = file.optional(18);
  if (!section) return null;
  const [width, firstAttribute, firstSkip] = file.u32s(section.offset, 3) as [number, number, number];
  const starts = file.u32s(section.offset + 16, file.docCount + 1);
  const entries = section.offset + 16 + 4 * (file.docCount + 1);
  const entryAt = (bit: number) => {
    let entry = 0;
    for (let i = width - 1; i >= 0; i--) {
      entry = entry * 2 + ((file.view.getUint8(entries + ((bit + i) >> 3)) >> ((bit + i) & 7)) & 1);
    }
    return entry;
  };
  return Array.from({ length: file.docCount }, (_, doc) => {
    const terms = new Map<number, number[]>();
    let code = -1;
    const end = 8 * (starts[doc + 1] as number);
    for (let bit = 8 * (starts[doc] as number); bit + width <= end; bit += width) {
      const entry = entryAt(bit);
      if (entry >= firstSkip) code += entry - firstSkip;
      else if (entry >= firstAttribute) code = (entry - firstAttribute) * 65536;
      else terms.set(entry, [...(terms.get(entry) ?? []), code++]);
    }
    return [...terms].sort((a, b) => a[0] - b[0]).map(([term, codes]) => ({ term, codes: codes.sort((a, b) => a - b) }));
  });
}

export function samples(file: SegmentBytes): FileSamples | null {
  const section = file.optional(17);
  if (!section) return null;
  const [count, firstCount] = file.u32s(section.offset, 2) as [number, number];
  const keys = section.offset + 8;
  return {
    keys: Array.from({ length: count }, (_, i) =>
      file.view
        .getBigUint64(keys + 8 * i, true)
        .toString(16)
        .padStart(16, '0'),
    ),
    firsts: file.u32s(keys + 8 * count, firstCount),
  };
}

/** The set of letters of each term; null: the file has none. */
export function letters(file: SegmentBytes): number[] | null {
  const section = file.optional(26);
  return section && file.u32s(section.offset, file.u32(file.section(3).offset));
}

/** Whether a text passes the filter of the dictionary; null: the file has none. */
export function passesFilter(file: SegmentBytes, text: string): boolean | null {
  const section = file.sections.find(({ kind }) => kind === 20);
  if (section === undefined) return null;
  const words = BigInt(file.view.getUint32(section.offset, true));
  const key = Buffer.from(text).subarray(0, 8);
  const number = BigInt(`0x${key.toString('hex').padEnd(16, '0')}`);
  const word = Number(((mix(number << 8n) >> 32n) * words) >> 32n);
  const bits = file.view.getBigUint64(section.offset + 8 + 8 * word, true);
  const hash = mix(number);
  return [40n, 46n, 52n, 58n].every((shift) => ((bits >> ((hash >> shift) & 63n)) & 1n) === 1n);
}

/** The hash of the filter. */
function mix(number: bigint): bigint {
  const product = BigInt.asUintN(64, number * 0x9e3779b97f4a7c15n);
  return BigInt.asUintN(64, (product ^ (product >> 32n)) * 0x9e3779b97f4a7c15n);
}
