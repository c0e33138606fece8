/**
 * Reads the positions of one posting (see the drawing in segment/layout.ts): groups of positions, one per attribute. Positions
 * are most of what ranking reads, so the fast paths keep their state in local variables: module globals cost a load and a store
 * each.
 */

import { costOfPosition } from './position-costs';

/** Value in the head of a group that means: the attribute follows. */
const WIDE_ATTRIBUTE: u32 = 31;

let at: usize = 0;
let end: usize = 0;
let attribute: u32 = 0;
let count: u32 = 0;

/** Starts reading the position bytes of a posting. */
export function groupsBegin(bytes: usize, length: u32): void {
  at = bytes;
  end = bytes + length;
  count = 0;
}

function varint(): u32 {
  let byte: u32 = load<u8>(at++);
  if (byte < 0x80) return byte;
  let value = byte & 0x7f;
  let shift: u32 = 7;
  do {
    byte = load<u8>(at++);
    value |= (byte & 0x7f) << shift;
    shift += 7;
  } while (byte & 0x80);
  return value;
}

/** Moves to the next attribute, skipping unread positions. */
export function groupsNext(): bool {
  at = pastVarints(at, count);
  if (at >= end) return false;
  readHead(at);
  return true;
}

export function groupAttribute(): u32 {
  return attribute;
}

/** The address after `many` varints. */
function pastVarints(from: usize, many: u32): usize {
  let past = from;
  for (let left = many; left > 0; left--) while (load<u8>(past++) >= 0x80) {}
  return past;
}

/** Whether a group head continues after its first byte. */
function isLongHead(group: u32, many: u32): bool {
  return group === WIDE_ATTRIBUTE || many === 0;
}

/** Reads a group head into `attribute` and `count`, and advances `at`. */
function readHead(from: usize): void {
  const head: u32 = load<u8>(from);
  at = from + 1;
  attribute = head >>> 3;
  count = head & 7;
  if (attribute === WIDE_ATTRIBUTE) attribute = varint();
  if (count === 0) count = varint();
}

/**
 * Writes the occurrences of a posting as ascending codes `attribute << 16 | position`; returns the address after the last one.
 */
export function decodeCodes(bytes: usize, length: u32, out: usize): usize {
  const stop = bytes + length;
  let from = bytes;
  let to = out;
  while (from < stop) {
    const head: u32 = load<u8>(from++);
    let group = head >>> 3;
    let left = head & 7;
    if (isLongHead(group, left)) {
      readHead(from - 1);
      group = attribute;
      left = count;
      from = at;
    }
    let code = group << 16;
    do {
      let byte: u32 = load<u8>(from++);
      let value = byte & 0x7f;
      for (let shift: u32 = 7; byte >= 0x80; shift += 7) {
        byte = load<u8>(from++);
        value |= (byte & 0x7f) << shift;
      }
      code += value;
      store<u32>(to, code);
      to += 4;
    } while (--left);
  }
  return to;
}

/** The weight of the first attribute of a posting. `weights`: u16 per field. */
export function firstWeight(bytes: usize, weights: usize): u32 {
  let group: u32 = load<u8>(bytes) >>> 3;
  if (group === WIDE_ATTRIBUTE) {
    readHead(bytes);
    group = attribute;
  }
  return load<u16>(weights + ((<usize>group) << 1));
}

/** Whether an attribute of a posting begins with the word. */
export function beginsAttribute(bytes: usize, length: u32): bool {
  const stop = bytes + length;
  let from = bytes;
  while (true) {
    const head: u32 = load<u8>(from++);
    let left = head & 7;
    if (isLongHead(head >>> 3, left)) {
      readHead(from - 1);
      left = count;
      from = at;
    }
    if (load<u8>(from) === 0) return true;
    // Each position takes at least a byte: with no more bytes than positions left, no attribute follows.
    if (from + left >= stop) return false;
    from = pastVarints(from, left);
    if (from >= stop) return false;
  }
}

/** The smallest weight of the attributes of a posting, or `known` if that is smaller. `weights`: u16 per field. */
export function leastWeight(bytes: usize, length: u32, weights: usize, known: u32): u32 {
  const stop = bytes + length;
  let from = bytes;
  let least = known;
  while (true) {
    const head: u32 = load<u8>(from++);
    let group = head >>> 3;
    let left = head & 7;
    if (isLongHead(group, left)) {
      readHead(from - 1);
      group = attribute;
      left = count;
      from = at;
    }
    least = min<u32>(least, load<u16>(weights + ((<usize>group) << 1)));
    // Each position takes at least a byte: with no more bytes than positions left, no attribute follows.
    if (least === 0 || from + left >= stop) return least;
    from = pastVarints(from, left);
    if (from >= stop) return least;
  }
}

/**
 * The least cost of the positions of a posting, or `known` if that is less. `costs`: see {@link costOfPosition}; `start`:
 * position of the node in the query.
 */
export function leastPositionCost(bytes: usize, length: u32, costs: usize, start: u32, known: u32): u32 {
  const stop = bytes + length;
  let from = bytes;
  let least = known;
  while (from < stop) {
    const head: u32 = load<u8>(from++);
    let left = head & 7;
    if (isLongHead(head >>> 3, left)) {
      readHead(from - 1);
      left = count;
      from = at;
    }
    let position: u32 = 0;
    do {
      let byte: u32 = load<u8>(from++);
      position += byte & 0x7f;
      for (let shift: u32 = 7; byte >= 0x80; shift += 7) {
        byte = load<u8>(from++);
        position += (byte & 0x7f) << shift;
      }
      left--;
      least = min<u32>(least, costOfPosition(costs, position));
    } while (left > 0 && position < start);
    if (from + left >= stop) return least;
    from = pastVarints(from, left);
  }
  return least;
}
