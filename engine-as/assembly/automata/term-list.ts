/** Ascending lists of term numbers with a maximum length. */
import { alloc } from '../runtime/arena';

@unmanaged
export class TermList {
  terms: usize;
  count: u32;
  limit: u32;
}

export function newList(limit: u32): usize {
  const list = changetype<TermList>(alloc(offsetof<TermList>()));
  list.terms = alloc((<usize>limit) << 2);
  list.count = 0;
  list.limit = limit;
  return changetype<usize>(list);
}

export function isFull(list: usize): bool {
  return changetype<TermList>(list).count >= changetype<TermList>(list).limit;
}

/** Sorts a list from an index on, and removes duplicates; the range is short. */
export function sortTail(list: usize, from: u32): void {
  const target = changetype<TermList>(list);
  const terms = target.terms;
  let kept = from;
  for (let i = from; i < target.count; i++) {
    const term = load<u32>(terms + ((<usize>i) << 2));
    let at = kept;
    while (at > from && load<u32>(terms + ((<usize>(at - 1)) << 2)) > term) at--;
    if (at > from && load<u32>(terms + ((<usize>(at - 1)) << 2)) === term) continue;
    memory.copy(terms + ((<usize>(at + 1)) << 2), terms + ((<usize>at) << 2), (<usize>(kept - at)) << 2);
    store<u32>(terms + ((<usize>at) << 2), term);
    kept++;
  }
  target.count = kept;
}

/** Merges an ascending list into another one, up to its maximum length. */
export function mergeInto(list: usize, other: usize): void {
  const target = changetype<TermList>(list);
  const more = changetype<TermList>(other);
  const merged = alloc((<usize>target.limit) << 2);
  let count: u32 = 0;
  let a: u32 = 0;
  let b: u32 = 0;
  while (count < target.limit && (a < target.count || b < more.count)) {
    const left = a < target.count ? load<u32>(target.terms + ((<usize>a) << 2)) : 0xffffffff;
    const right = b < more.count ? load<u32>(more.terms + ((<usize>b) << 2)) : 0xffffffff;
    const least = min<u32>(left, right);
    store<u32>(merged + ((<usize>count) << 2), least);
    count++;
    if (left === least) a++;
    if (right === least) b++;
  }
  target.terms = merged;
  target.count = count;
}
