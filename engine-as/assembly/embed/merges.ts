/**
 * Byte pair encoding (Sennrich et al., 2016, arXiv:1508.07909): a word starts as its characters; repeatedly the adjacent pair
 * with the lowest rank in the list of merges, the leftmost of equal ones, becomes one token.
 */
import { allocZeroed } from '../runtime/arena';
import { bufferPush32 } from '../runtime/buffer';
import { StaticModel } from './model';
import { NO_TOKEN, slotCount, tokenOf } from './vocabulary';

/** Longest word in bytes that is tokenized here: the time grows with the square of the number of characters. */
export const MAX_WORD_BYTES: u32 = 512;

const NO_RANK: u32 = 0xffffffff;

/** A pair that merges into a token. `rank`: position in the list + 1, 0: the slot is free. */
@unmanaged
class Merge {
  left: u32;
  right: u32;
  rank: u32;
  token: u32;
}

/** A token of the word so far. */
@unmanaged
class Part {
  token: u32;
  /** address of its first byte */
  start: usize;
  /** rank of the pair with the next token, {@link NO_RANK}: they do not merge */
  rank: u32;
  /** what that pair becomes */
  merged: u32;
}

export const PART_BYTES: usize = offsetof<Part>();

@unmanaged
class MergeTable {
  mask: u32;
  padding: u32;
  // Merge[mask + 1] follow
}

function slotOf(table: usize, left: u32, right: u32): Merge {
  const mask = changetype<MergeTable>(table).mask;
  let hash = (left * 0x9e3779b1) ^ (right * 0x85ebca6b);
  hash ^= hash >>> 15;
  let merge = mergeAt(table, hash & mask);
  while (merge.rank !== 0 && (merge.left !== left || merge.right !== right)) merge = mergeAt(table, ++hash & mask);
  return merge;
}

function mergeAt(table: usize, slot: u32): Merge {
  return changetype<Merge>(table + offsetof<MergeTable>() + <usize>slot * offsetof<Merge>());
}

/** A hash table of u32[count][3]: left, right, merged. For repeated pairs the last one counts. */
export function mergesCreate(merges: usize, count: u32): usize {
  const slots = slotCount(count);
  const table = allocZeroed(offsetof<MergeTable>() + <usize>slots * offsetof<Merge>());
  changetype<MergeTable>(table).mask = slots - 1;
  for (let rank: u32 = 1; rank <= count; rank++, merges += 12) {
    const merge = slotOf(table, load<u32>(merges), load<u32>(merges, 4));
    merge.left = load<u32>(merges);
    merge.right = load<u32>(merges, 4);
    merge.token = load<u32>(merges, 8);
    merge.rank = rank;
  }
  return table;
}

function partAt(work: usize, place: u32): Part {
  return changetype<Part>(work + <usize>place * offsetof<Part>());
}

/** Looks up the merge of a token with the next one. */
function pair(model: StaticModel, place: u32, count: u32): void {
  const part = partAt(model.work, place);
  part.rank = NO_RANK;
  if (place + 1 >= count) return;
  const next = partAt(model.work, place + 1);
  if (part.token === NO_TOKEN || next.token === NO_TOKEN) return;
  const merge = slotOf(model.mergeTable, part.token, next.token);
  if (merge.rank === 0) return;
  part.rank = merge.rank;
  part.merged = merge.token;
}

/** Length of a UTF-8 character by its first byte. */
function characterBytes(first: u8): u32 {
  return first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/**
 * Appends the tokens of a word of at most {@link MAX_WORD_BYTES} bytes to a Buffer. A character without a token becomes a token
 * per byte.
 */
export function mergeWord(model: StaticModel, word: usize, length: u32, out: usize): void {
  const work = model.work;
  const end = word + length;
  let count: u32 = 0;
  for (let at = word; at < end; count++) {
    const bytes = characterBytes(load<u8>(at));
    const part = partAt(work, count);
    part.token = tokenOf(model.vocabulary, at, bytes);
    part.start = at;
    at += bytes;
  }
  partAt(work, count).start = end;
  for (let place: u32 = 0; place < count; place++) pair(model, place, count);
  for (;;) {
    let best: u32 = 0;
    for (let place: u32 = 1; place < count; place++) {
      if (partAt(work, place).rank < partAt(work, best).rank) best = place;
    }
    if (count === 0 || partAt(work, best).rank === NO_RANK) break;
    partAt(work, best).token = partAt(work, best).merged;
    const gone = changetype<usize>(partAt(work, best + 1));
    // Including the sentinel at the end.
    memory.copy(gone, gone + offsetof<Part>(), <usize>(count - best - 1) * offsetof<Part>());
    count--;
    pair(model, best, count);
    if (best > 0) pair(model, best - 1, count);
  }
  for (let place: u32 = 0; place < count; place++) {
    const part = partAt(work, place);
    if (part.token !== NO_TOKEN) {
      bufferPush32(out, part.token);
      continue;
    }
    const last = partAt(work, place + 1).start;
    for (let at = part.start; at < last; at++) bufferPush32(out, load<u32>(model.byteTokens + ((<usize>load<u8>(at)) << 2)));
  }
}
