/** Reading the positions of one posting (segment/layout.ts has the drawing) as groups of one attribute each. */

let at: usize = 0;
let end: usize = 0;
let attribute: u32 = 0;
let count: u32 = 0;

/** Starts on the position bytes of a posting. */
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

/** Moves to the next attribute; the positions of the one before need not have been read. */
export function groupsNext(): bool {
  while (count > 0) {
    while (load<u8>(at) & 0x80) at++;
    at++;
    count--;
  }
  if (at >= end) return false;
  const head: u32 = load<u8>(at++);
  attribute = head >>> 3;
  count = head & 7;
  if (attribute === 31) attribute = varint();
  if (count === 0) count = varint();
  return true;
}

export function groupAttribute(): u32 {
  return attribute;
}

/**
 * Writes the occurrences of a posting as codes `attribute << 16 | position`, ascending; answers the address after the last one.
 * Positions dominate what ranking reads, so everything is a local here: globals of a module cost a load and a store each.
 */
export function decodeCodes(bytes: usize, length: u32, out: usize): usize {
  const stop = bytes + length;
  let from = bytes;
  let to = out;
  while (from < stop) {
    const head: u32 = load<u8>(from++);
    let group = head >>> 3;
    let left = head & 7;
    if (group === 31 || left === 0) {
      at = from;
      if (group === 31) group = varint();
      if (left === 0) left = varint();
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
