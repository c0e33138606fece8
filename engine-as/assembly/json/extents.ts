/**
 * The ends of arrays and objects of a JSON text (valid), found in one pass. A walk that descends into a value skips it first, to find
 * what follows: in a text of many levels it would read the innermost values once for each level. From level {@link DEEP} on it has the
 * ends found before.
 */
import { Buffer, bufferCreate, bufferPush32 } from '../runtime/buffer';
import { CLOSE_ARRAY, CLOSE_OBJECT, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './signs';
import { stringEnd } from './strings';
import { skipValue } from './values';

/** So many levels are skipped by reading: a pass for the ends takes about as long, and hardly any document has more. */
export const DEEP: u32 = 4;
/** Shorter arrays and objects are not listed: reading them takes no longer than searching the list. */
const MIN_BYTES: usize = 64;

/** An array or object. */
@unmanaged
class Extent {
  /** address of its bracket */
  start: u32;
  /** address after it */
  end: u32;
}

/** Lists the arrays and objects of a value, itself included: a Buffer of Extent by ascending start. */
export function findExtents(value: usize, end: usize): usize {
  const found = bufferCreate(64 * offsetof<Extent>());
  const list = changetype<Buffer>(found);
  // places in the list of those that have not ended
  const open = bufferCreate(512);
  const opened = changetype<Buffer>(open);
  for (let at = value; at < end; ) {
    const byte: u32 = load<u8>(at++);
    if (byte === QUOTE) {
      at = stringEnd(at, end) + 1;
    } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      bufferPush32(open, <u32>list.length);
      bufferPush32(found, <u32>at - 1);
      bufferPush32(found, 0);
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
      opened.length -= sizeof<u32>();
      const place = load<u32>(opened.data + opened.length);
      const extent = changetype<Extent>(list.data + place);
      // What a short one contains is shorter, and not listed either.
      if (at - extent.start < MIN_BYTES) list.length = place;
      else extent.end = <u32>at;
    }
  }
  return found;
}

/** {@link skipValue}, looking the end up. @param extents 0: none are known */
export function skipListed(at: usize, end: usize, extents: usize): usize {
  if (extents === 0) return skipValue(at, end);
  const list = changetype<Buffer>(extents);
  let low: usize = 0;
  let high = list.length / offsetof<Extent>();
  while (low < high) {
    const middle = (low + high) >> 1;
    const extent = changetype<Extent>(list.data + middle * offsetof<Extent>());
    if (extent.start === <u32>at) return extent.end;
    if (extent.start < <u32>at) low = middle + 1;
    else high = middle;
  }
  return skipValue(at, end);
}
