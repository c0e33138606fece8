import { hasMember } from './bitmaps.js';
import type { IndexReader } from './segments.js';

/** The slot of the live document with a key, or -1. */
export function slotOfKey(reader: IndexReader, key: string): number {
  for (const { instance, view, ref, base } of reader.segments) {
    const local = instance.scoped(() => {
      const { pointer, length } = instance.putText(key);
      return instance.exports.keyLookup(view, pointer, length);
    });
    if (local >= 0 && !(ref.tombstones && hasMember(instance, ref.tombstones, local))) return base + local;
  }
  return -1;
}
