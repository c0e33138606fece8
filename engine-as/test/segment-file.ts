/** A segment file read by FORMAT.md alone, without the engine. */

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

/** The terms that follow a frequent one directly, each with its documents. */
export interface FileFollowed {
  term: number;
  followers: { term: number; docs: number[] }[];
}

/** Samples of the dictionary. */
export interface FileSamples {
  /** The first eight bytes of each 64th term, filled up with zeros. */
  keys: string[];
  /** Terms that begin with another character than the one before. */
  firsts: number[];
}

interface Section {
  kind: number;
  field: number;
  offset: number;
  length: number;
}

type Six = [number, number, number, number, number, number];

const NONE = 0xffffffff;
const BITMAP_FLAG = 4;

export class SegmentFile {
  readonly docCount: number;
  readonly residentLength: number;
  readonly fileLength: number;
  readonly sections: Section[] = [];
  readonly #view: DataView;

  constructor(readonly bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (this.text(0, 4) !== 'PGSG') throw new Error('no segment');
    this.docCount = this.#u32(8);
    this.residentLength = this.#u64(24);
    this.fileLength = this.#u64(32);
    for (let i = 0; i < this.#u32(16); i++) {
      const at = 64 + 32 * i;
      const section = { kind: this.#u32(at), field: this.#u32(at + 4), offset: this.#u64(at + 8), length: this.#u64(at + 16) };
      if (section.offset % 16 !== 0) throw new Error(`section ${section.kind} is not aligned`);
      this.sections.push(section);
    }
  }

  #u32(at: number): number {
    return this.#view.getUint32(at, true);
  }

  #u64(at: number): number {
    return Number(this.#view.getBigUint64(at, true));
  }

  #u32s(at: number, count: number): number[] {
    return Array.from({ length: count }, (_, i) => this.#u32(at + 4 * i));
  }

  text(from: number, to: number): string {
    return new TextDecoder('utf-8', { fatal: true }).decode(this.bytes.slice(from, to));
  }

  #texts(starts: number, bytes: number, count: number): string[] {
    return Array.from({ length: count }, (_, i) =>
      this.text(bytes + this.#u32(starts + 4 * i), bytes + this.#u32(starts + 4 * i + 4)),
    );
  }

  #bits(at: number): number[] {
    return Array.from({ length: this.docCount }, (_, i) => i).filter(
      (i) => ((this.bytes[at + (i >> 3)] as number) >> (i & 7)) & 1,
    );
  }

  #section(kind: number, field = 0): Section {
    const found = this.sections.find((section) => section.kind === kind && section.field === field);
    if (!found) throw new Error(`no section ${kind} ${field}`);
    return found;
  }

  ids(): number[] {
    return this.#u32s(this.#section(1).offset, this.docCount);
  }

  /** Keys by local number, and local numbers by ascending key. */
  keys(): { keys: string[]; order: number[] } {
    const at = this.#section(2).offset;
    const keys = this.#texts(at + this.#u32(at + 4), at + this.#u32(at + 8), this.docCount);
    return { keys, order: this.#u32s(at + this.#u32(at), this.docCount) };
  }

  terms(): FileTerm[] {
    const at = this.#section(3).offset;
    const count = this.#u32(at);
    const texts = this.#texts(at + this.#u32(at + 4), at + this.#u32(at + 8), count);
    return texts.map((text, i) => {
      const flags = this.bytes[at + this.#u32(at + 20) + i] as number;
      const start = this.#section(4).offset + 4 * this.#u32(at + this.#u32(at + 24) + 4 * i);
      const docFreq = this.#u32(at + this.#u32(at + 16) + 4 * i);
      const lcp = this.bytes[at + this.#u32(at + 12) + i] as number;
      const branches = at + this.#u32(at + 28) + i;
      const branch = [this.bytes[branches], this.bytes[branches + count]] as [number, number];
      const bitmap = flags & BITMAP_FLAG ? this.#bits(start) : null;
      const blocks = bitmap ? start + 16 * Math.ceil(this.docCount / 128) : start;
      return { text, flags, lcp, branch, postings: this.#postings(blocks, docFreq), bitmap };
    });
  }

  #postings(start: number, docFreq: number): FilePosting[] {
    const postings: FilePosting[] = [];
    let doc = -1;
    for (let block = 0; block < Math.ceil(docFreq / 128); block++) {
      let at = start + this.#u32(start + 8 * block + 4);
      const width = this.bytes[at] as number;
      const count = (this.bytes[at + 1] as number) + 1;
      if (count !== Math.min(128, docFreq - 128 * block)) throw new Error('a block of another size');
      at += 2;
      const docs: number[] = [];
      for (let i = 0; i < count; i++, at += width) {
        doc += width === 1 ? this.#view.getUint8(at) : width === 2 ? this.#view.getUint16(at, true) : this.#u32(at);
        docs.push(doc);
      }
      if (this.#u32(start + 8 * block) !== doc) throw new Error('another last document');
      const lengths = [...this.bytes.subarray(at, at + count)];
      at += count;
      for (const [i, short] of lengths.entries()) {
        let length = short;
        if (length === 255) {
          length = this.#u32(at);
          at += 4;
        }
        postings.push({ doc: docs[i] as number, codes: this.#codes(at, at + length) });
        at += length;
      }
    }
    return postings;
  }

  #codes(from: number, to: number): number[] {
    const codes: number[] = [];
    let at = from;
    const varint = () => {
      let value = 0;
      for (let shift = 0; ; shift += 7) {
        const byte = this.bytes[at++] as number;
        value |= (byte & 127) << shift;
        if (byte < 128) return value;
      }
    };
    while (at < to) {
      const head = this.bytes[at++] as number;
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

  /** Terms of each document with their codes, both ascending, or null without the section. */
  documentTerms(): { term: number; codes: number[] }[][] | null {
    const section = this.sections.find(({ kind }) => kind === 18);
    if (!section) return null;
    const [width, firstAttribute, firstSkip] = this.#u32s(section.offset, 3) as [number, number, number];
    const starts = this.#u32s(section.offset + 16, this.docCount + 1);
    const entries = section.offset + 16 + 4 * (this.docCount + 1);
    const entryAt = (bit: number) => {
      let entry = 0;
      for (let i = width - 1; i >= 0; i--) {
        entry = entry * 2 + ((this.#view.getUint8(entries + ((bit + i) >> 3)) >> ((bit + i) & 7)) & 1);
      }
      return entry;
    };
    return Array.from({ length: this.docCount }, (_, doc) => {
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

  /** null: the section is left out. */
  samples(): FileSamples | null {
    const section = this.sections.find(({ kind }) => kind === 17);
    if (!section) return null;
    const [count, firstCount] = this.#u32s(section.offset, 2) as [number, number];
    const keys = section.offset + 8;
    return {
      keys: Array.from({ length: count }, (_, i) =>
        this.#view
          .getBigUint64(keys + 8 * i, true)
          .toString(16)
          .padStart(16, '0'),
      ),
      firsts: this.#u32s(keys + 8 * count, firstCount),
    };
  }

  longRuns(): FileLongRun[] {
    const section = this.sections.find(({ kind }) => kind === 19);
    if (!section) return [];
    const terms = this.terms();
    const [count, runs, sets] = [0, 4, 8].map((at) => this.#u32(section.offset + at)) as [number, number, number];
    const start = section.offset + sets;
    const bitmapBytes = 16 * Math.ceil(this.docCount / 128);
    return Array.from({ length: count }, (_, i) => {
      const [from, to, sides, parts, attributesAt, placesAt] = this.#u32s(section.offset + runs + 24 * i, 6) as Six;
      const documents = () => new Set(terms.slice(from, to).flatMap(({ postings }) => postings.map(({ doc }) => doc)));
      const attributes = Array.from({ length: parts }, (_, k) => {
        const [attribute, form, at, length] = this.#u32s(start + attributesAt + 16 * k, 4) as [number, number, number, number];
        if (form === 0) return { attribute, form, docs: this.#bits(start + at) };
        const listed = this.#deltas(start + at, start + at + length);
        if (form === 1) return { attribute, form, docs: listed };
        return { attribute, form, docs: [...documents()].filter((doc) => !listed.includes(doc)).sort((a, b) => a - b) };
      });
      if (placesAt === NONE) return { from, to, sides, attributes, places: null };
      const places = new Array<number>(this.docCount).fill(0);
      for (let bit = 0; bit < 4; bit++) {
        for (const doc of this.#bits(start + placesAt + bit * bitmapBytes)) (places[doc] as number) += 1 << bit;
      }
      return { from, to, sides, attributes, places };
    });
  }

  followed(): FileFollowed[] {
    const section = this.sections.find(({ kind }) => kind === 15);
    if (!section) return [];
    const [count, words] = this.#u32s(section.offset, 2) as [number, number];
    return Array.from({ length: count }, (_, i) => {
      const at = section.offset + words + 16 * i;
      const [term, size, followersAt, documentsAt] = this.#u32s(at, 4) as [number, number, number, number];
      const followers = Array.from({ length: size }, (_, k) => {
        const [follower, from, , to] = this.#u32s(section.offset + followersAt + 8 * k, 4) as [number, number, number, number];
        return { term: follower, docs: this.#deltas(section.offset + documentsAt + from, section.offset + documentsAt + to) };
      });
      return { term, followers };
    });
  }

  /** Differences to the number before, the first one to -1, as varints. */
  #deltas(from: number, to: number): number[] {
    const numbers: number[] = [];
    let last = -1;
    let delta = 0;
    let shift = 0;
    for (let at = from; at < to; at++) {
      const byte = this.#view.getUint8(at);
      delta += (byte & 127) << shift;
      shift += 7;
      if (byte >= 128) continue;
      last += delta;
      numbers.push(last);
      delta = 0;
      shift = 0;
    }
    return numbers;
  }

  /** [attribute, words] of each document. */
  wordCounts(): [number, number][][] {
    const at = this.#section(5).offset;
    const starts = this.#u32s(at + this.#u32(at), this.docCount + 1);
    const entries = at + this.#u32(at + 4);
    return Array.from({ length: this.docCount }, (_, i) =>
      this.#u32s(entries + 4 * (starts[i] as number), (starts[i + 1] as number) - (starts[i] as number)).map((entry) => [
        entry >>> 8,
        entry & 255,
      ]),
    );
  }

  valueDocuments(field: number): FileValueDocuments | null {
    const section = this.sections.find((entry) => entry.kind === 16 && entry.field === field);
    const column = this.column(field);
    if (!section || !column) return null;
    const at = section.offset;
    const width = this.#u32(at);
    const document = (place: number) => Number(this.#view.getBigUint64(place, true) & ((1n << BigInt(8 * width)) - 1n));
    let bitmaps = 0;
    const lists = (head: number, ordinalsOf: readonly number[][]): number[][] => {
      const [valueCount, entryCount, startsOffset, documentsOffset, frequentCount, frequentOffset] = this.#u32s(head, 6) as Six;
      const entries = Array.from({ length: entryCount }, (_, i) => document(at + documentsOffset + width * i));
      const starts = startsOffset === 0 ? null : this.#u32s(at + startsOffset, valueCount + 1);
      const values = Array.from({ length: valueCount }, (_, ordinal) =>
        starts ? entries.slice(starts[ordinal], starts[ordinal + 1]) : entries.filter((doc) => ordinalsOf[doc]?.[0] === ordinal),
      );
      if (!starts && String(values.flat()) !== String(entries)) throw new Error('lists without starts are out of order');
      for (let i = 0; i < frequentCount; i++) {
        const [ordinal, count, offset] = this.#u32s(at + frequentOffset + 12 * i, 3) as [number, number, number];
        values[ordinal] = this.#bits(at + offset);
        if (values[ordinal]?.length !== count) throw new Error(`a bitmap of ${count} has other members`);
        bitmaps++;
      }
      return values;
    };
    const normalizedOf = column.stringsOf.map((list) => list.map((original) => column.normalizedOf[original] as number));
    const numbers = lists(at + 8, column.numbersOf);
    return { numbers, normalized: lists(at + 32, normalizedOf), bitmaps };
  }

  column(field: number): FileColumn | null {
    const section = this.sections.find((entry) => entry.kind === 6 && entry.field === field);
    if (!section) return null;
    const at = section.offset;
    const word = (i: number) => this.#u32(at + 4 * i);
    const [flags, numberCount, stringCount, normalizedCount] = [word(1), word(2), word(3), word(4)];
    const lists = (single: boolean, docs: number, values: number, count: number): number[][] => {
      if (count === 0) return Array.from({ length: this.docCount }, () => []);
      if (single) return this.#u32s(at + docs, this.docCount).map((ordinal) => (ordinal === NONE ? [] : [ordinal]));
      const starts = this.#u32s(at + docs, this.docCount + 1);
      return starts.slice(1).map((end, i) => this.#u32s(at + values + 4 * (starts[i] as number), end - (starts[i] as number)));
    };
    return {
      exists: this.#bits(at + word(5)),
      nulls: this.#bits(at + word(6)),
      empties: this.#bits(at + word(7)),
      singleNumber: (flags & 1) !== 0,
      singleString: (flags & 2) !== 0,
      numbers: Array.from({ length: numberCount }, (_, i) => this.#view.getFloat64(at + word(8) + 8 * i, true)),
      numbersOf: lists((flags & 1) !== 0, word(9), word(10), numberCount),
      strings: stringCount ? this.#texts(at + word(11), at + word(12), stringCount) : [],
      normalizedOf: stringCount ? this.#u32s(at + word(13), stringCount) : [],
      normalized: stringCount ? this.#texts(at + word(14), at + word(15), normalizedCount) : [],
      stringsOf: lists((flags & 2) !== 0, word(16), word(17), stringCount),
    };
  }

  /** Points by document; null without one. */
  points(): ([number, number] | null)[] {
    const at = this.#section(7).offset;
    return Array.from({ length: this.docCount }, (_, i) => {
      const lat = this.#view.getFloat64(at + 16 * i, true);
      return Number.isNaN(lat) ? null : [lat, this.#view.getFloat64(at + 16 * i + 8, true)];
    });
  }
}
