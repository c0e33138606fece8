import { groupAttribute, groupsBegin, groupsNext } from '../costs/positions';
import { ATTRIBUTE_EXACT } from '../costs/sources';
import { postingsBegin, postingsDoc, postingsNext, postingsPositions, postingsPositionsLength } from '../postings/decode';
import { bufferPush32 } from '../runtime/buffer';
import { TERM_EXACT, TERM_TOLERANT } from '../segment/layout';
import { SegmentView } from '../segment/view';
import { termIsLive } from './terms';

/**
 * Whether a live document has the term on the tolerant side. The flags of a term include deleted documents, so for terms on both
 * sides its postings are read if `tombstones` is not 0. `attributes`: u8 per field, as in costs/sources.
 */
export function termIsTolerant(view: usize, term: u32, tombstones: usize, attributes: usize): bool {
  const flags = load<u8>(changetype<SegmentView>(view).termFlags + term);
  if (!(flags & TERM_TOLERANT)) return false;
  if (!tombstones) return true;
  if (!(flags & TERM_EXACT)) return termIsLive(view, term, tombstones);
  postingsBegin(view, term);
  while (postingsNext()) {
    const doc = postingsDoc();
    if ((load<u8>(tombstones + (doc >>> 3)) >>> (doc & 7)) & 1) continue;
    groupsBegin(postingsPositions(), postingsPositionsLength());
    while (groupsNext()) {
      if (!(load<u8>(attributes + groupAttribute()) & ATTRIBUTE_EXACT)) return true;
    }
  }
  return false;
}

/**
 * Appends the first `limit` terms of [from, to) that live documents have to a Buffer of u32; with `isTolerant` only those on the
 * tolerant side.
 */
export function pushLiveTerms(
  view: usize,
  from: u32,
  to: u32,
  isTolerant: bool,
  tombstones: usize,
  attributes: usize,
  limit: u32,
  out: usize,
): void {
  let count: u32 = 0;
  for (let term = from; term < to && count < limit; term++) {
    const counts = isTolerant
      ? termIsTolerant(view, term, tombstones, attributes)
      : !tombstones || termIsLive(view, term, tombstones);
    if (!counts) continue;
    bufferPush32(out, term);
    count++;
  }
}
