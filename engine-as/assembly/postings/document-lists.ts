/** Reading documents encoded as varints, each the difference to the one before, the first to -1 (build/grouped-documents). */
import { bitmapAdd, bitmapHas } from '../sets/bitmap';

/**
 * Counts the documents encoded in [from, to), up to a limit, and adds them to a bitmap over slots (0: none). `base`: first slot of the segment;
 * `within`: bitmap over slots of the documents to consider, 0: all.
 */
export function documentsInto(from: usize, to: usize, base: u32, within: usize, out: usize, limit: u32): u32 {
  let found: u32 = 0;
  let slot = base - 1;
  for (let at = from; at < to && found < limit; ) {
    let byte: u32 = load<u8>(at++);
    let delta = byte & 0x7f;
    for (let shift: u32 = 7; byte >= 0x80; shift += 7) {
      byte = load<u8>(at++);
      delta |= (byte & 0x7f) << shift;
    }
    slot += delta;
    if (within !== 0 && !bitmapHas(within, slot)) continue;
    if (out !== 0) bitmapAdd(out, slot);
    found++;
  }
  return found;
}
