import type { EngineInstance } from './instance.js';

/**
 * Bitmaps in the engine's memory: number i is bit i & 7 of byte i >> 3. Operations on many members are functions of the engine.
 */

export function hasMember({ bytes }: EngineInstance, bitmap: number, member: number): boolean {
  return (((bytes[bitmap + (member >> 3)] as number) >> (member & 7)) & 1) === 1;
}

export function addMember({ bytes }: EngineInstance, bitmap: number, member: number): void {
  bytes[bitmap + (member >> 3)]! |= 1 << (member & 7);
}

export function removeMember({ bytes }: EngineInstance, bitmap: number, member: number): void {
  bytes[bitmap + (member >> 3)]! &= ~(1 << (member & 7));
}

/** The first `limit` members, ascending; the bitmap must have at least that many. */
export function membersOf(instance: EngineInstance, bitmap: number, length: number, limit: number): Uint32Array {
  return instance.scoped(() => {
    const out = instance.alloc(limit * Uint32Array.BYTES_PER_ELEMENT);
    return instance.u32(out, instance.exports.bitmapFirst(bitmap, length, limit, out)).slice();
  });
}
