/** A hash table from spellings to token ids: open addressing over the spellings laid out by the host. */
import { alloc, allocZeroed } from '../runtime/arena';
import { keyHash } from '../runtime/key-table';

/** No token has this spelling. */
export const NO_TOKEN: u32 = 0xffffffff;

@unmanaged
export class Vocabulary {
  spellings: usize;
  /** u32[count + 1] */
  starts: usize;
  /** u32[count] */
  ids: usize;
  /** u32[mask + 1]: number of a spelling + 1, 0: free */
  slots: usize;
  mask: u32;
  /** length of the longest spelling in bytes */
  longest: u32;
}

/** A power of two, at least twice the number of entries. */
export function slotCount(entries: u32): u32 {
  return (<u32>1) << (33 - clz<u32>(max<u32>(entries, 8)));
}

export function vocabularyCreate(spellings: usize, starts: usize, ids: usize, count: u32): usize {
  const vocabulary = changetype<Vocabulary>(alloc(offsetof<Vocabulary>()));
  const slots = slotCount(count);
  vocabulary.spellings = spellings;
  vocabulary.starts = starts;
  vocabulary.ids = ids;
  vocabulary.slots = allocZeroed((<usize>slots) << 2);
  vocabulary.mask = slots - 1;
  vocabulary.longest = 0;
  for (let place: u32 = 0; place < count; place++) {
    const start = load<u32>(starts + ((<usize>place) << 2));
    const length = load<u32>(starts + ((<usize>place) << 2), 4) - start;
    let slot = keyHash(spellings + start, length) & vocabulary.mask;
    while (load<u32>(vocabulary.slots + ((<usize>slot) << 2)) !== 0) slot = (slot + 1) & vocabulary.mask;
    store<u32>(vocabulary.slots + ((<usize>slot) << 2), place + 1);
    vocabulary.longest = max<u32>(vocabulary.longest, length);
  }
  return changetype<usize>(vocabulary);
}

/** The id of the token that spells this, {@link NO_TOKEN} where there is none. */
export function tokenOf(pointer: usize, bytes: usize, length: u32): u32 {
  const vocabulary = changetype<Vocabulary>(pointer);
  let slot = keyHash(bytes, length) & vocabulary.mask;
  let place = placeIn(vocabulary, slot);
  while (place !== 0 && !isSpelling(vocabulary, place - 1, bytes, length)) {
    slot = (slot + 1) & vocabulary.mask;
    place = placeIn(vocabulary, slot);
  }
  return place === 0 ? NO_TOKEN : load<u32>(vocabulary.ids + ((<usize>(place - 1)) << 2));
}

function placeIn(vocabulary: Vocabulary, slot: u32): u32 {
  return load<u32>(vocabulary.slots + ((<usize>slot) << 2));
}

function isSpelling(vocabulary: Vocabulary, place: u32, bytes: usize, length: u32): bool {
  const starts = vocabulary.starts + ((<usize>place) << 2);
  const start = load<u32>(starts);
  return load<u32>(starts, 4) - start === length && memory.compare(vocabulary.spellings + start, bytes, length) === 0;
}
