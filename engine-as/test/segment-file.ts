import { storedDocuments } from './segment-blocks.js';
import { SegmentBytes } from './segment-bytes.js';
import { column, type FileColumn, type FileValueDocuments, valueDocuments } from './segment-column-values.js';
import { type FileFrequent, type FileLongRun, type FileSplit, frequent, longRuns, splits } from './segment-run-sets.js';
import { documentTerms, type FileSamples, type FileTerm, letters, passesFilter, samples, terms } from './segment-terms.js';

export type { FileFrequent, FileLongRun, FileSplit };

/** A segment file read by FORMAT.md alone, without the engine. */
export class SegmentFile extends SegmentBytes {
  ids(): number[] {
    return this.u32s(this.section(1).offset, this.docCount);
  }

  keys(): { keys: string[]; order: number[] } {
    const at = this.section(2).offset;
    const keys = this.texts(at + this.u32(at + 4), at + this.u32(at + 8), this.docCount);
    return { keys, order: this.u32s(at + this.u32(at), this.docCount) };
  }

  /** The text of each document. */
  documents(): string[] {
    return storedDocuments(this);
  }

  terms(): FileTerm[] {
    return terms(this);
  }

  documentTerms(): ReturnType<typeof documentTerms> {
    return documentTerms(this);
  }

  /** Whether a text passes the filter of the dictionary; null: the file has none. */
  passesFilter(text: string): boolean | null {
    return passesFilter(this, text);
  }

  letters(): number[] | null {
    return letters(this);
  }

  samples(): FileSamples | null {
    return samples(this);
  }

  longRuns(): FileLongRun[] {
    return longRuns(this);
  }

  frequent(kind: 15 | 27): FileFrequent[] {
    return frequent(this, kind);
  }

  splits(): FileSplit[] | null {
    return splits(this);
  }

  wordCounts(): [number, number][][] {
    const columns = this.wordColumns();
    const entries = this.wordEntries();
    return Array.from({ length: this.docCount }, (_, i) =>
      [...columns.map(([attribute, counts]): [number, number] => [attribute, counts[i] as number]), ...(entries[i] ?? [])]
        .filter(([, count]) => count > 0)
        .sort((a, b) => a[0] - b[0]),
    );
  }

  private wordColumns(): [number, Uint8Array][] {
    if (!this.optional(23)) return [];
    const at = this.section(23).offset;
    const offsets = this.u32s(at + 8, this.u32(at));
    return offsets.flatMap((offset, attribute): [number, Uint8Array][] =>
      offset === 0 ? [] : [[attribute, this.bytes.subarray(at + offset, at + offset + this.docCount)]],
    );
  }

  private wordEntries(): [number, number][][] {
    if (!this.optional(5)) return [];
    const at = this.section(5).offset;
    const starts = this.u32s(at + this.u32(at), this.docCount + 1);
    const entries = at + this.u32(at + 4);
    return Array.from({ length: this.docCount }, (_, i) =>
      this.u32s(entries + 4 * (starts[i] as number), (starts[i + 1] as number) - (starts[i] as number)).map((entry) => [
        entry >>> 8,
        entry & 255,
      ]),
    );
  }

  valueDocuments(field: number): FileValueDocuments | null {
    return valueDocuments(this, field);
  }

  column(field: number): FileColumn | null {
    return column(this, field);
  }

  points(): ([number, number] | null)[] {
    const at = this.section(7).offset;
    return Array.from({ length: this.docCount }, (_, i) => {
      const lat = this.view.getFloat64(at + 16 * i, true);
      return Number.isNaN(lat) ? null : [lat, this.view.getFloat64(at + 16 * i + 8, true)];
    });
  }
}
