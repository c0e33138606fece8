import { distinctKeys } from '../engine/columns.js';
import type { IndexReader } from '../engine/segments.js';
import type { Step } from './bucket.js';
import type { TakeGroup } from './rank.js';

/** A document of the answer and what the rules said of it. */
export interface RankedHit {
  slot: number;
  steps: readonly Step[];
}

export interface Collected {
  hits: RankedHit[];
  /** Bitmap of the documents that the answer counts. */
  counted: number;
}

export interface CollectOptions {
  /** Documents wanted from the first rank on. */
  needed: number;
  /** Path of the field of which each value is shown once. */
  distinct: string | null;
  /** The count is made for all documents, not just for those that were evaluated. */
  exhaustive: boolean;
  /** Equal documents are evaluated together; without any rule they are taken one at a time, as far as they are wanted. */
  tied: boolean;
}

/** Reads a ranking until enough documents are found. `universe`: bitmap of the candidates; `dead`: see RankingRun. */
export function collect(
  reader: IndexReader,
  ranking: (take: TakeGroup) => void,
  universe: number,
  dead: number,
  removed: number,
  options: CollectOptions,
): Collected {
  const engine = reader.instance.exports;
  const bytes = reader.bitmapBytes;
  const counted = reader.newBitmap();
  engine.bitmapCopy(counted, universe, bytes);
  const hits: RankedHit[] = [];
  const distinct = options.distinct === null ? null : new Distinct(reader, options.distinct, universe, counted, dead);
  if (options.needed > 0) {
    ranking(({ bitmap, count, steps }) => {
      const slots = inOrder(reader, bitmap, distinct ? count : options.needed - hits.length);
      for (const slot of slots) {
        if (!options.tied && hits.length >= options.needed) break;
        if (!distinct || distinct.keep(slot)) hits.push({ slot, steps });
      }
      return hits.length < options.needed;
    });
  }
  engine.bitmapAndNot(counted, removed, bytes);
  if (distinct && options.exhaustive) distinct.countAll();
  return { hits: hits.slice(0, options.needed), counted };
}

/** The first documents of a bitmap by internal id. */
export function inOrder(reader: IndexReader, bitmap: number, limit: number): number[] {
  const { instance, segments } = reader;
  const engine = instance.exports;
  return instance.scoped(() => {
    if (segments.length === 1) {
      const wanted = Math.min(limit, segments[0]?.ref.docCount ?? 0);
      const out = engine.alloc(wanted * 4 + 16);
      const count = engine.bitmapFirst(bitmap, reader.bitmapBytes, wanted, out);
      const { words } = instance;
      const first = out / Uint32Array.BYTES_PER_ELEMENT;
      const slots: number[] = [];
      for (let i = 0; i < count; i++) slots.push(words[first + i] as number);
      return slots;
    }
    // within a segment slots ascend with internal ids: the first of each are enough
    const found: { slot: number; id: number }[] = [];
    for (const segment of segments) {
      const { docCount } = segment.ref;
      const wanted = Math.min(limit, docCount);
      const out = engine.alloc(wanted * 4 + 16);
      const count = engine.bitmapFirst(bitmap + segment.base / 8, Math.ceil(docCount / 128) * 16, wanted, out);
      const ids = segment.instance.u32(segment.instance.exports.docIdsOf(segment.view), docCount);
      for (const local of instance.u32(out, count)) found.push({ slot: segment.base + local, id: ids[local] as number });
    }
    found.sort((a, b) => a.id - b.id);
    return found.slice(0, limit).map(({ slot }) => slot);
  });
}

/** Keeps one document of each value of a field. */
class Distinct {
  readonly #taken = new Set<number | string>();
  readonly #holders = new Map<number | string, number[]>();
  readonly #keys: (slot: number) => readonly (number | string)[];

  constructor(
    readonly reader: IndexReader,
    path: string,
    universe: number,
    readonly counted: number,
    readonly dead: number,
  ) {
    const field = reader.fieldId(path);
    this.#keys = field < 0 ? () => [] : distinctKeys(reader, field);
    for (const slot of inOrder(reader, universe, reader.slotCount)) {
      for (const key of this.#keys(slot)) {
        const list = this.#holders.get(key);
        if (list) list.push(slot);
        else this.#holders.set(key, [slot]);
      }
    }
  }

  /** Takes a document unless one with the same value was taken before; the others of its values are out. */
  keep(slot: number): boolean {
    const keys = this.#keys(slot);
    const { bytes } = this.reader.instance;
    if (keys.some((key) => this.#taken.has(key))) {
      clear(bytes, this.counted, slot);
      return false;
    }
    for (const key of keys) {
      this.#taken.add(key);
      for (const other of this.#holders.get(key) ?? []) {
        if (other === slot) continue;
        clear(bytes, this.counted, other);
        set(bytes, this.dead, other);
      }
    }
    return true;
  }

  /** Leaves one document of each value among all that are counted, in internal order. */
  countAll(): void {
    const seen = new Set<number | string>();
    const { bytes } = this.reader.instance;
    for (const slot of inOrder(this.reader, this.counted, this.reader.slotCount)) {
      const keys = this.#keys(slot);
      if (keys.some((key) => seen.has(key))) clear(bytes, this.counted, slot);
      else for (const key of keys) seen.add(key);
    }
  }
}

function set(bytes: Uint8Array, bitmap: number, slot: number): void {
  bytes[bitmap + (slot >>> 3)] = (bytes[bitmap + (slot >>> 3)] as number) | (1 << (slot & 7));
}

function clear(bytes: Uint8Array, bitmap: number, slot: number): void {
  bytes[bitmap + (slot >>> 3)] = (bytes[bitmap + (slot >>> 3)] as number) & ~(1 << (slot & 7));
}
