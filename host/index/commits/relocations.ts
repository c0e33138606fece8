import { NOWHERE, type RebuildOutput } from '../build/segments/rebuild.js';
import type { StoredSegment } from '../record.js';
import { addBit, bitmapFor, bitsBeyond, union } from '../tombstones.js';

interface Relocation {
  segments: StoredSegment[];
  places: Uint32Array;
}

/**
 * Maps documents of merged segments to their new places, while jobs are running that began before the merge and refer to the old
 * segments.
 */
export class Relocations {
  readonly #moved = new Map<number, Relocation>();
  #jobs = 0;

  /** A job begins; the returned function ends it. */
  enter(): () => void {
    this.#jobs++;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      if (--this.#jobs === 0) this.#moved.clear();
    };
  }

  add({ segments, places }: RebuildOutput): void {
    for (const [source, map] of places) this.#moved.set(source, { segments, places: map });
  }

  /** Adds deletions in a segment to the tombstones, translated to the new segments if it was merged. */
  remove(tombstones: Map<number, Uint8Array>, present: ReadonlySet<number>, segment: number, deleted: Uint8Array): void {
    if (present.has(segment)) {
      tombstones.set(segment, union(tombstones.get(segment), deleted));
      return;
    }
    const relocation = this.#moved.get(segment);
    if (!relocation) throw new Error(`segment ${segment} is gone`);
    const moved = movedBits(relocation, bitsBeyond(deleted, undefined));
    for (const [target, bitmap] of moved) this.remove(tombstones, present, target, bitmap);
  }
}

/** Bitmaps over the new segments for documents given by their old local numbers. */
export function movedBits({ segments, places }: Relocation, locals: Iterable<number>): Map<number, Uint8Array> {
  const bitmaps = new Map<number, Uint8Array>();
  for (const local of locals) {
    let place = places[local] ?? NOWHERE;
    if (place === NOWHERE) continue;
    for (const { id, docCount } of segments) {
      if (place >= docCount) {
        place -= docCount;
        continue;
      }
      const bitmap = bitmaps.get(id) ?? bitmapFor(docCount);
      addBit(bitmap, place);
      bitmaps.set(id, bitmap);
      break;
    }
  }
  return bitmaps;
}
