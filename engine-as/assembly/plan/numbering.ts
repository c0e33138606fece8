/** The dense numbers of the documents of a bucket: see rank/numbering. */
import { Memo } from '../cache/memo';

@unmanaged
export class Numbering {
  /** u32[count], ascending: the slot of each number */
  slots: usize;
  count: u32;
  /** bitmap of the documents over slots */
  within: usize;
  /** state of the search that `leave` in rank/numbering restores: bytes of a bitmap, memoized results, nodes */
  slotBytes: u32;
  memo: Memo;
  nodes: usize;
}

export function slotOf(numbering: Numbering, number: u32): u32 {
  return load<u32>(numbering.slots + ((<usize>number) << 2));
}

/** Replaces numbers (u32[count]) by slots, in place. */
export function toSlots(numbering: Numbering, numbers: usize, count: u32): void {
  const end = numbers + ((<usize>count) << 2);
  for (let at = numbers; at < end; at += 4) store<u32>(at, slotOf(numbering, load<u32>(at)));
}
